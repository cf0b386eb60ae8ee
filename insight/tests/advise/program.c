/* program [FAULT]: uses a communicator, a window, a file and persistent collectives so that many hints would be true; a FAULT
 * makes one of them false, by one call of one rank. With "given", it gives keys without effect. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TIMES = 20,
    BYTES = 1 << 17
};

static const char *fault;
static int rank, size;

static int has(const char *name)
{
    return strcmp(fault, name) == 0 && rank == 1;
}

static void messages(MPI_Comm comm)
{
    char *memory, *other = calloc(1, BYTES), *out, *in;

    MPI_Alloc_mem(2 * BYTES, MPI_INFO_NULL, &memory);
    memset(memory, 1, 2 * BYTES);
    for (int i = 0; i < TIMES; i++) {
        MPI_Request request[2];
        MPI_Status status;
        int next = (rank + 1) % size, before = (rank + size - 1) % size, flag;

        out = memory;
        in = has("malloc") && i == 3 ? other : memory + BYTES;
        if (has("probe") && i == 3)
            MPI_Iprobe(before, MPI_ANY_TAG, comm, &flag, &status);
        MPI_Irecv(in, BYTES, MPI_BYTE, has("any_source") && i == 3 ? MPI_ANY_SOURCE : before,
                  has("any_tag") && i == 3                   ? MPI_ANY_TAG
                  : strcmp(fault, "repeated") == 0 && i == 4 ? 3
                                                             : i,
                  comm, &request[0]);
        MPI_Isend(out, strcmp(fault, "short") == 0 && rank == 0 && i == 3 ? 1 : BYTES, MPI_BYTE, next,
                  strcmp(fault, "repeated") == 0 && i == 4 ? 3 : i, comm, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Free_mem(memory);
    free(other);
}

/* Rank 0 sends messages of so many bytes into rooms of BYTES that are not of MPI. */
static void rooms(int bytes)
{
    char *room = calloc(1, BYTES), *memory;

    MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &memory);
    for (int i = 0; i < TIMES; i++) {
        MPI_Request request;

        if (rank == 0) {
            MPI_Send(memory, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        } else if (rank == 1 && i % 2) {
            MPI_Recv(room, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Irecv(room, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    MPI_Free_mem(memory);
    free(room);
}

static void persistent(MPI_Comm comm)
{
    int one = 1, sum = 0, all;
    MPI_Request request[2];

    MPI_Comm_size(comm, &all);
    MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request[0]);
    MPI_Barrier_init(comm, MPI_INFO_NULL, &request[1]);
    for (int i = 0; i < TIMES; i++) {
        int first = has("order") && i == 3;

        MPI_Start(&request[first]);
        MPI_Start(&request[!first]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        if (sum != all)
            MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

static void window(void)
{
    MPI_Win win;
    int *base, one = 1, was;
    int unit = has("unit") ? 8 : 4;

    MPI_Win_allocate(has("size") ? 8192 : 4096, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < TIMES; i++)
        MPI_Accumulate(&one, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT,
                       strcmp(fault, "replace") == 0 ? MPI_REPLACE
                       : has("op") && i == 3         ? MPI_MAX
                                                     : MPI_SUM,
                       win);
    if (has("fetch"))
        MPI_Fetch_and_op(&one, &was, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_fence(0, win);
    if (has("lock")) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
}

static void file(const char *path)
{
    MPI_File fh;

    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < TIMES; i++)
        MPI_File_write_at(fh, has("elsewhere") && i == 3 ? 1000 : i * 4, &i, 4, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
}

static void give(MPI_Comm comm)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_sorce", "true");
    MPI_Info_set(info, "mpi_assert_allow_overtaking", "maybe");
    MPI_Info_set(info, "mpi_assert_exact_length", "true");
    MPI_Info_set(info, "mpi_assert_strict_persistent_collective_ordering", "true");
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
}

/* 50 messages wait for their receives. */
static void unexpected(void)
{
    int x = 0;

    for (int i = 0; i < 50 && rank == 0; i++)
        MPI_Send(&x, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 49; i >= 0 && rank == 1; i--)
        MPI_Recv(&x, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 sends to the last one, which is rank 0 of the communicator. */
static void reversed(void)
{
    MPI_Comm comm;
    int x = 0;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    for (int i = 0; i < 5; i++) {
        if (rank == 0)
            MPI_Send(&x, 1, MPI_INT, 0, i, comm);
        if (rank == size - 1)
            MPI_Recv(&x, 1, MPI_INT, size - 1, i, comm, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    char path[256];
    MPI_Comm comm;
    int provided;

    fault = argc > 2 ? argv[2] : "";
    MPI_Init_thread(&argc, &argv, strcmp(fault, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 2 || size < 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (strcmp(fault, "given") == 0) {
        give(comm);
        give(comm);
    }
    messages(comm);
    MPI_Comm_free(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    persistent(comm);
    MPI_Comm_free(&comm);
    window();
    snprintf(path, sizeof path, "%.200s/file%d", argv[1], rank);
    file(path);
    if (strcmp(fault, "unexpected") == 0) {
        unexpected();
        reversed();
    }
    if (strcmp(fault, "rooms") == 0)
        rooms(atoi(argv[3]));
    if (has("pause"))
        usleep(300000);
    if (has("abort"))
        MPI_Abort(MPI_COMM_WORLD, 4);
    if (strcmp(fault, "lines") == 0) { /* two that only the column tells apart */
        MPI_Comm a, b;

        MPI_Comm_dup(MPI_COMM_WORLD, &a), MPI_Comm_dup(MPI_COMM_WORLD, &b);
        messages(a);
        MPI_Comm_free(&a);
        MPI_Comm_free(&b);
    }
    MPI_Finalize();
    return 0;
}
