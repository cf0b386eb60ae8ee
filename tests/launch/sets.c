/* sets N [NAME=MEMBER,MEMBER...]... -- PROGRAM ARGUMENT...: a PMIx launcher of one host, which starts N
 * processes and knows process sets. A member is a rank, or JOB:RANK of another job. Ends with an exit status
 * that is not 0, if there is one. */
#include <pmix.h>
#include <pmix_server.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const pmix_nspace_t JOB = "job-with-sets";

enum {
    MOST = 64
};

static struct set {
    const char *name;
    pmix_proc_t member[MOST];
    size_t size;
} sets[MOST];
static int set_count;

static void die(const char *what, pmix_status_t status)
{
    fprintf(stderr, "sets: %s: %s (%d)\n", what, PMIx_Error_string(status), status);
    exit(1);
}

static void done(pmix_status_t status, void *flag)
{
    atomic_store((atomic_int *)flag, status == PMIX_SUCCESS ? 1 : -1);
}

static void wait_for(atomic_int *flag, const char *what)
{
    while (!atomic_load(flag))
        usleep(1000);
    if (atomic_load(flag) < 0)
        die(what, PMIX_ERROR);
}

static pmix_status_t connected(const pmix_proc_t *process, void *object, pmix_op_cbfunc_t tell, void *context)
{
    (void)process, (void)object, (void)tell, (void)context;
    return PMIX_OPERATION_SUCCEEDED;
}

/* All processes are this server's, which has collected what they put. */
static pmix_status_t fence(const pmix_proc_t processes[], size_t count, const pmix_info_t info[],
                           size_t infos, char *data, size_t size, pmix_modex_cbfunc_t tell, void *context)
{
    (void)processes, (void)count, (void)info, (void)infos;
    tell(PMIX_SUCCESS, data, size, context, NULL, NULL);
    return PMIX_SUCCESS;
}

static pmix_status_t fetch(const pmix_proc_t *process, const pmix_info_t info[], size_t infos,
                           pmix_modex_cbfunc_t tell, void *context)
{
    (void)process, (void)info, (void)infos, (void)tell, (void)context;
    return PMIX_ERR_NOT_FOUND;
}

static void answer_names(pmix_info_t *info)
{
    char names[MOST * 64] = "";

    for (int i = 0; i < set_count; i++)
        sprintf(names + strlen(names), "%s%s", i ? "," : "", sets[i].name);
    PMIX_INFO_LOAD(info, PMIX_QUERY_PSET_NAMES, names, PMIX_STRING);
}

static pmix_status_t answer_members(const pmix_query_t *query, pmix_info_t *info)
{
    for (int i = 0; i < set_count && query->nqual == 1; i++) {
        pmix_data_array_t members = {.type = PMIX_PROC, .size = sets[i].size, .array = sets[i].member};

        if (strcmp(query->qualifiers[0].value.data.string, sets[i].name) != 0)
            continue;
        PMIX_INFO_LOAD(info, PMIX_QUERY_PSET_MEMBERSHIP, &members, PMIX_DATA_ARRAY);
        return PMIX_SUCCESS;
    }
    return PMIX_ERR_NOT_FOUND;
}

static pmix_status_t answer(pmix_proc_t *process, pmix_query_t *query, size_t count, pmix_info_cbfunc_t tell,
                            void *context)
{
    pmix_info_t *info;
    pmix_status_t status = PMIX_SUCCESS;

    (void)process;
    if (count != 1 || set_count == 0)
        return PMIX_ERR_NOT_SUPPORTED;
    PMIX_INFO_CREATE(info, 1);
    if (strcmp(query->keys[0], PMIX_QUERY_PSET_NAMES) == 0)
        answer_names(info);
    else if (strcmp(query->keys[0], PMIX_QUERY_PSET_MEMBERSHIP) == 0)
        status = answer_members(query, info);
    else
        status = PMIX_ERR_NOT_SUPPORTED;
    if (status == PMIX_SUCCESS)
        tell(status, info, 1, context, NULL, NULL);
    return status;
}

static void register_job(int count)
{
    char host[256] = "", ranks[MOST * 4] = "", *nodes, *places;
    uint32_t size = (uint32_t)count;
    pmix_info_t info[5];
    atomic_int is_done = 0;
    pmix_status_t status;

    gethostname(host, sizeof host - 1);
    for (int i = 0; i < count; i++)
        sprintf(ranks + strlen(ranks), "%s%d", i ? "," : "", i);
    PMIx_generate_regex(host, &nodes);
    PMIx_generate_ppn(ranks, &places);
    PMIX_INFO_LOAD(&info[0], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[1], PMIX_UNIV_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[2], PMIX_NODE_MAP, nodes, PMIX_STRING);
    PMIX_INFO_LOAD(&info[3], PMIX_PROC_MAP, places, PMIX_STRING);
    PMIX_INFO_LOAD(&info[4], PMIX_LOCAL_SIZE, &size, PMIX_UINT32);
    status = PMIx_server_register_nspace(JOB, count, info, 5, done, &is_done);
    if (status == PMIX_OPERATION_SUCCEEDED)
        return;
    if (status != PMIX_SUCCESS)
        die("registering the job", status);
    wait_for(&is_done, "registering the job");
}

static void add_set(char *text)
{
    struct set *set = &sets[set_count++];
    char *members = strchr(text, '=');

    *members++ = 0;
    set->name = text;
    for (char *member = strtok(members, ","); member; member = strtok(NULL, ",")) {
        char *rank = strchr(member, ':');

        if (rank)
            *rank++ = 0;
        PMIX_LOAD_PROCID(&set->member[set->size], rank ? member : JOB,
                         (pmix_rank_t)atoi(rank ? rank : member));
        set->size++;
    }
}

static void start(int rank, char **command)
{
    char **environment = NULL;
    atomic_int is_done = 0;
    pmix_proc_t process;
    pmix_status_t status;

    PMIX_LOAD_PROCID(&process, JOB, (pmix_rank_t)rank);
    status = PMIx_server_register_client(&process, getuid(), getgid(), NULL, done, &is_done);
    if (status == PMIX_SUCCESS)
        wait_for(&is_done, "registering a process");
    else if (status != PMIX_OPERATION_SUCCEEDED)
        die("registering a process", status);
    status = PMIx_server_setup_fork(&process, &environment);
    if (status != PMIX_SUCCESS)
        die("preparing an environment", status);
    if (fork() > 0)
        return;
    for (; *environment; environment++)
        putenv(*environment);
    execvp(command[0], command);
    _exit(127);
}

int main(int argc, char **argv)
{
    static pmix_server_module_t module = {.client_connected = connected,
                                          .client_finalized = connected,
                                          .fence_nb = fence,
                                          .direct_modex = fetch,
                                          .query = answer};
    int count = argc > 1 ? atoi(argv[1]) : 0, at = 2, result = 0, status;
    pmix_status_t opened;

    if (count < 1 || count > MOST)
        return 2;
    opened = PMIx_server_init(&module, NULL, 0);
    if (opened != PMIX_SUCCESS)
        die("starting", opened);
    register_job(count);
    for (; at < argc && strcmp(argv[at], "--") != 0; at++)
        add_set(argv[at]);
    for (int i = 0; i < count; i++)
        start(i, argv + at + 1);
    while (wait(&status) > 0)
        if (status && !result)
            result = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    PMIx_server_finalize();
    return result;
}
