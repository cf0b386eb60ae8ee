/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[2] = {0}, y = 0;
    MPI_Request request[2];

    begin();
    for (int i = 0; i < 2; i++)
        MPI_Send_init(&x[i], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[i]);
    for (int step = 0; step < 1; step++) { /* by turns, but there is one step only */
        MPI_Wait(&request[step % 2], MPI_STATUS_IGNORE);
        x[step % 2] = step;
        MPI_Start(&request[step % 2]);
        MPI_Recv(&y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
        MPI_Request_free(&request[i]);
    }
    MPI_Finalize();
    return 0;
}
