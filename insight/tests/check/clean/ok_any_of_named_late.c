/* ranks: 3 */
#include "program.h"

/* One of two named senders is enough: the other waits for the receiver. */
int main(void)
{
    MPI_Request receive[2];
    int x = 0, got[2], first;

    begin();
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&got[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &receive[i]);
        MPI_Waitany(2, receive, &first, MPI_STATUS_IGNORE);
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Waitall(2, receive, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        sleep(3);
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
