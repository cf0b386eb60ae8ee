/* ranks: 2  fault: deadlock */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Message message;
    MPI_Status status;

    begin();
    MPI_Mprobe(1 - rank, 0, MPI_COMM_WORLD, &message, &status); /* FAULT */
    MPI_Mrecv(&x, 1, MPI_INT, &message, &status);
    MPI_Send(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
