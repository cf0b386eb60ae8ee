/* ranks: 3  fault: root-mismatch */
#include "program.h"

int main(void)
{
    int x = 0, all[3];
    MPI_Request request;

    begin();
    MPI_Igather(&x, 1, MPI_INT, all, 1, MPI_INT, rank == 2 ? 1 : 0, MPI_COMM_WORLD, &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
