// held: both ranks hold a line in std::cout, alone, when rank 1 ends the job.
#include <iostream>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::ios::sync_with_stdio(false);
    if (rank == 0)
        std::cout << "held by 0\n";
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        std::cout << "held by 1\n";
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
