#include "cmd/mpiexec/pmi/server.h"

#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/run/told.h"
#include "cmd/mpiexec/run/verdict.h"
#include "cmd/mpiexec/spawn/spawned.h"
#include "plain/fail.h"

#include <mpi.h>
#include <search.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The answer to a rank that is gone is lost; its exit tells the rest. */
#define answer(rank, ...) ((void)pmi_line_send((rank)->socket, __VA_ARGS__))

struct pair {
    const char *key, *value;
};

/* The job's key-value space, of struct pair, by key; see tsearch(3). */
static void *tree;

static int kvs_compare(const void *left, const void *right)
{
    return strcmp(((const struct pair *)left)->key, ((const struct pair *)right)->key);
}

/* NULL: none. */
static const char *kvs_get(const char *key)
{
    struct pair wanted = {key, NULL};
    void *found = tfind(&wanted, &tree, kvs_compare);

    return found ? (*(struct pair **)found)->value : NULL;
}

/* False when the key has a value already. */
static bool kvs_put(const char *key, const char *value)
{
    struct pair *pair;

    if (kvs_get(key))
        return false;
    pair = words_allocate(sizeof *pair);
    *pair = (struct pair){words_format("%s", key), words_format("%s", value)};
    return tsearch(pair, &tree, kvs_compare) != NULL;
}

/* A rank that ended without MPI_Init never reaches the fence of those between init and finalize. */
void server_check_absent(struct job *job)
{
    bool needed = false;
    int absent = -1;

    for (int i = 0; i < job->size; i++) {
        needed |= job->rank[i].initialized && !job->rank[i].finalized;
        if (!job->rank[i].initialized && !job->rank[i].pid && job->rank[i].socket < 0 && !job->rank[i].died)
            absent = i;
    }
    if (needed && absent >= 0)
        verdict_absent(job, absent);
}

