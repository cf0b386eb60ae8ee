/* ranks: 2  fault: deadlock  ends: by --timeout  says: polls with MPI_Test */
#include "program.h"

int main(void)
{
    int x = 0, flag = 0;
    MPI_Request request;

    begin();
    MPI_Irecv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Send(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
