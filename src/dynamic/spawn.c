#include "dynamic/dynamic.h"

#include "boot/boot.h"
#include "boot/host.h"
#include "boot/spawn_order.h"
#include "coll/coll.h"
#include "p2p/lane.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/log.h"
#include "plain/port.h"
#include "plain/private.h"
#include "progress/progress.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LOOK_NS = 10 * 1000 * 1000, /* longest wait for a caller between looks at the control socket */
    PARTS_AT_ONCE = 64
};

/* MPI_COMM_NULL: there are no parents. Once the program has freed it, no communicator has this handle. release when set, acquire
 * to read. */
static _Atomic(MPI_Comm) parent = MPI_COMM_NULL;

/* Info keys, and the options of mpiexec that they stand for. */
static const struct spawn_option {
    const char *key, *option;
    bool is_folded; /* case does not matter */
} options[] = {
    {"soft", "-soft", false},
    {"host", "-host", false},
    {"wdir", "-wdir", false},
    {"path", "-path", false},
    {"arch", "-arch", false},
    {"file", "-file", false},
    {"appnum", "-appnum", false},
    {"mpi_initial_errhandler", "-initial-errhandler", true},
    {"mpi_memory_alloc_kinds", "-memory-alloc-kinds", false},
};

/* Removes white space at both ends. */
static char *trim(char *text)
{
    size_t length;

    text += strspn(text, " \t\n");
    length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = 0;
    return text;
}

static int add_option(struct spawn_order *o, struct info *info, const struct spawn_option *option)
{
    char value[MPI_MAX_INFO_VAL + 1];
    size_t needed;
    int found, error = info_get(info, option->key, value, sizeof value, &needed, &found);

    if (error || !found)
        return error;
    for (char *c = value; *c && option->is_folded; c++)
        *c = (char)tolower((unsigned char)*c);
    spawn_order_word(o, option->option);
    spawn_order_word(o, trim(value));
    return MPI_SUCCESS;
}

