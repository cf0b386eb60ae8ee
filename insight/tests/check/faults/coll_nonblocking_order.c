/* ranks: 2  fault: collective-mismatch */
#include "program.h"

int main(void)
{
    MPI_Request request[2];
    int x = 1, y = 0;

    begin();
    if (rank == 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request[0]); /* FAULT */
        MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[1]);
    } else {
        MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[1]);
        MPI_Ibarrier(MPI_COMM_WORLD, &request[0]);
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
