/* ranks: 1 2 4 */
/* Hints in the info of MPI_Dist_graph_create and MPI_Dist_graph_create_adjacent belong to the new
 * communicator, and where all must agree they are agreed; grids and graphs start from the defaults, whatever
 * their parent has. */
#include "hints.h"

static int size, rank;

static MPI_Comm adjacent(MPI_Comm from, MPI_Info info)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Comm graph;

    CHECK_EQ(MPI_Dist_graph_create_adjacent(from, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                            info, 0, &graph),
             MPI_SUCCESS);
    return graph;
}

static MPI_Comm general(MPI_Comm from, MPI_Info info)
{
    int next = (rank + 1) % size, one = 1;
    MPI_Comm graph;

    CHECK_EQ(MPI_Dist_graph_create(from, 1, &rank, &one, &next, MPI_UNWEIGHTED, info, 1, &graph),
             MPI_SUCCESS);
    return graph;
}

static void check_made(MPI_Comm (*make)(MPI_Comm from, MPI_Info info), MPI_Comm parent)
{
    MPI_Info info = info_with(NO_ANY_TAG, "true"), strict;
    MPI_Comm a = make(parent, info), b = make(parent, MPI_INFO_NULL);

    CHECK_HINT(a, NO_ANY_TAG, "true");
    CHECK_HINT(a, NO_ANY_SOURCE, "false");
    CHECK_HINT(b, NO_ANY_TAG, "false");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&b), MPI_SUCCESS);
    strict = info_with("mpi_assert_strict_persistent_collective_ordering", "true");
    a = make(parent, strict);
    CHECK_HINT(a, "mpi_assert_strict_persistent_collective_ordering", "true");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    a = make(parent, rank == 0 ? strict : info);
    CHECK_HINT(a, "mpi_assert_strict_persistent_collective_ordering", size == 1 ? "true" : "false");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&strict), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int dims[1], periods[1] = {1};
    MPI_Comm parent, a, b;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    parent = dup_with_hint(MPI_COMM_WORLD, NO_ANY_SOURCE, "true");
    check_made(adjacent, parent);
    check_made(general, parent);
    dims[0] = size;
    CHECK_EQ(MPI_Cart_create(parent, 1, dims, periods, 0, &a), MPI_SUCCESS);
    CHECK_HINT(a, NO_ANY_SOURCE, "false");
    set_hint(a, NO_ANY_SOURCE, "true");
    CHECK_EQ(MPI_Cart_sub(a, periods, &b), MPI_SUCCESS);
    CHECK_HINT(b, NO_ANY_SOURCE, "false");
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&b), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&parent), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
