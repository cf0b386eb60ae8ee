/* ranks: 3  fault: count-mismatch  says: of the remote group */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x[4] = {0}, y[2];

    begin();
    inter = between(1);
    MPI_Reduce_scatter_block(x, y, 2, MPI_INT, MPI_SUM, inter); /* FAULT */
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
