/* What bench/fortran.f90 measures its own calls against: the same round trips, made by C. */
#include <mpi.h>

void trips_of_c(void *buffer, int bytes, int trips);

void trips_of_c(void *buffer, int bytes, int trips)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < trips; i++) {
        if (rank == 0)
            MPI_Send(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(buffer, bytes, MPI_CHAR, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
}