static int handle_init(struct job *job, struct rank *rank, const struct pmi_line *line)
{
    (void)line;
    rank->initialized = true;
    rank->finalized = false; /* MPI_Session_init after a finalize */
    server_check_absent(job);
    answer(rank, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0");
    return 0;
}

static int handle_maxes(struct job *job, struct rank *rank, const struct pmi_line *line)
{
    (void)job;
    (void)line;
    answer(rank, "cmd=maxes kvsname_max=%d keylen_max=%d vallen_max=%d", PMI_NAME_SIZE, PMI_KEY_SIZE,
           PMI_VALUE_SIZE);
    return 0;
}

static int handle_appnum(struct job *job, struct rank *rank, const struct pmi_line *line)
{
    (void)job;
    (void)line;
    answer(rank, "cmd=appnum appnum=%d", rank->app->number);
    return 0;
}

static int handle_universe(struct job *job, struct rank *rank, const struct pmi_line *line)
{
    (void)line;
    answer(rank, "cmd=universe_size size=%d", job->universe_size);
    return 0;
}

static int handle_name(struct job *job, struct rank *rank, const struct pmi_line *line)
{
    (void)line;
    answer(rank, "cmd=my_kvsname kvsname=%s", job->name);
    return 0;
}

static int handle_put(struct job *job, struct rank *rank, const struct pmi_line *line)
{
    const char *key = pmi_line_find(line, "key"), *value = pmi_line_find(line, "value");

    (void)job;
    if (!key || !value || !*key || strlen(key) >= PMI_KEY_SIZE || strlen(value) >= PMI_VALUE_SIZE)
        return fail(MPI_ERR_OTHER, "PMI put: the key or the value is missing or too long");
    if (kvs_put(key, value))
        answer(rank, "cmd=put_result rc=0 msg=success");
    else
        answer(rank, "cmd=put_result rc=-1 msg=duplicate_key_%s", key);
    return 0;
}

static int handle_get(struct job *job, struct rank *rank, const struct pmi_line *line)
{
    const char *key = pmi_line_find(line, "key"), *value;

    if (!key || strlen(key) >= PMI_KEY_SIZE)
        return fail(MPI_ERR_OTHER, "PMI get: the key is missing or too long");
    value = kvs_get(key);
    if (value)
        answer(rank, "cmd=get_result rc=0 msg=success value=%s", value);
    else if (strcmp(key, "PMI_process_mapping") == 0) /* MPICH and its derivatives ask for it */
        answer(rank, "cmd=get_result rc=0 msg=success value=(vector,(0,1,%d))", job->size);
    else
        answer(rank, "cmd=get_result rc=-1 msg=key_%s_not_found value=unknown", key);
    return 0;
}

static int handle_fence(struct job *job, struct rank *rank, const struct pmi_line *line)
{
    (void)line;
    rank->fenced = true;
    server_check_fence(job);
    return 0;
}

static int handle_finalize(struct job *job, struct rank *rank, const struct pmi_line *line)
{
    (void)job;
    (void)line;
    rank->finalized = true;
    answer(rank, "cmd=finalize_ack");
    return 0;
}

/* The control socket reports the result. */
static int handle_spawn(struct job *job, struct rank *rank, const struct pmi_line *line)
{
    int control = pmi_inbox_take(rank->inbox), order = pmi_inbox_take(rank->inbox);

    (void)line;
    if (control < 0 || order < 0)
        return fail(MPI_ERR_SPAWN, "PMI spawn: no descriptors came with it");
    return spawn_nested_start(job, control, order);
}

static int handle_warn(struct job *job, struct rank *rank, const struct pmi_line *line)
{
    const char *word = pmi_line_find(line, "text");
    char text[PMI_LINE_SIZE];

    pmi_line_unescape(word ? word : "", text, sizeof text);
    warnings_add(job, (int)(rank - job->rank), text);
    return 0;
}

/* What a rank tells, of at most PMI_LINE_SIZE characters. */
static void read_text(const struct pmi_line *line, char *text)
{
    const char *word = pmi_line_find(line, "text");

    pmi_line_unescape(word ? word : "", text, PMI_LINE_SIZE);
}

int server_take_told(struct job *job, int rank, const struct pmi_line *line)
{
    char text[PMI_LINE_SIZE];

    read_text(line, text);
    if (pmi_line_is(line, "hint"))
        return told_hints_add(job, rank, text);
    if (pmi_line_is(line, "stats"))
        return told_stats_add(job, rank, text);
    return fail(MPI_ERR_OTHER, "PMI command '%.40s' tells nothing that is reported", line->value[0]);
}

static int handle_told(struct job *job, struct rank *rank, const struct pmi_line *line)
{
    return server_take_told(job, (int)(rank - job->rank), line);
}

static int handle_abort(struct job *job, struct rank *rank, const struct pmi_line *line)
{
    const char *word = pmi_line_find(line, "message");
    char message[PMI_LINE_SIZE];
    int code, error = pmi_line_int(line, "exitcode", &code);

    if (error)
        return error;
    pmi_line_unescape(word ? word : "", message, sizeof message);
    verdict_abort(job, (int)(rank - job->rank), code, message);
    return 0;
}

static const struct command {
    const char *name;
    int (*handle)(struct job *job, struct rank *rank, const struct pmi_line *line);
} commands[] = {
    {"init", handle_init},
    {"get_maxes", handle_maxes},
    {"get_appnum", handle_appnum},
    {"get_universe_size", handle_universe},
    {"get_my_kvsname", handle_name},
    {"put", handle_put},
    {"get", handle_get},
    {"barrier_in", handle_fence},
    {"finalize", handle_finalize},
    {"abort", handle_abort},
    {"warn", handle_warn},
    {"hint", handle_told},
    {"stats", handle_told},
    {"spawn", handle_spawn},
};

static int handle_line(struct job *job, struct rank *rank, char *text)
{
    struct pmi_line line;
    int error;

    if (strncmp(text, "mcmd=spawn", 10) == 0)
        return fail(MPI_ERR_SPAWN,
                    "it asks to spawn processes in another library's way, which is not understood");
    error = pmi_line_parse(text, &line);
    if (error)
        return error;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (pmi_line_is(&line, commands[i].name))
            return commands[i].handle(job, rank, &line);
    return fail(MPI_ERR_OTHER, "PMI command '%.40s' is unknown", line.value[0]);
}

void server_handle(struct job *job, int number)
{
    struct rank *rank = &job->rank[number];
    bool open = rank->socket >= 0;

    while (open) {
        size_t before = rank->inbox->end - rank->inbox->begin;
        int error = pmi_inbox_fill(rank->inbox, rank->socket, MSG_DONTWAIT, &open);
        bool more = rank->inbox->end - rank->inbox->begin > before;

        for (char *text; !error && (text = pmi_inbox_next(rank->inbox));)
            error = handle_line(job, rank, text);
        if (error) {
            verdict_protocol(job, number);
            open = false;
        }
        if (!more)
            break;
    }
    if (rank->socket >= 0 && !open) {
        close(rank->socket);
        rank->socket = -1;
        server_check_absent(job);
    }
}

void server_check_fence(struct job *job)
{
    int waiting = 0, dead = 0, missing = -1;

    for (int i = 0; i < job->size; i++) {
        bool died = job->rank[i].died;

        waiting += job->rank[i].fenced && !died;
        dead += died;
        if (!job->rank[i].fenced && !job->rank[i].pid && !died)
            missing = i;
    }
    if (waiting > 0 && missing >= 0)
        verdict_absent(job, missing);
    if (!waiting || waiting + dead < job->size)
        return;
    for (int i = 0; i < job->size; i++) {
        job->rank[i].fenced = false;
        answer(&job->rank[i], "cmd=barrier_out");
    }
}
