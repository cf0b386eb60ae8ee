#include "boot/launcher.h"

#include "boot/boot.h"
#include "boot/host.h"
#include "plain/fail.h"
#include "plain/library.h"
#include "plain/log.h"

#include <limits.h>
#include <mpi.h>
#include <pmix.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LAST_PAUSE_MS = 512
};

static struct {
    __typeof__(&PMIx_Init) init;
    __typeof__(&PMIx_Finalize) finalize;
    __typeof__(&PMIx_Put) put;
    __typeof__(&PMIx_Commit) commit;
    __typeof__(&PMIx_Fence) fence;
    __typeof__(&PMIx_Get) get;
    __typeof__(&PMIx_Abort) abort;
    __typeof__(&PMIx_Register_event_handler) watch;
    __typeof__(&PMIx_Error_string) error_string;
} lib;

static pmix_proc_t me;

/* Whether the loss of the launcher ends this process. It is set before what makes the launcher disconnect,
 * and the thread of libpmix reads it after that; libpmix orders the two. */
static atomic_bool is_open;

bool pmix_is_around(void)
{
    return getenv("PMIX_RANK") && getenv("PMIX_NAMESPACE");
}

int pmix_load(void)
{
    static const char *const libraries[] = {PMIX_LIBRARY, NULL};
    static const struct library_function functions[] = {{&lib.init, "PMIx_Init"},
                                                        {&lib.finalize, "PMIx_Finalize"},
                                                        {&lib.put, "PMIx_Put"},
                                                        {&lib.commit, "PMIx_Commit"},
                                                        {&lib.fence, "PMIx_Fence"},
                                                        {&lib.get, "PMIx_Get"},
                                                        {&lib.abort, "PMIx_Abort"},
                                                        {&lib.watch, "PMIx_Register_event_handler"},
                                                        {&lib.error_string, "PMIx_Error_string"},
                                                        {NULL, NULL}};

    return library_load(libraries, functions) == MPI_SUCCESS
               ? MPI_SUCCESS
               : fail(MPI_ERR_OTHER,
                      PMIX_LIBRARY " is needed to join its job (Debian: apt install libpmix2)");
}

static int pmix_refuse(const char *what, pmix_status_t status)
{
    return fail(MPI_ERR_OTHER, "PMIx: %s: %s (%d)", what, lib.error_string(status), status);
}

/* PMIx's functions take many arguments in arrays. These are processes of this job. */
static pmix_proc_t pmix_process_of(pmix_rank_t rank)
{
    pmix_proc_t process = me;

    process.rank = rank;
    return process;
}

/* What libpmix returned is freed with free(): its own macros may call functions that only newer versions
 * have. */
static void value_free(pmix_value_t *value)
{
    if (value->type == PMIX_STRING)
        free(value->data.string);
    free(value);
}

/* `absent` when the launcher does not say. */
static int ask_number(pmix_rank_t rank, const char *key, int absent)
{
    pmix_proc_t process = pmix_process_of(rank);
    pmix_value_t *value = NULL;
    int64_t number = -1;

    if (lib.get(&process, key, NULL, 0, &value) != PMIX_SUCCESS || !value)
        return absent;
    if (value->type == PMIX_UINT32)
        number = value->data.uint32;
    else if (value->type == PMIX_INT)
        number = value->data.integer;
    else if (value->type == PMIX_SIZE && value->data.size <= INT_MAX)
        number = (int64_t)value->data.size;
    value_free(value);
    return number < 0 || number > INT_MAX ? absent : (int)number;
}

/* All processes of this node lose the launcher, and one of them reports it. */
static void end_with_launcher(size_t handler, pmix_status_t status, const pmix_proc_t *source,
                              pmix_info_t info[], size_t infos, pmix_info_t *results, size_t result_count,
                              pmix_event_notification_cbfunc_fn_t done, void *context)
{
    (void)handler, (void)status, (void)source, (void)info, (void)infos, (void)results, (void)result_count;
    /* acquire: pairs with the release in pmix_join: the library is open */
    if (atomic_load_explicit(&is_open, memory_order_acquire)) {
        log_set_end(NULL); /* by a launcher that is gone: asking it could take for ever */
        if (boot.local_rank == 0)
            log_die("the PMIx launcher of this job is gone; its processes on this host end");
        _exit(1);
    }
    if (done)
        done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, context);
}

