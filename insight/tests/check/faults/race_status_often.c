/* ranks: 3  fault: message-race  needs: watchpoints */
#include "program.h"

/* One status is watched for as many receives as use it. */
int main(void)
{
    int x[4] = {0}, n;
    MPI_Status st;
    begin();
    if (rank == 0) {
        for (int i = 0; i < 40; i++)
            MPI_Recv(x, 4, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &st);
        MPI_Recv(x, 4, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &st); /* FAULT */
        MPI_Get_count(&st, MPI_INT, &n);
        MPI_Recv(x, 4, MPI_INT, 2, 4, MPI_COMM_WORLD, &st);
    } else {
        for (int i = 0; i < 40 && rank == 1; i++)
            MPI_Send(x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        if (rank == 2)
            usleep(100000);
        MPI_Send(x, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
