/* ranks: 2  fault: buffer  says: MPI_Reduce_local writes memory that MPI_Isend */
#include "program.h"

int main(void)
{
    int part[4] = {1, 2, 3, 4}, sum[4] = {1, 1, 1, 1};
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Isend(sum, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Reduce_local(part, sum, 4, MPI_INT, MPI_SUM); /* FAULT */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(sum, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
