/* ranks: 2  fault: buffer  needs: guards */
#include "program.h"

int main(void)
{
    MPI_Request request;
    double x[8] = {0}, least = 0;

    begin();
    if (rank == 0) {
        MPI_Send(x, 8, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv_init(x, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        if (x[5] < least) /* FAULT */
            least = 1;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
