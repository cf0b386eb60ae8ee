/* ranks: 2  fault: buffer  needs: watchpoints */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x[12] = {0};

    begin();
    if (rank == 0) {
        MPI_Psend_init(x, 6, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int i = 0; i < 6; i++) {
            x[2 * i] = i;
            MPI_Pready(i, request);
            if (i == 4)
                x[9] = 1; /* FAULT */
        }
    } else {
        MPI_Precv_init(x, 6, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
