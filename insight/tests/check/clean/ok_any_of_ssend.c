/* ranks: 3 */
#include "program.h"

int main(void)
{
    int x[2] = {0}, go = 0;
    MPI_Request request, both[2];

    begin();
    if (rank == 0) {
        MPI_Irecv(&x[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &both[0]); /* of rank 2 */
        MPI_Irecv(&x[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(&go, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Ssend_init(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* it was received */
        MPI_Send(&go, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
