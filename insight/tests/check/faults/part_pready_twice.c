/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    int x[8] = {0};
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Psend_init(x, 4, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int i = 0; i < 3; i++)
            MPI_Pready(i, request);
        MPI_Pready(2, request); /* FAULT */
        MPI_Pready(3, request);
    } else {
        MPI_Precv_init(x, 4, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
