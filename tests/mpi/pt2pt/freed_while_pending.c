/* ranks: 1 2 4 */
/* The program frees a datatype or communicator that operations still use; a function of its own that these
 * call gets a handle that works, and that cannot be freed a second time. */
#include "check.h"

static int calls, is_freed;

static void look_at(MPI_Datatype type)
{
    MPI_Aint lb, extent;
    MPI_Datatype copy = type, again;
    int size;

    calls++;
    CHECK_EQ(MPI_Type_get_extent(type, &lb, &extent), MPI_SUCCESS);
    CHECK(lb == 0 && extent == 8);
    CHECK_EQ(MPI_Type_size(type, &size), MPI_SUCCESS);
    CHECK_EQ(size, 8);
    CHECK_EQ(MPI_Type_dup(type, &again), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&again), MPI_SUCCESS);
    if (is_freed)
        CHECK_EQ(MPI_Type_free(&copy), MPI_ERR_TYPE);
}

static void add(int *in, int *inout, MPI_Count n)
{
    for (MPI_Count i = 0; i < 2 * n; i++)
        inout[i] += in[i];
}

static void add_narrow(void *in, void *inout, int *n, MPI_Datatype *type)
{
    look_at(*type);
    add(in, inout, *n);
}

static void add_large(void *in, void *inout, MPI_Count *n, MPI_Datatype *type)
{
    look_at(*type);
    add(in, inout, *n);
}

static void free_both(MPI_Datatype *type, MPI_Op *op)
{
    CHECK_EQ(MPI_Type_free(type), MPI_SUCCESS);
    CHECK_EQ(MPI_Op_free(op), MPI_SUCCESS);
    is_freed = 1;
}

static void check_sums(const int *out, int ranks)
{
    CHECK(out[0] == ranks && out[1] == 2 * ranks && out[2] == 3 * ranks);
    CHECK_EQ(out[3], ranks * (ranks - 1) / 2);
    MPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(calls > 0 || ranks == 1);
    calls = 0;
}

static void reduction(int ranks, int rank, int large, int commutes)
{
    int in[4] = {1, 2, 3, rank}, out[4];
    MPI_Request once, again;
    MPI_Datatype type;
    MPI_Op op;

    is_freed = 0;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (large)
        MPI_Op_create_c(add_large, commutes, &op);
    else
        MPI_Op_create(add_narrow, commutes, &op);
    CHECK_EQ(MPI_Allreduce_init(in, out, 2, type, op, MPI_COMM_WORLD, MPI_INFO_NULL, &again), MPI_SUCCESS);
    CHECK_EQ(MPI_Iallreduce(in, out, 2, type, op, MPI_COMM_WORLD, &once), MPI_SUCCESS);
    free_both(&type, &op);
    CHECK_EQ(MPI_Wait(&once, MPI_STATUS_IGNORE), MPI_SUCCESS);
    check_sums(out, ranks);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(MPI_Start(&again), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&again, MPI_STATUS_IGNORE), MPI_SUCCESS);
        check_sums(out, ranks);
    }
    CHECK_EQ(MPI_Request_free(&again), MPI_SUCCESS);
}

static int heard, heard_rank;

static void hear(MPI_Comm *comm, int *code, ...)
{
    MPI_Comm copy = *comm;
    int size;

    CHECK_EQ(*code, MPI_ERR_TRUNCATE);
    CHECK_EQ(MPI_Comm_rank(*comm, &heard_rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(*comm, &size), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&copy), MPI_ERR_COMM);
    CHECK_EQ(MPI_Comm_disconnect(&copy), MPI_ERR_COMM);
    heard++;
}

static void error_handler(int rank)
{
    MPI_Errhandler handler;
    MPI_Request request;
    MPI_Comm comm, freed;
    int got, sent[2] = {1, 2};

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    MPI_Irecv(&got, 1, MPI_INT, rank, 0, comm, &request);
    MPI_Send(sent, 2, MPI_INT, rank, 0, comm);
    freed = comm;
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    heard_rank = -1;
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    CHECK_EQ(heard, 1);
    CHECK_EQ(heard_rank, rank);
    CHECK_EQ(MPI_Comm_rank(freed, &heard_rank), MPI_ERR_COMM);
}

int main(int argc, char **argv)
{
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int kind = 0; kind < 4; kind++)
        reduction(ranks, rank, kind & 1, kind >> 1);
    error_handler(rank);
    MPI_Finalize();
    return 0;
}
