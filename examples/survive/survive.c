/* A heat equation whose ranks may die: mpiexec --survive -n 4 survive [replace] [RANK@STEP ...]
 *
 * A plate of N x N points has a hot edge; each point becomes the mean of its four neighbours. Ranks share the rows. Every CHECKPOINT
 * steps each rank keeps a copy of its rows, and one of those of the rank before it. When ranks die, the living shrink the communicator,
 * with `replace` spawn new processes that take the places of the dead, take the rows of the dead from these copies, share the rows out
 * anew and go on. RANK@STEP makes a rank kill itself in a step.
 *
 * The result is the same as without deaths, bit by bit, which each run checks. */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N = 96,
    STEPS = 400,
    CHECKPOINT = 20,
    GO_ON = 7 /* a tag: to a new process, when all the living have it */
};

typedef double row[N];

/* Rows of a rank at a step. */
struct copy {
    int owner; /* its place; -1: none */
    int first, count;
    row rows[N];
};

static MPI_Comm comm; /* of the living */
static int
    me; /* this process's place: the rank in the job that was started, or of the dead process that this one replaces */
static int places;    /* so many ranks were started */
static char *program; /* NULL: the dead are not replaced */
static int rank, size, first, count;
static row plate[N], next[N];       /* of the whole plate, the own rows and one above and below are right */
static struct copy own, neighbours; /* the last copies that all have, */
static struct copy new_own, new_neighbours; /* and those that are being made */
static int copied_step;                     /* of the last ones */

static void heat(row *whole)
{
    memset(whole, 0, sizeof(row) * N);
    for (int x = 0; x < N; x++)
        whole[0][x] = 100;
}

static void compute(row *from, row *to, int begin, int end)
{
    for (int y = begin; y < end; y++)
        for (int x = 0; x < N; x++)
            to[y][x] = y == 0 || y == N - 1 || x == 0 || x == N - 1
                           ? from[y][x]
                           : (from[y - 1][x] + from[y + 1][x] + from[y][x - 1] + from[y][x + 1]) / 4;
}

static void share_rows(void)
{
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    first = N * rank / size;
    count = N * (rank + 1) / size - first;
}

static int above(void)
{
    return rank ? rank - 1 : MPI_PROC_NULL;
}

static int below(void)
{
    return rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
}

/* One step. An error is of a dead neighbour, or of a communicator that another rank has revoked. */
static int step(void)
{
    int error = MPI_Sendrecv(plate[first], N, MPI_DOUBLE, above(), 0, plate[(first + count) % N], N,
                             MPI_DOUBLE, below(), 0, comm, MPI_STATUS_IGNORE);

    if (!error)
        error = MPI_Sendrecv(plate[first + count - 1], N, MPI_DOUBLE, below(), 1, plate[(first + N - 1) % N],
                             N, MPI_DOUBLE, above(), 1, comm, MPI_STATUS_IGNORE);
    if (error)
        return error;
    compute(plate, next, first, first + count);
    memcpy(plate[first], next[first], sizeof(row) * (size_t)count);
    return MPI_SUCCESS;
}

/* Each rank sends its rows to the next one around. */
static int copy_rows(void)
{
    new_own.owner = me;
    new_own.first = first;
    new_own.count = count;
    memcpy(new_own.rows, plate[first], sizeof(row) * (size_t)count);
    return MPI_Sendrecv(&new_own, sizeof new_own, MPI_BYTE, (rank + 1) % size, 2, &new_neighbours,
                        sizeof new_neighbours, MPI_BYTE, (rank + size - 1) % size, 2, comm,
                        MPI_STATUS_IGNORE);
}

/* Whether this has succeeded on all who live: the same on all. Who has failed wakes those who wait for it. */
static bool is_done_by_all(int error)
{
    int flag = !error;

    if (error)
        MPIX_Comm_revoke(comm);
    return MPIX_Comm_agree(comm, &flag) == MPI_SUCCESS && flag;
}

static void add_copy(const struct copy *from, row *whole, int *times)
{
    for (int y = 0; y < from->count; y++) {
        memcpy(whole[from->first + y], from->rows[y], sizeof(row));
        times[from->first + y]++;
    }
}

/* Puts the plate together from the copies of the living, and of the dead where a living rank has them. Where rows are lost, all
 * begin again. Who replaces another knows neither rows nor step. */