static int pmix_join(void)
{
    const char *job = getenv("PMIX_NAMESPACE");
    pmix_status_t status = lib.init(&me, NULL, 0), lost = PMIX_ERR_LOST_CONNECTION;

    if (status != PMIX_SUCCESS)
        return pmix_refuse("the launcher cannot be reached", status);
    if (strcmp(me.nspace, job) != 0) /* some versions go on alone */
        return fail(MPI_ERR_OTHER, "PMIx: the launcher of job %.64s cannot be reached", job);
    unsetenv("PMIX_RANK"); /* a program that this process starts is not a process of the job */
    lib.watch(&lost, 1, NULL, 0, end_with_launcher, NULL, NULL);
    atomic_store_explicit(&is_open, true, memory_order_release); /* pairs with end_with_launcher */
    return MPI_SUCCESS;
}

int pmix_open(struct pmix_place *place)
{
    int error = pmix_join();

    if (error)
        return error;
    place->rank = (int)me.rank;
    place->size = ask_number(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, 0);
    place->appnum = ask_number(me.rank, PMIX_APPNUM, -1);
    place->universe_size = ask_number(PMIX_RANK_WILDCARD, PMIX_UNIV_SIZE, -1);
    memcpy(place->job, me.nspace, sizeof place->job);
    place->job[sizeof place->job - 1] = 0;
    if (me.rank >= INT_MAX || place->rank >= place->size)
        return fail(MPI_ERR_OTHER, "PMIx: the launcher says that this is process %u of %d", me.rank,
                    place->size);
    return MPI_SUCCESS;
}

static int pmix_put(const char *key, const char *value)
{
    pmix_value_t wrapped = {.type = PMIX_STRING, .data.string = (char *)value};
    pmix_status_t status = lib.put(PMIX_GLOBAL, key, &wrapped);

    return status == PMIX_SUCCESS ? MPI_SUCCESS : pmix_refuse(key, status);
}

static int pmix_fence(void)
{
    pmix_status_t status = lib.commit();

    if (status == PMIX_SUCCESS)
        status = lib.fence(NULL, 0, NULL, 0);
    return status == PMIX_SUCCESS ? MPI_SUCCESS : pmix_refuse("the processes of the job cannot meet", status);
}

/* A text about a process of the job, which the caller frees; NULL with a note. */
static char *ask_text(pmix_rank_t rank, const char *key, pmix_info_t info[], size_t infos)
{
    pmix_proc_t process = pmix_process_of(rank);
    pmix_value_t *value = NULL;
    pmix_status_t status = lib.get(&process, key, info, infos, &value);
    char *text = NULL;

    if (status != PMIX_SUCCESS || !value) {
        pmix_refuse(key, status);
        return NULL;
    }
    if (value->type == PMIX_STRING && value->data.string) {
        text = value->data.string;
        value->data.string = NULL;
    } else {
        fail(MPI_ERR_OTHER, "PMIx: %s is not a text", key);
    }
    value_free(value);
    return text;
}

/* When two nodes ask each other at the same moment, Slurm may tell one that there is no such key, though the
 * fence is complete. When asked again it finds the key. */
static char *ask_patiently(pmix_rank_t rank, const char *key)
{
    char *text = ask_text(rank, key, NULL, 0);

    for (long pause = 1; !text && pause <= LAST_PAUSE_MS; pause *= 2) {
        nanosleep(&(struct timespec){.tv_nsec = pause * 1000000}, NULL);
        text = ask_text(rank, key, NULL, 0);
    }
    return text;
}

