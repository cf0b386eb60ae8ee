/* windows DEED WHEN [KEY=VALUE]...: one epoch after the other on a window with these hints, until a process is
 * killed by SIGKILL: amid an epoch of the deed, if WHEN is "amid", else so many microseconds after it began.
 *
 * In a job of its own the victim is the last rank. With CHILDREN=first or CHILDREN=last in the environment it is
 * a process that the job spawns; children and parents share the window, in whose order the children are first or
 * last. The parents must then be told: each ends well after MPI_ERR_PROC_ABORTED, and after no other error. One that
 * makes windows may hear of it from another that has been told.
 *
 * CREATED=1: on memory that other processes cannot map. */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    LONG = 1 << 16, /* doubles of long operations */
    AMID = 40       /* the epoch in which the victim dies */
};

static int rank, size, victim, epoch;
static long delay; /* microseconds; 0: amid */
static MPI_Comm comm;
static MPI_Win win = MPI_WIN_NULL;
static MPI_Group after, before; /* the next rank, and the one before */
static MPI_Request watch;       /* a message of the victim, which never comes */
static bool is_child, is_making;
static MPI_Info hints;
static double *base, *data;
static MPI_Aint places[8]; /* of a dynamic window */

/* False: this process lives. */
static bool dies(void)
{
    if (rank == victim && !delay && epoch == AMID)
        raise(SIGKILL);
    return false;
}

/* Whether this call has told of the victim. Any other error fails the test, but in the victim's own job, which ends. */
static bool told(int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, length;

    if (!error)
        return false;
    MPI_Error_class(error, &class);
    if (class == MPI_ERR_PROC_ABORTED || (is_making && class == MPI_ERR_OTHER))
        return true;
    if (is_child)
        pause();
    MPI_Error_string(error, text, &length);
    fprintf(stderr, "rank %d, epoch %d: %s\n", rank, epoch, text);
    MPI_Abort(MPI_COMM_WORLD, 3);
    return true;
}

static int next(void)
{
    return (rank + 1) % size;
}

static bool put(int count, int to)
{
    return told(MPI_Put(data, count, MPI_DOUBLE, to, 0, count, MPI_DOUBLE, win));
}

/* Each deed is true when a call in it has told. */
static bool fence(void)
{
    if (put(1, next()) || dies() || told(MPI_Win_fence(0, win)))
        return true;
    if (epoch == AMID && !delay) {
        fprintf(stderr, "rank %d: a fence that the victim never came to ended well\n", rank);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    return false;
}

/* From each rank to the next. */
static bool pscw(void)
{
    return told(MPI_Win_post(before, 0, win)) || told(MPI_Win_start(after, 0, win)) || put(LONG, next()) ||
           dies() || told(MPI_Win_complete(win)) || told(MPI_Win_wait(win));
}

/* The victim does not post. The others wait for it in an access or in MPI_Win_complete, or for who does. */
static bool start(void)
{
    return dies() || told(MPI_Win_post(before, 0, win)) || told(MPI_Win_start(after, 0, win)) ||
           (rank % 2 && put(1, next())) || told(MPI_Win_complete(win)) || told(MPI_Win_wait(win));
}

static bool test(void)
{
    int flag = 0;
    bool is_told = told(MPI_Win_post(before, 0, win)) || told(MPI_Win_start(after, 0, win)) ||
                   put(1, next()) || dies() || told(MPI_Win_complete(win));

    while (!is_told && !flag)
        is_told = told(MPI_Win_test(win, &flag));
    return is_told;
}

static bool lock(void)
{
    int home = epoch == AMID ? 0 : epoch % size;

    return told(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, home, 0, win)) || put(1, home) || dies() ||
           told(MPI_Win_unlock(home, win));
}

/* The victim shares what others want alone. */
static bool share(void)
{
    int type = rank == victim ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;

    return told(MPI_Win_lock(type, 0, 0, win)) ||
           told(MPI_Get(data, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, win)) || dies() ||
           told(MPI_Win_unlock(0, win));
}