static int restore(int *at)
{
    static row whole[N];
    int times[N] = {0}, all[N], owners[places], there[places], step = copied_step, error;
    bool is_whole = true;

    memset(owners, 0, sizeof owners);
    owners[me] = copied_step > 0;
    memset(whole, 0, sizeof whole);
    error = MPI_Allreduce(owners, there, places, MPI_INT, MPI_SUM, comm);
    if (!error && copied_step)
        add_copy(&own, whole, times);
    if (!error && copied_step && !there[neighbours.owner])
        add_copy(&neighbours, whole, times);
    if (!error)
        error = MPI_Allreduce(whole, plate, N * N, MPI_DOUBLE, MPI_SUM, comm);
    if (!error)
        error = MPI_Allreduce(times, all, N, MPI_INT, MPI_SUM, comm);
    if (!error)
        error = MPI_Allreduce(&copied_step, &step, 1, MPI_INT, MPI_MAX, comm);
    for (int y = 0; !error && y < N; y++)
        is_whole = is_whole && all[y] == 1;
    if (!is_done_by_all(error))
        return MPIX_ERR_PROC_FAILED;
    if (!is_whole)
        heat(plate);
    *at = is_whole ? step : 0;
    if (rank == 0)
        printf("%d ranks go on from step %d\n", size, *at);
    return MPI_SUCCESS;
}

/* The places of the dead: how many, and which. */
struct missing {
    int count, place[N];
};

static int find_missing(MPI_Comm living, struct missing *m)
{
    int mine[places], all[places], error;

    memset(mine, 0, sizeof mine);
    mine[me] = 1;
    m->count = 0;
    error = MPI_Allreduce(mine, all, places, MPI_INT, MPI_SUM, living);
    for (int i = 0; !error && i < places; i++)
        if (!all[i])
            m->place[m->count++] = i;
    return error;
}

/* The living and the new processes become one communicator, in which each has the rank of its place. */
static int join(MPI_Comm between, bool is_new, struct missing *m, MPI_Comm *whole)
{
    MPI_Comm both;
    int now, error = MPI_Intercomm_merge(between, is_new, &both);

    if (error)
        return error;
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    MPI_Comm_rank(both, &now);
    error = MPI_Bcast(m, sizeof *m, MPI_BYTE, 0, both);
    if (!error && is_new)
        me = m->place[now - (places - m->count)];
    if (!error)
        error = MPI_Comm_split(both, 0, me, whole);
    if (error)
        MPIX_Comm_revoke(both); /* others may wait there */
    MPI_Comm_free(&both);
    return error;
}

/* Adds a new process for each of the dead. Unless this succeeds everywhere the living stay alone. */
static void replace_dead(void)
{
    char count[16], *words[] = {"instead", count, NULL};
    MPI_Comm between = MPI_COMM_NULL, whole = MPI_COMM_NULL;
    struct missing m;
    int error = find_missing(comm, &m);

    snprintf(count, sizeof count, "%d", places);
    if (!is_done_by_all(error) || m.count == 0)
        return;
    error = MPI_Comm_spawn(program, words, m.count, MPI_INFO_NULL, 0, comm, &between, MPI_ERRCODES_IGNORE);
    if (!error) {
        MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
        error = join(between, false, &m, &whole);
    }
    if (is_done_by_all(error)) {
        MPI_Comm_free(&comm);
        comm = whole;
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        for (int i = 0; i < m.count; i++)
            MPI_Send(&places, 1, MPI_INT, m.place[i], GO_ON, comm);
    } else if (whole != MPI_COMM_NULL) {
        MPIX_Comm_revoke(whole); /* the new processes end */
        MPI_Comm_free(&whole);
    }
    if (between != MPI_COMM_NULL)
        MPI_Comm_free(&between);
}

/* Until none dies meanwhile. */
static void recover(int *at)
{
    do {
        MPI_Comm living;

        if (MPIX_Comm_shrink(comm, &living) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 1);
        if (comm != MPI_COMM_WORLD)
            MPI_Comm_free(&comm);
        comm = living;
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        if (program)
            replace_dead();
        share_rows();
    } while (restore(at) != MPI_SUCCESS);
}