static int pmix_get(int process, const char *key, char *value, size_t size)
{
    char *text = ask_patiently((pmix_rank_t)process, key);
    size_t length;

    if (!text)
        return fail_class();
    length = strlen(text);
    if (length < size)
        memcpy(value, text, length + 1);
    free(text);
    return length < size ? MPI_SUCCESS : fail(MPI_ERR_OTHER, "the value of %s is too long", key);
}

/* The launcher gives the name of each process's node at the start, so no process needs to be asked. */
static bool pmix_find_nodes(int size, uint64_t *node)
{
    pmix_info_t here = {.key = PMIX_OPTIONAL, .value = {.type = PMIX_BOOL, .data.flag = true}};
    uint64_t *found = calloc((size_t)size, sizeof *found);
    bool is_told = found;

    for (int rank = 0; rank < size && is_told; rank++) {
        char *name = ask_text((pmix_rank_t)rank, PMIX_HOSTNAME, &here, 1);

        is_told = name;
        if (name)
            found[rank] = host_hash(name);
        free(name);
    }
    if (is_told)
        memcpy(node, found, (size_t)size * sizeof *found);
    free(found);
    return is_told;
}

/* libpmix waits for the launcher's answer, which may never come: then the alarm ends the process. */
static void pmix_limit_time(unsigned seconds)
{
    sigset_t alarm_only;

    signal(SIGALRM, SIG_DFL);
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
    alarm(seconds);
}

static void pmix_abort(int code, const char *why)
{
    (void)why; /* already printed */
    /* one of abort and close goes on; acq_rel: end_with_launcher sees it before what this one does ends the connection */
    if (!atomic_exchange_explicit(&is_open, false, memory_order_acq_rel))
        return;
    pmix_limit_time(LAUNCHER_ABORT_S);
    lib.abort(code, "", NULL, 0);
    alarm(0);
    sleep(LAUNCHER_ABORT_S); /* meanwhile the launcher ends the process */
}

static int pmix_close(void)
{
    pmix_status_t status;

    if (!atomic_exchange_explicit(&is_open, false, memory_order_acq_rel)) /* as in pmix_abort */
        return MPI_SUCCESS;
    status = lib.finalize(NULL, 0);
    return status == PMIX_SUCCESS ? MPI_SUCCESS
                                  : pmix_refuse("the launcher cannot be told of the end", status);
}

static int pmix_find_sets(struct boot_set **sets, int *count)
{
    return pmix_ask_sets(me.nspace, (int)me.rank, sets, count);
}

const struct launcher pmix_launcher = {.name = "pmix",
                                       .put = pmix_put,
                                       .fence = pmix_fence,
                                       .get = pmix_get,
                                       .find_nodes = pmix_find_nodes,
                                       .find_sets = pmix_find_sets,
                                       .abort = pmix_abort,
                                       .close = pmix_close};

/* Process sets of a PMIx launcher, such as prterun --pset makes. PMIx 4 and later have them. */

#ifdef PMIX_QUERY_PSET_MEMBERSHIP

static __typeof__(&PMIx_Query_info) query_info;

/* An older library may have been loaded: then there are no sets. */
static bool load_query(void)
{
    static const char *const libraries[] = {PMIX_LIBRARY, NULL};
    static const struct library_function functions[] = {{&query_info, "PMIx_Query_info"}, {NULL, NULL}};

    return query_info || library_load(libraries, functions) == MPI_SUCCESS;
}

/* What libpmix returned is freed with free(), as above. */
static void answers_free(pmix_info_t *info, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pmix_value_t *value = &info[i].value;

        if (value->type == PMIX_STRING)
            free(value->data.string);
        if (value->type == PMIX_DATA_ARRAY && value->data.darray) {
            free(value->data.darray->array);
            free(value->data.darray);
        }
    }
    free(info);
}

/* The answers; none when the launcher does not say. */
static pmix_info_t *pmix_sets_ask(char *key, pmix_info_t *qualifier, size_t *count)
{
    char *keys[] = {key, NULL};
    pmix_query_t query = {.keys = keys, .qualifiers = qualifier, .nqual = qualifier != NULL};
    pmix_info_t *answers = NULL;

    *count = 0;
    if (query_info(&query, 1, &answers, count) != PMIX_SUCCESS || !answers)
        *count = 0;
    return answers;
}

