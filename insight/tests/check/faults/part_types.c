/* ranks: 2  fault: type-mismatch */
#include "program.h"

int main(void)
{
    double x[8] = {0};
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Psend_init(x, 4, 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 3, request);
    } else {
        MPI_Precv_init(x, 4, 2, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* FAULT */
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
