/* ranks: 3  fault: count-mismatch  says: of the remote group */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x[4] = {0}, y[4], counts[2] = {1, 2}, displs[2] = {0, 1};

    begin();
    inter = between(1);
    if (rank < 1)
        MPI_Alltoallv(x, counts, displs, MPI_INT, y, counts, displs, MPI_INT, inter);
    else
        MPI_Alltoallv(x, counts, displs, MPI_INT, y, counts, displs, MPI_INT, inter); /* FAULT */
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