/* The names, separated by commas, which the caller frees; NULL: none. */
static char *ask_names(void)
{
    char key[] = PMIX_QUERY_PSET_NAMES, *names = NULL;
    size_t count;
    pmix_info_t *answers = pmix_sets_ask(key, NULL, &count);

    for (size_t i = 0; i < count && !names; i++) {
        if (answers[i].value.type == PMIX_STRING) {
            names = answers[i].value.data.string;
            answers[i].value.data.string = NULL;
        }
    }
    answers_free(answers, count);
    return names;
}

static int compare_ranks(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;

    return (left > right) - (left < right);
}

/* Takes over the members if all are of this job and this process is one of them; else set->size is 0. */
static int take_members(const pmix_data_array_t *members, const char *job, int rank, struct boot_set *set)
{
    const pmix_proc_t *member = members->array;
    bool is_mine = false;

    set->process = malloc((members->size + 1) * sizeof *set->process);
    if (!set->process)
        return fail(MPI_ERR_NO_MEM, "no memory for a process set of %zu", members->size);
    for (size_t i = 0; i < members->size; i++) {
        set->process[i] = (int)member[i].rank;
        is_mine = is_mine || set->process[i] == rank;
        if (strcmp(member[i].nspace, job) != 0 || set->process[i] < 0 || set->process[i] >= boot.size)
            return MPI_SUCCESS;
    }
    if (is_mine)
        set->size = (int)members->size;
    qsort(set->process, members->size, sizeof *set->process, compare_ranks);
    return MPI_SUCCESS;
}

static int ask_members(const char *job, int rank, struct boot_set *set)
{
    pmix_info_t named = {.key = PMIX_PSET_NAME, .value = {.type = PMIX_STRING, .data.string = set->name}};
    char key[] = PMIX_QUERY_PSET_MEMBERSHIP;
    size_t count;
    pmix_info_t *answers = pmix_sets_ask(key, &named, &count);
    int error = MPI_SUCCESS;

    for (size_t i = 0; i < count && !set->process && !error; i++) {
        const pmix_value_t *value = &answers[i].value;

        if (value->type == PMIX_DATA_ARRAY && value->data.darray && value->data.darray->type == PMIX_PROC)
            error = take_members(value->data.darray, job, rank, set);
    }
    answers_free(answers, count);
    return error;
}

/* Adds the set of this name, if this process is in it. */
static int add_set(const char *name, const char *job, int rank, struct boot_set **sets, int *count)
{
    struct boot_set *more = realloc(*sets, ((size_t)*count + 1) * sizeof *more), set = {0};
    int error;

    if (!more)
        return fail(MPI_ERR_NO_MEM, "no memory for %d process sets", *count + 1);
    *sets = more;
    set.name = strdup(name);
    error =
        set.name ? ask_members(job, rank, &set) : fail(MPI_ERR_NO_MEM, "no memory for a process set's name");
    if (!error && set.size > 0) {
        more[(*count)++] = set;
        return MPI_SUCCESS;
    }
    free(set.name);
    free(set.process);
    return error;
}

int pmix_ask_sets(const char *job, int rank, struct boot_set **sets, int *count)
{
    char *names = load_query() ? ask_names() : NULL, *rest = NULL;
    int error = MPI_SUCCESS;

    for (char *name = names ? strtok_r(names, ",", &rest) : NULL; name && !error;
         name = strtok_r(NULL, ",", &rest))
        error = strlen(name) < MPI_MAX_PSET_NAME_LEN ? add_set(name, job, rank, sets, count) : MPI_SUCCESS;
    free(names);
    return error;
}

#else

int pmix_ask_sets(const char *job, int rank, struct boot_set **sets, int *count)
{
    (void)job, (void)rank, (void)sets, (void)count;
    return MPI_SUCCESS;
}

#endif
