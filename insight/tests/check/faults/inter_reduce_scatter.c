/* ranks: 4  fault: count-mismatch  says: items on rank */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x[4] = {0}, y[3], counts[2] = {1, 3}, others[2] = {2, 2};

    begin();
    inter = between(2);
    MPI_Reduce_scatter(x, y, rank == 1 ? others : counts, MPI_INT, MPI_SUM, inter); /* FAULT */
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
