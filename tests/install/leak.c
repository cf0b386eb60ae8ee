/* leak: rank 1 never frees a datatype. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Datatype type;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
