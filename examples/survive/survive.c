/* A heat equation whose ranks may die: mpiexec --survive -n 4 survive [RANK@STEP ...]
 *
 * A plate of N x N points has a hot edge; each point becomes the mean of its four neighbours. Ranks share the rows. Every CHECKPOINT
 * steps each rank keeps a copy of its rows, and one of those of the rank before it. When ranks die, the living shrink the communicator, take the
 * rows of the dead from these copies, share the rows out anew and go on. RANK@STEP makes a rank kill itself in a step.
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
    CHECKPOINT = 20
};

typedef double row[N];

/* Rows of a rank at a step. */
struct copy {
    int owner; /* in MPI_COMM_WORLD; -1: none */
    int first, count;
    row rows[N];
};

static MPI_Comm comm; /* of the living */
static int me;        /* in MPI_COMM_WORLD */
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

static bool is_member(int world_rank)
{
    MPI_Group world, group;
    int found;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(comm, &group);
    MPI_Group_translate_ranks(world, 1, &world_rank, group, &found);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    return found != MPI_UNDEFINED;
}

static void add_copy(const struct copy *from, row *whole, int *times)
{
    for (int y = 0; y < from->count; y++) {
        memcpy(whole[from->first + y], from->rows[y], sizeof(row));
        times[from->first + y]++;
    }
}

/* Puts the plate together from the copies of the living, and of the dead where a living rank has them. Where rows are lost, all
 * begin again. */
static int restore(int *at)
{
    static row whole[N];
    int times[N] = {0}, all[N], error;
    bool is_whole = true;

    memset(whole, 0, sizeof whole);
    if (copied_step)
        add_copy(&own, whole, times);
    if (copied_step && !is_member(neighbours.owner))
        add_copy(&neighbours, whole, times);
    error = MPI_Allreduce(whole, plate, N * N, MPI_DOUBLE, MPI_SUM, comm);
    if (!error)
        error = MPI_Allreduce(times, all, N, MPI_INT, MPI_SUM, comm);
    for (int y = 0; !error && y < N; y++)
        is_whole = is_whole && all[y] == 1;
    if (!is_done_by_all(error))
        return MPIX_ERR_PROC_FAILED;
    if (!is_whole)
        heat(plate);
    *at = is_whole ? copied_step : 0;
    return MPI_SUCCESS;
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
        share_rows();
    } while (restore(at) != MPI_SUCCESS);
    if (rank == 0)
        printf("%d ranks go on from step %d\n", size, *at);
}

/* Until all steps are done, and copied. */
static void run(char **deaths)
{
    int at = 0;

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

int main(int argc, char **argv)
{
    int bad;

    (void)argc;
    MPI_Init(NULL, NULL);
    comm = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &me);
    own.owner = neighbours.owner = -1;
    heat(plate);
    share_rows();
    run(argv + 1);
    bad = check();
    MPI_Finalize();
    return bad;
}
