/* ranks: 4  fault: count-mismatch  says: of the remote group */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x[3] = {0}, y[3];

    begin();
    inter = between(2);
    MPI_Allreduce(x, y, rank < 2 ? 2 : 3, MPI_INT, MPI_SUM, inter); /* FAULT */
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
