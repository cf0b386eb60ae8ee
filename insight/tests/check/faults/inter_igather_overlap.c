/* ranks: 3  fault: buffer  says: which is not complete */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    MPI_Request request;
    int x[2] = {0}, all[4];

    begin();
    inter = between(1);
    if (rank == 0) {
        MPI_Igather(NULL, 0, MPI_INT, all, 2, MPI_INT, MPI_ROOT, inter, &request);
        MPI_Recv(all + 2, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    } else {
        MPI_Igather(x, 2, MPI_INT, NULL, 0, MPI_INT, 0, inter, &request);
    }
    if (rank == 1)
        MPI_Send(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