static int add_variables(struct spawn_order *o, struct info *info)
{
    char value[MPI_MAX_INFO_VAL + 1], *rest = NULL;
    size_t needed;
    int found, error = info_get(info, "env", value, sizeof value, &needed, &found);

    if (error || !found)
        return error;
    for (char *line = strtok_r(value, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        spawn_order_word(o, "-x");
        spawn_order_word(o, line);
    }
    return MPI_SUCCESS;
}

static void spawn_add_number(struct spawn_order *o, const char *option, int number)
{
    char text[16];

    snprintf(text, sizeof text, "%d", number);
    spawn_order_word(o, option);
    spawn_order_word(o, text);
}

static bool has_key(struct info *info, const char *key)
{
    size_t needed;
    int found = 0;

    return info && info_get(info, key, NULL, 0, &needed, &found) == MPI_SUCCESS && found;
}

/* The processes of the job that are lost, by number; a host of these alone may be gone. NULL: none is, or there is no memory. */
static bool *find_dead(void)
{
    bool *is_dead = net_survives() ? calloc((size_t)boot.size, sizeof *is_dead) : NULL;

    lane_take(&lanes[0]);
    for (int i = 0; is_dead && i < boot.size; i++)
        is_dead[i] = net_peers[0][i] && net_peers[0][i]->lost;
    lane_release(&lanes[0]);
    return is_dead;
}

/* By default children are distributed over the hosts as their parents are. */
static int add_hosts(struct spawn_order *o, struct info *info)
{
    bool *is_dead;
    char *list;
    int error = MPI_SUCCESS;

    if (boot.all_local || has_key(info, "host"))
        return MPI_SUCCESS;
    is_dead = find_dead();
    error = host_list(is_dead, &list);
    free(is_dead);
    if (error)
        return error;
    spawn_order_word(o, "-host");
    spawn_order_word(o, list);
    free(list);
    return MPI_SUCCESS;
}

static int add_command(struct spawn_order *o, const struct spawn_command *c)
{
    int error = add_hosts(o, c->info);

    spawn_add_number(o, "-n", c->maxprocs);
    for (size_t i = 0; c->info && i < sizeof options / sizeof *options && !error; i++)
        error = add_option(o, c->info, &options[i]);
    if (c->info && !error)
        error = add_variables(o, c->info);
    spawn_order_word(o, "--");
    spawn_order_word(o, c->command);
    for (int i = 0; c->argv && c->argv[i]; i++)
        spawn_order_word(o, c->argv[i]);
    return error;
}

static int make_order(struct spawn_order *o, const struct spawn_command *command, int count, const char *port)
{
    int error = MPI_SUCCESS;

    spawn_order_begin(o);
    for (int i = 0; i < count && !error; i++) {
        spawn_order_list(o);
        if (i == 0) {
            spawn_order_word(o, "-parent");
            spawn_order_word(o, port);
        }
        if (i == 0 && boot.universe_size > 0)
            spawn_add_number(o, "-universe-size", boot.universe_size);
        error = add_command(o, &command[i]);
    }
    return error;
}

/* Waits until the processes run, or cannot run. */
static int await_start(int control, struct spawn_report *report)
{
    struct wait w = WAIT_START;
    bool heard;
    int error = spawn_receive(control, report, &heard);

    progress_stay_awake(1);
    while (!heard) {
        progress_wait(&w);
        error = spawn_receive(control, report, &heard);
    }
    progress_stay_awake(-1);
    return error;
}

static int spawn_start_children(const struct spawn_command *command, int count, const char *port,
                                int *control, struct spawn_report *report)
{
    struct spawn_order order;
    int error = make_order(&order, command, count, port);

    if (!error)
        error = spawn_start(&order, control);
    spawn_order_free(&order);
    return error ? error : await_start(*control, report);
}

/* Waits until the children have connected. Those of other hosts may be lost without notice. */
static int await_children(struct comm *comm, const char *port, bool is_far, int control,
                          struct partner *partner)
{
    uint64_t end = clock_ns() + connect_patience();
    bool met = false, is_over = false, is_late = false;
    int error = MPI_SUCCESS;

    while (!error && !met && !is_over && !is_late) {
        is_over = spawn_is_over(control); /* asked first: children that connected before they ended are still
                                           * accepted */
        is_late = is_far && clock_ns() > end;
        error = connect_await(comm, port, LOOK_NS, partner, &met);
    }
    if (error || met)
        return error;
    if (!is_over)
        return fail(MPI_ERR_SPAWN,
                    "the processes that were spawned on other hosts have not called MPI_Init in "
                    "time (INKLING_CONNECT_TIMEOUT)");
    return fail(MPI_ERR_SPAWN, "the processes that were spawned ended before all had called MPI_Init");
}

static bool may_be_far(const struct spawn_command *command, int count)
{
    bool is_far = !boot.all_local;

    for (int i = 0; i < count && !is_far; i++)
        is_far = has_key(command[i].info, "host");
    return is_far;
}

/* The root's part. After success the children run and have connected; after an error the caller ends what is
 * left. */
static int bring_up_children(struct comm *comm, const struct spawn_command *command, int count,
                             struct partner *partner, int *control, struct spawn_report *report)
{
    char port[MPI_MAX_PORT_NAME];
    bool is_far = may_be_far(command, count);
    int error = is_far ? connect_open_port(port) : connect_open_port_here(port);

    if (error)
        return error;
    error = spawn_start_children(command, count, port, control, report);
    if (!error)
        error = await_children(comm, port, is_far, *control, partner);
    if (!error)
        spawn_accept(*control);
    connect_close_port(port);
    return error;
}

/* How many of a part's processes were requested, and how many run. */
struct spawn_part {
    int32_t asked, running;
};

static int *fill_codes(int *codes, const struct spawn_part *part)
{
    for (int i = 0; codes && i < part->asked; i++)
        codes[i] = i < part->running ? MPI_SUCCESS : MPI_ERR_SPAWN;
    return codes ? codes + part->asked : NULL;
}

/* Tells all ranks how many processes each part has: none after an error at the root. */
static int tell_codes(const struct spawn_command *command, int count, const struct spawn_report *report,
                      int root, struct comm *comm, int *codes)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE);
    int32_t parts = count;
    int error = coll_bcast(&parts, sizeof parts, byte, root, comm, FORM_BLOCKING, NULL, NULL);

    for (int done = 0; done < parts && !error; done += PARTS_AT_ONCE) {
        struct spawn_part part[PARTS_AT_ONCE];
        int now = parts - done < PARTS_AT_ONCE ? parts - done : PARTS_AT_ONCE;

        for (int i = 0; i < now && comm->rank == root; i++)
            part[i] = (struct spawn_part){command[done + i].maxprocs, report ? report->count[done + i] : 0};
        error = coll_bcast(part, now * (int)sizeof *part, byte, root, comm, FORM_BLOCKING, NULL, NULL);
        for (int i = 0; i < now && !error; i++)
            codes = fill_codes(codes, &part[i]);
    }
    return error;
}

/* The root's memory for a spawn. */
struct spawning {
    struct child_job child_job;
    struct spawn_report report;
};

/* After success keeps the child job; after an error ends what is left of it. */
static void spawning_end(struct spawning *n, int error, uint64_t context)
{
    if (!error) {
        disconnect_keep_child(&n->child_job, context);
        return;
    }
    if (n->child_job.control >= 0)
        private_close(n->child_job.control);
    free(n);
}

/* The children have ended meanwhile, or cannot be started: what is noted says so, wherever that was noticed. */
static int as_error_of_spawn(void)
{
    char note[FAIL_NOTE_SIZE];

    snprintf(note, sizeof note, "%s", fail_note());
    return fail(MPI_ERR_SPAWN, "%s", note);
}

