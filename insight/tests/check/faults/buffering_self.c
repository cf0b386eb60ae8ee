/* ranks: 1  fault: buffering */
#include "program.h"

int main(void)
{
    int x = 1, y = 0;

    begin();
    MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF); /* FAULT */
    MPI_Recv(&y, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
