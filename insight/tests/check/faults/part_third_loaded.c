/* ranks: 2  fault: buffer  needs: watchpoints */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x[12] = {0}, sum = 0;

    begin();
    if (rank == 0) {
        MPI_Psend_init(x, 6, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 5, request);
    } else {
        MPI_Precv_init(x, 6, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        sum += x[7]; /* FAULT */
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
