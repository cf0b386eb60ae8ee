/* ranks: 4  timeout: 60  not: address  not: thread */
/* Each allocation of one rank fails once in calls that exchange something before they make a communicator. The call fails
 * on all ranks or on none, and nobody waits for ever. */
#include "mpi/failing_memory.h"

static int rank, size, next, last, one = 1;

static int adjacent(MPI_Comm *made)
{
    return MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, &one, 1, &next, &one, MPI_INFO_NULL, 1,
                                          made);
}

static int general(MPI_Comm *made)
{
    return MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &next, &one, MPI_INFO_NULL, 1, made);
}

static int graph(MPI_Comm *made)
{
    return MPI_Graph_create(MPI_COMM_WORLD, 4, (int[]){1, 2, 3, 4}, (int[]){1, 2, 3, 0}, 1, made);
}

static int grid(MPI_Comm *made)
{
    return MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){1, 0}, 1, made);
}

static int shared(MPI_Comm *made)
{
    return MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, made);
}

/* False: the call had fewer allocations than n. */
static int try_with(int (*call)(MPI_Comm *), int victim, long n)
{
    MPI_Comm made = MPI_COMM_NULL;
    int code, failed[2], is_over;

    until_failure = rank == victim ? n : 0;
    code = TRY(call(&made));
    is_over = rank == victim && until_failure > 0;
    until_failure = 0;
    failed[0] = code != MPI_SUCCESS;
    failed[1] = code == MPI_SUCCESS;
    CHECK_EQ(MPI_Allreduce(MPI_IN_PLACE, failed, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK(failed[0] == 0 || failed[1] == 0);
    if (made != MPI_COMM_NULL)
        CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
    CHECK_EQ(MPI_Bcast(&is_over, 1, MPI_INT, victim, MPI_COMM_WORLD), MPI_SUCCESS);
    return !is_over;
}

int main(int argc, char **argv)
{
    int (*const calls[])(MPI_Comm *) = {adjacent, general, graph, grid, shared};

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    last = (rank + size - 1) % size;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (int victim = 1; victim < size; victim += 2) {
            try_with(calls[i], victim, 1000); /* what stays is allocated */
            for (long n = 1; try_with(calls[i], victim, n); n++)
                ;
        }
    MPI_Finalize();
    return 0;
}
