/* ranks: 2  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request); /* FAULT */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