/* Until all steps are done, and copied. */
static void run(char **deaths, int at)
{
    while (at < STEPS) {
        int error = step();

        for (char **death = deaths; *death; death++) {
            int who = -1, when = -1;

            if (sscanf(*death, "%d@%d", &who, &when) == 2 && who == me && when == at)
                raise(SIGKILL);
        }
        at++;
        if (!error && at % CHECKPOINT)
            continue;
        if (!is_done_by_all(error ? error : copy_rows())) {
            recover(&at);
        } else {
            own = new_own;
            neighbours = new_neighbours;
            copied_step = at;
        }
    }
}

static void print_picture(row *whole)
{
    static const char shades[] = " .:-=+*#%@";

    for (int y = 0; y < N; y += N / 16) {
        for (int x = 0; x < N; x += N / 48)
            putchar(shades[(int)(whole[y][x] / 100 * 9 + 0.5)]);
        putchar('\n');
    }
}

/* All rows on rank 0, compared with those of a run without deaths. */
static int check(void)
{
    static row whole[N], alone[2][N];
    int bad;

    memset(whole, 0, sizeof whole);
    memcpy(whole[first], plate[first], sizeof(row) * (size_t)count);
    if (MPI_Allreduce(MPI_IN_PLACE, whole, N * N, MPI_DOUBLE, MPI_SUM, comm) != MPI_SUCCESS)
        return 1;
    heat(alone[0]);
    for (int i = 0; i < STEPS; i++)
        compute(alone[i % 2], alone[(i + 1) % 2], 0, N);
    bad = memcmp(whole, alone[STEPS % 2], sizeof whole) != 0;
    if (rank == 0) {
        print_picture(whole);
        printf("%s a run without deaths\n", bad ? "NOT the same as" : "the same as");
    }
    return bad;
}

/* Whether one of the processes that started this one lives. */
static bool has_parents(const struct missing *m)
{
    MPI_Group all, failed;
    int count, place, dead = 0;

    MPI_Comm_group(comm, &all);
    MPIX_Comm_get_failed(comm, &failed);
    MPI_Group_size(failed, &count);
    for (int i = 0; i < count; i++) {
        bool is_new = false;

        MPI_Group_translate_ranks(failed, 1, &i, all, &place);
        for (int j = 0; j < m->count; j++)
            is_new = is_new || m->place[j] == place;
        dead += !is_new;
    }
    MPI_Group_free(&all);
    MPI_Group_free(&failed);
    return dead < places - m->count;
}

/* Any of the living says that all go on with this process; else they revoke the communicator. */
static bool is_wanted(const struct missing *m)
{
    int there, class, acked;

    do {
        int error = MPI_Recv(&there, 1, MPI_INT, MPI_ANY_SOURCE, GO_ON, comm, MPI_STATUS_IGNORE);

        MPI_Error_class(error, &class);
        if (class != MPI_SUCCESS && class != MPIX_ERR_REVOKED)
            MPIX_Comm_ack_failed(comm, places, &acked);
    } while (class != MPI_SUCCESS && class != MPIX_ERR_REVOKED && has_parents(m));
    return class == MPI_SUCCESS;
}

/* A new process joins those who started it, at the step where they go on. False: they go on without it. */
static bool join_parents(MPI_Comm parent, int *at)
{
    struct missing m = {0};
    int error;

    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    error = join(parent, true, &m, &comm);
    MPI_Comm_free(&parent);
    if (error)
        return false;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (!is_wanted(&m))
        return false;
    share_rows();
    if (restore(at) != MPI_SUCCESS)
        recover(at);
    return true;
}

int main(int argc, char **argv)
{
    char **deaths = argv + 1;
    MPI_Comm parent;
    int bad, at = 0;

    MPI_Init(NULL, NULL);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    comm = MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &places);
    own.owner = neighbours.owner = -1;
    heat(plate);
    share_rows();
    if (argc > 1 && strcmp(argv[1], "replace") == 0)
        program = argv[0];
    if (parent != MPI_COMM_NULL) {
        program = argv[0];
        places = atoi(argv[2]);
        deaths = argv + argc;
        if (!join_parents(parent, &at)) {
            MPI_Finalize();
            return 0;
        }
    }
    run(deaths, at);
    bad = check();
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return bad;
}