static bool lock_all(void)
{
    if (rank != victim && epoch % 2)
        return lock();
    return told(MPI_Win_lock_all(0, win)) || put(1, next()) || told(MPI_Win_flush_all(win)) || dies() ||
           told(MPI_Win_unlock_all(win));
}

/* Those that follow are in one epoch of MPI_Win_lock_all. */
static bool flush(void)
{
    bool is_told = false;

    for (int r = 0; r < size && !is_told; r++)
        is_told = put(LONG, r);
    dies();
    for (int r = 0; r < size && !is_told; r++)
        is_told = told(MPI_Win_flush(r, win));
    return is_told;
}

static bool request(void)
{
    MPI_Request requests[2];
    int to = epoch % size;

    return told(MPI_Rput(data, LONG, MPI_DOUBLE, to, 0, LONG, MPI_DOUBLE, win, &requests[0])) ||
           told(MPI_Rget(data + LONG, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, win, &requests[1])) || dies() ||
           told(MPI_Wait(&requests[0], MPI_STATUS_IGNORE)) || told(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
}

static bool combine(int count, int to)
{
    return told(MPI_Accumulate(data, count, MPI_DOUBLE, to, 0, count, MPI_DOUBLE, MPI_SUM, win));
}

/* Nearly always somebody combines. */
static bool accumulate(void)
{
    return combine(LONG, 0) || combine(LONG, 0) || dies() || combine(LONG, 0) ||
           told(MPI_Get_accumulate(data, 1, MPI_DOUBLE, data + LONG, 1, MPI_DOUBLE, next(), 0, 1, MPI_DOUBLE,
                                   MPI_SUM, win)) ||
           told(MPI_Win_flush_all(win));
}

static bool fetch(void)
{
    int64_t one = 1, was = 0;

    return told(MPI_Fetch_and_op(&one, &was, MPI_INT64_T, epoch % size, 0, MPI_SUM, win)) || dies() ||
           told(MPI_Win_flush(epoch % size, win)) ||
           told(MPI_Compare_and_swap(&was, &one, data + LONG, MPI_INT64_T, next(), 1, win)) ||
           told(MPI_Win_flush_all(win));
}

/* Memory of a dynamic window comes and goes while others use the rest. */
static bool attach(void)
{
    return told(MPI_Win_attach(win, data, 4096)) || told(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next(), 0, win)) ||
           told(MPI_Put(data, 512, MPI_DOUBLE, next(), places[next()], 512, MPI_DOUBLE, win)) || dies() ||
           told(MPI_Accumulate(data, 9, MPI_DOUBLE, next(), places[next()], 9, MPI_DOUBLE, MPI_SUM, win)) ||
           told(MPI_Win_unlock(next(), win)) || told(MPI_Win_detach(win, data));
}

/* The victim does nothing but change what is attached, so it mostly dies while it writes its table. */
static bool change(void)
{
    static double more[64][8];

    for (int i = 0; i < 57 && epoch == 0 && rank == victim; i++)
        MPI_Win_attach(win, more[i], sizeof more[i]);
    while (rank == victim && !told(MPI_Win_attach(win, data, 4096)) && !told(MPI_Win_detach(win, data)))
        ;
    return told(MPI_Win_lock(MPI_LOCK_SHARED, victim, 0, win)) ||
           told(MPI_Put(data, 1, MPI_DOUBLE, victim, places[victim], 1, MPI_DOUBLE, win)) ||
           told(MPI_Win_unlock(victim, win));
}

/* Windows come and go. */
static bool make(void)
{
    MPI_Win other;
    void *at;

    is_making = true;
    return told(MPI_Win_allocate(8 * (rank + 1), 8, MPI_INFO_NULL, comm, &at, &other)) ||
           told(MPI_Win_set_errhandler(other, MPI_ERRORS_RETURN)) || dies() || told(MPI_Win_free(&other));
}

