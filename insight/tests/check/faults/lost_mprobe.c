/* ranks: 2  fault: lost-message  says: a message of MPI_Mprobe was never received */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Message message;

    begin();
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
