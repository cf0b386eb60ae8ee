/* ranks: 2  fault: buffer  says: which is not complete */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x[2] = {0}, y[2], z = 0, counts[2] = {1, 1}, displs[2] = {0, 1};

    begin();
    MPI_Ialltoallv(x, counts, displs, MPI_INT, y, counts, displs, MPI_INT, MPI_COMM_WORLD, &request);
    if (rank == 0)
        MPI_Recv(&y[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    else
        MPI_Send(&z, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
