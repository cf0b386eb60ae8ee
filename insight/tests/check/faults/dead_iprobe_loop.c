/* ranks: 3  fault: deadlock  ends: by --timeout  says: polls with MPI_Iprobe */
#include "program.h"

int main(void)
{
    int x = 0, flag = 0;

    begin();
    if (rank == 0) {
        while (!flag) {
            MPI_Iprobe(1, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); /* FAULT */
            usleep(1000);
        }
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&x, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
