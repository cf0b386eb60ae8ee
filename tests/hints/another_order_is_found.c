/* ranks: 2 3 5  also: INKLING_CMA=false */
/* Persistent collectives that are started in another order than mpi_assert_strict_persistent_collective_ordering
 * promises, and reductions with another operation than the other ranks', are errors on all ranks. None gives the
 * result of something else. Starts in one order go on. Large vectors are no exception where ranks copy between each
 * other's buffers; where they cannot, and send messages, the order of the others still counts. */
#include "hints.h"

enum {
    COUNT = 3,
    LONG = 100 * 1000 /* more than mailboxes hold */
};

static int rank, size;
static int in[2][COUNT], out[2][COUNT];

/* kinds: of all buffers; NULL: nothing is asserted. */
static MPI_Comm ordered(const char *kinds)
{
    MPI_Comm comm;
    MPI_Info info = info_with(STRICT, "true");

    if (kinds)
        CHECK_EQ(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", kinds), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_HINT(comm, STRICT, "true");
    CHECK_EQ(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), MPI_SUCCESS);
    return comm;
}

static void start_two(MPI_Request *request, int first)
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < COUNT; k++)
            in[i][k] = rank + 10 * i + 1;
    CHECK_EQ(MPI_Start(&request[first]), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&request[1 - first]), MPI_SUCCESS);
}

/* Two are errors on all ranks, and for each a rank names the broken promise. */
static void wait_for_refusals(MPI_Request *request)
{
    for (int i = 0; i < 2; i++) {
        int error = MPI_Wait(&request[i], MPI_STATUS_IGNORE), named, length;
        char text[MPI_MAX_ERROR_STRING];

        CHECK_EQ(class_of(error), MPI_ERR_OTHER);
        CHECK_EQ(MPI_Error_string(error, text, &length), MPI_SUCCESS);
        named = strstr(text, STRICT) != NULL;
        CHECK_EQ(MPI_Allreduce(MPI_IN_PLACE, &named, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK(named);
    }
}

/* Started alike the two are right: what the results are is for the caller to check. */
static void start_alike(MPI_Request *request)
{
    start_two(request, 1);
    CHECK_EQ(MPI_Waitall(2, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

/* Started in another order on the last rank, both are errors. */
static void check_order(MPI_Comm comm, MPI_Request *request)
{
    start_two(request, rank == size - 1);
    wait_for_refusals(request);
    CHECK_EQ(MPI_Request_free(&request[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&request[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

/* What each item of the i-th is then. */
static int reduced(MPI_Op op, int i)
{
    return op == MPI_MAX ? size + 10 * i : size * (size - 1) / 2 + size * (10 * i + 1);
}

static void check_allreduce(MPI_Op first, MPI_Op second)
{
    MPI_Comm comm = ordered(NULL);
    MPI_Request request[2];

    CHECK_EQ(MPI_Allreduce_init(in[0], out[0], COUNT, MPI_INT, first, comm, MPI_INFO_NULL, &request[0]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce_init(in[1], out[1], COUNT, MPI_INT, second, comm, MPI_INFO_NULL, &request[1]),
             MPI_SUCCESS);
    start_alike(request);
    for (int k = 0; k < COUNT; k++) {
        CHECK_EQ(out[0][k], reduced(first, 0));
        CHECK_EQ(out[1][k], reduced(second, 1));
    }
    check_order(comm, request);
}

static void check_allgather(void)
{
    static int all[2][COUNT * 8];
    MPI_Comm comm = ordered(NULL);
    MPI_Request request[2];

    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Allgather_init(in[i], COUNT, MPI_INT, all[i], COUNT, MPI_INT, comm, MPI_INFO_NULL,
                                    &request[i]),
                 MPI_SUCCESS);
    start_alike(request);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < COUNT * size; k++)
            CHECK_EQ(all[i][k], k / COUNT + 10 * i + 1);
    check_order(comm, request);
}

static int *new_vector(void)
{
    int *vector;

    CHECK_EQ(MPI_Alloc_mem(LONG * sizeof *vector, MPI_INFO_NULL, &vector), MPI_SUCCESS);
    for (int k = 0; k < LONG; k++)
        vector[k] = rank + k;
    return vector;
}

static void sum_init(int *from, int *to, int count, MPI_Comm comm, MPI_Request *request)
{
    CHECK_EQ(MPI_Allreduce_init(from, to, count, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, request),
             MPI_SUCCESS);
}

/* Buffers that all ranks map: these are copied from and to whatever the system permits. */
static void check_single_copy(void)
{
    MPI_Comm comm = ordered("mpi");
    MPI_Request request[2];
    int *from = new_vector(), *to[2] = {new_vector(), new_vector()};

    for (int i = 0; i < 2; i++)
        sum_init(from, to[i], LONG, comm, &request[i]);
    start_alike(request);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < LONG; k++)
            CHECK_EQ(to[i][k], size * k + size * (size - 1) / 2);
    check_order(comm, request);
    CHECK_EQ(MPI_Free_mem(from), MPI_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Free_mem(to[i]), MPI_SUCCESS);
}

static void start_three(MPI_Request *request, int first)
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < COUNT; k++)
            in[i][k] = rank + 10 * i + 1;
    CHECK_EQ(MPI_Start(&request[first]), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&request[2]), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&request[1 - first]), MPI_SUCCESS);
}

/* A long one that is made and started between two short ones. */
static void check_long_between(void)
{
    MPI_Comm comm = ordered(NULL);
    MPI_Request request[3];
    int *from = new_vector(), *to = new_vector(), ranks = size * (size - 1) / 2;

    sum_init(in[0], out[0], COUNT, comm, &request[0]);
    sum_init(from, to, LONG, comm, &request[2]);
    sum_init(in[1], out[1], COUNT, comm, &request[1]);
    start_three(request, 0);
    CHECK_EQ(MPI_Waitall(3, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(out[i][COUNT - 1], ranks + size * (10 * i + 1));
    CHECK_EQ(to[LONG - 1], ranks + size * (LONG - 1));
    start_three(request, rank == size - 1);
    wait_for_refusals(request);
    CHECK_EQ(MPI_Wait(&request[2], MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(MPI_Request_free(&request[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Free_mem(from), MPI_SUCCESS);
    CHECK_EQ(MPI_Free_mem(to), MPI_SUCCESS);
}

/* Without the promise: another operation on the last rank. */
static void check_operation(void)
{
    MPI_Comm comm;
    int sum;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), MPI_SUCCESS);
    for (int i = 0; i < 8; i++) /* some before the communicator has shared memory */
        CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, rank == size - 1 ? MPI_MAX : MPI_SUM, comm) != MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK_EQ(sum, size * (size - 1) / 2);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    check_allreduce(MPI_SUM, MPI_MAX);
    check_allreduce(MPI_SUM, MPI_SUM);
    check_allgather();
    check_single_copy();
    check_long_between();
    check_operation();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
