/* ranks: 4  fault: count-mismatch  says: of the remote group */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x[6] = {0}, y[2], counts[3] = {2, 2, 1}, displs[3] = {0, 2, 4};

    begin();
    inter = between(3);
    if (rank == 3)
        MPI_Scatterv(x, counts, displs, MPI_INT, NULL, 0, MPI_INT, MPI_ROOT, inter);
    else
        MPI_Scatterv(NULL, NULL, NULL, MPI_INT, y, 2, MPI_INT, 0, inter); /* FAULT */
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
