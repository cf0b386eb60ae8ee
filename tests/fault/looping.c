/* One collective after the other, in all forms, small ones and large ones, until it is killed. looping HOW
 * RANK: that rank ends so after a while: segv, abort, exit, leave (_exit without MPI_Finalize), kill, mpi
 * (MPI_Abort). looping large: LARGE_ROUNDS large ones, by copies between the ranks' memories; MPI_Abort(9) if one fails. Each
 * rank makes a file "ready.RANK" first. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ROUNDS = 300,
    LARGE_ROUNDS = 200,
    LARGEST = 1 << 16, /* ints: more than goes through shared-memory buffers */
    KEPT = 1000
};

static int rank, size, root;
static int *in, *out; /* LARGEST ints for each rank */
static MPI_Comm ring;
static MPI_Request kept; /* persistent */

static void barrier(int count)
{
    (void)count;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(int count)
{
    MPI_Bcast(in, count, MPI_INT, root, MPI_COMM_WORLD);
}

static void reduce(int count)
{
    MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
}

static void allreduce(int count)
{
    MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce_scatter(int count)
{
    MPI_Reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void alltoall(int count)
{
    MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, MPI_COMM_WORLD);
}

static void nonblocking(int count)
{
    MPI_Request request[3];

    MPI_Iallgather(in, count, MPI_INT, out, count, MPI_INT, MPI_COMM_WORLD, &request[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &request[1]);
    MPI_Iscan(MPI_IN_PLACE, in, count, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request[2]);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
}

static void persistent(int count)
{
    (void)count;
    MPI_Start(&kept);
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
}

static void neighbors(int count)
{
    MPI_Neighbor_allgather(in, count, MPI_INT, out, count, MPI_INT, ring);
}

static void makers(int count)
{
    MPI_Comm comm;

    (void)count;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comm);
    MPI_Comm_free(&comm);
}

static void (*const collectives[])(int) = {barrier,  bcast,       reduce,     allreduce, reduce_scatter,
                                           alltoall, nonblocking, persistent, neighbors, makers};
enum {
    COLLECTIVES = sizeof collectives / sizeof *collectives
};

static void end(const char *how)
{
    if (strcmp(how, "segv") == 0)
        raise(SIGSEGV);
    else if (strcmp(how, "abort") == 0)
        abort();
    else if (strcmp(how, "exit") == 0)
        exit(0);
    else if (strcmp(how, "leave") == 0)
        _exit(7);
    else if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    else if (strcmp(how, "mpi") == 0)
        MPI_Abort(MPI_COMM_WORLD, 9);
}

static void prepare(void)
{
    size_t room = (size_t)(size + 2) * LARGEST; /* two neighbours even of one */

    in = calloc(room, sizeof *in);
    out = calloc(room, sizeof *out);
    if (!in || !out)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){size}, (int[]){1}, 0, &ring);
    MPI_Allreduce_init(in, out, KEPT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &kept);
}

static void only_large(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < LARGE_ROUNDS; i++)
        if (MPI_Allreduce(in, out, (size + 2) * LARGEST, MPI_INT, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 9);
}

int main(int argc, char **argv)
{
    char name[32];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    prepare();
    snprintf(name, sizeof name, "ready.%d", rank);
    close(open(name, O_CREAT | O_WRONLY, 0600));
    if (argc == 2 && strcmp(argv[1], "large") == 0) {
        only_large();
        MPI_Finalize();
        return 0;
    }
    for (long i = 0;; i++) {
        root = (int)(i % size);
        collectives[i % COLLECTIVES](i % 16 == 3 ? LARGEST : 1 << i % 14);
        if (argc > 2 && i == ROUNDS && rank == atoi(argv[2]))
            end(argv[1]);
    }
}