int spawn_comm(const struct spawn_command *command, int count, int root, struct comm *comm, int error,
               const char *call, struct comm **newcomm, int *codes)
{
    struct spawning *n = NULL;
    struct partner partner;
    int error_of_codes;

    if (comm->rank == root && !error) {
        n = malloc(sizeof *n);
        error = n ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory to spawn processes");
    }
    error = connect_prepare(comm, root, error);
    if (error) {
        free(n);
        return error;
    }
    if (n) {
        n->child_job.control = -1;
        error = bring_up_children(comm, command, count, &partner, &n->child_job.control, &n->report);
    }
    error = connect_over(&partner, root, comm, error, n ? command->info : NULL, call, newcomm);
    error_of_codes = tell_codes(command, count, n && !error ? &n->report : NULL, root, comm, codes);
    if (n)
        spawning_end(n, error, error ? 0 : (*newcomm)->context);
    if (error == MPI_ERR_OTHER)
        return as_error_of_spawn();
    return error ? error : error_of_codes;
}

/* Where jobs survive deaths, those who spawned this one have an error, and go on; it counts as dead. */
_Noreturn static void end_without_parents(void)
{
    log_warn("this process ends, since it has not met all who spawned it: %s",
             *fail_note() ? fail_note() : "they are gone");
    _exit(1);
}

int spawn_meet_parents(void)
{
    const char *port = getenv("INKLING_JOB_PARENT");
    struct comm *world = &comm_world, *met;
    struct partner partner;
    int error;

    if (!port || strcmp(boot.launcher, "singleton") == 0)
        return MPI_SUCCESS;
    error = connect_prepare(world, 0, MPI_SUCCESS);
    if (error)
        return error;
    if (world->rank == 0)
        error = connect_call(world, port, connect_patience(), &partner);
    error = connect_over(&partner, 0, world, error, NULL, NULL, &met);
    if (error && net_survives())
        end_without_parents();
    if (strcmp(boot.launcher, "mpiexec") != 0)
        unsetenv("INKLING_JOB_PARENT"); /* a job that this process spawns has other parents, or none */
    if (!error) {
        comm_rename(met, "MPI_COMM_PARENT");
        atomic_store_explicit(&parent, comm_handle(met), memory_order_release);
    }
    return error;
}

int spawn_get_parent(struct comm **found)
{
    *found = comm_find(atomic_load_explicit(&parent, memory_order_acquire));
    return MPI_SUCCESS;
}

/* Checks one command of the root; `number`: its index among several. */
static int take_command(const char *command, char **argv, int maxprocs, MPI_Info info, int number,
                        struct spawn_command *taken)
{
    *taken = (struct spawn_command){.command = command, .argv = argv, .maxprocs = maxprocs};
    if (!command || !*command)
        return fail(MPI_ERR_ARG, "command %d is %s; it names the program to start", number,
                    command ? "empty" : "NULL");
    if (maxprocs < 1)
        return fail(MPI_ERR_ARG, "maxprocs %d, of command %d, is below 1", maxprocs, number);
    if (info == MPI_INFO_NULL)
        return MPI_SUCCESS;
    taken->info = info_find(info);
    return taken->info ? MPI_SUCCESS
                       : fail(MPI_ERR_INFO, "the info of command %d is none, or has been freed", number);
}

int spawn_take_command(const char *command, char *argv[], int maxprocs, MPI_Info info, int root,
                       struct comm *comm, struct comm **newcomm, int codes[])
{
    struct spawn_command taken = {0};
    int error = MPI_SUCCESS;

    if (comm->rank == root)
        error = take_command(command, argv, maxprocs, info, 0, &taken);
    return spawn_comm(&taken, 1, root, comm, error, "MPI_Comm_spawn", newcomm, codes);
}

static int spawn_arguments_check_arrays(int count, char *commands[], const int maxprocs[],
                                        const MPI_Info infos[])
{
    if (count < 1 || count > SPAWN_PARTS_MAX)
        return fail(MPI_ERR_ARG, "count %d of commands is not from 1 to %d", count, SPAWN_PARTS_MAX);
    if (!commands || !maxprocs || !infos)
        return fail(MPI_ERR_ARG, "%s is NULL",
                    !commands   ? "array_of_commands"
                    : !maxprocs ? "array_of_maxprocs"
                                : "array_of_info");
    return MPI_SUCCESS;
}

static int take_commands(int count, char *commands[], char **argvs[], const int maxprocs[],
                         const MPI_Info infos[], struct spawn_command **taken)
{
    int error = spawn_arguments_check_arrays(count, commands, maxprocs, infos);

    if (error)
        return error;
    *taken = malloc((size_t)count * sizeof **taken);
    if (!*taken)
        return fail(MPI_ERR_NO_MEM, "no memory for %d commands", count);
    for (int i = 0; i < count && !error; i++)
        error = take_command(commands[i], argvs ? argvs[i] : NULL, maxprocs[i], infos[i], i, &(*taken)[i]);
    return error;
}

int spawn_take_commands(int count, char *commands[], char **argvs[], const int maxprocs[],
                        const MPI_Info infos[], int root, struct comm *comm, struct comm **newcomm,
                        int codes[])
{
    struct spawn_command *taken = NULL;
    int error = MPI_SUCCESS;

    if (comm->rank == root)
        error = take_commands(count, commands, argvs, maxprocs, infos, &taken);
    error = spawn_comm(taken, count, root, comm, error, "MPI_Comm_spawn_multiple", newcomm, codes);
    free(taken);
    return error;
}