static const struct deed {
    const char *name;
    bool (*run)(void);
    bool is_locked; /* in an epoch of MPI_Win_lock_all */
} deeds[] = {{"fence", fence, false},       {"pscw", pscw, false},
             {"start", start, false},       {"test", test, false},
             {"lock", lock, false},         {"share", share, false},
             {"lock_all", lock_all, false}, {"flush", flush, true},
             {"request", request, true},    {"accumulate", accumulate, true},
             {"fetch", fetch, true},        {"attach", attach, false},
             {"change", change, false},     {"make", make, false}};

static bool open_dynamic(void)
{
    MPI_Aint mine;

    base = malloc(4096);
    MPI_Get_address(base, &mine);
    return told(MPI_Win_create_dynamic(hints, comm, &win)) || told(MPI_Win_attach(win, base, 4096)) ||
           told(MPI_Allgather(&mine, 1, MPI_AINT, places, 1, MPI_AINT, comm));
}

static void make_groups(void)
{
    int to = next(), from = (rank + size - 1) % size;
    MPI_Group all;

    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &to, &after);
    MPI_Group_incl(all, 1, &from, &before);
    MPI_Group_free(&all);
}

static bool open_window(const struct deed *deed)
{
    bool is_told;

    if (deed->run == attach || deed->run == change) {
        is_told = open_dynamic();
    } else if (getenv("CREATED")) {
        base = calloc(LONG, sizeof *base);
        is_told = told(MPI_Win_create(base, LONG * sizeof *base, sizeof *base, hints, comm, &win));
    } else {
        is_told = told(MPI_Win_allocate(LONG * sizeof *base, sizeof *base, hints, comm, &base, &win));
    }
    if (is_told)
        return true;
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    make_groups();
    return (deed->run == fence && told(MPI_Win_fence(0, win))) ||
           (deed->is_locked && told(MPI_Win_lock_all(0, win)));
}

static void run(const struct deed *deed)
{
    struct itimerval timer = {.it_value = {delay / 1000000, delay % 1000000}};
    bool is_told = open_window(deed);
    int flag;

    if (rank == victim && delay)
        setitimer(ITIMER_REAL, &timer, NULL);
    is_told = is_told || told(MPI_Irecv(NULL, 0, MPI_BYTE, victim, 0, comm, &watch));
    for (epoch = 0; !is_told; epoch++)
        is_told = deed->run() || told(MPI_Test(&watch, &flag, MPI_STATUS_IGNORE));
    if (deed->is_locked && win != MPI_WIN_NULL) /* the victim may die before all have the window */
        told(MPI_Win_unlock_all(win));
}

static void on_alarm(int number)
{
    (void)number;
    raise(SIGKILL);
}

/* The processes of the window, and the victim among them. */
static void gather(char **argv)
{
    const char *children = getenv("CHILDREN");
    MPI_Comm inter;

    MPI_Comm_get_parent(&inter);
    is_child = inter != MPI_COMM_NULL;
    if (!children) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    } else {
        if (!is_child)
            MPI_Comm_spawn(argv[0], argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                           MPI_ERRCODES_IGNORE);
        MPI_Intercomm_merge(inter, is_child == (strcmp(children, "last") == 0), &comm);
    }
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    victim = children && strcmp(children, "first") == 0 ? 0 : size - 1;
}

int main(int argc, char **argv)
{
    const struct deed *deed = deeds;

    MPI_Init(&argc, &argv);
    signal(SIGALRM, on_alarm);
    delay = argc > 2 && strcmp(argv[2], "amid") != 0 ? atol(argv[2]) : 0;
    while (argc > 1 && strcmp(deed->name, argv[1]) != 0)
        deed++;
    MPI_Info_create(&hints);
    for (int i = 3; i < argc; i++) {
        char *equals = strchr(argv[i], '=');

        *equals = '\0';
        MPI_Info_set(hints, argv[i], equals + 1);
        *equals = '=';
    }
    gather(argv);
    data = calloc(2 * LONG, sizeof *data);
    run(deed);
    MPI_Barrier(MPI_COMM_WORLD); /* who has been told serves who has not */
    MPI_Finalize();
    return 0;
}
