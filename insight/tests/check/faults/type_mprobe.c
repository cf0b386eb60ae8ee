/* ranks: 2  fault: type-mismatch */
#include "program.h"

int main(void)
{
    float x = 0;
    MPI_Message message;

    begin();
    if (rank == 0) {
        MPI_Send(&x, 1, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
    } else {
        int y;

        MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&y, 1, MPI_INT, &message, MPI_STATUS_IGNORE); /* FAULT */
    }
    MPI_Finalize();
    return 0;
}
