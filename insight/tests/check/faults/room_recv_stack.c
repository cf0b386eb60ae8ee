/* ranks: 2  fault: buffer  says: is 400 bytes long */
#include "program.h"

static int receive(void)
{
    int got[4];

    MPI_Recv(got, 100, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    return got[3];
}

int main(void)
{
    int given[4] = {0};

    begin();
    if (rank == 0)
        MPI_Send(given, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        given[0] = receive();
    MPI_Finalize();
    return 0;
}
