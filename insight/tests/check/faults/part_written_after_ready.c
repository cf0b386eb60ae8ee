/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int x[4] = {0};
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Psend_init(x, 4, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* FAULT */
        MPI_Start(&request);
        for (int i = 0; i < 4; i++) {
            MPI_Pready(i, request);
            x[i] = 7;
        }
    } else {
        MPI_Precv_init(x, 4, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
