/* ranks: 3  fault: buffer  says: writes memory twice */
#include "program.h"

int main(void)
{
    int x[2] = {0}, y[6], counts[3] = {2, 2, 2}, displs[3] = {4, 1, 0};

    begin();
    MPI_Gatherv(x, 2, MPI_INT, y, counts, displs, MPI_INT, 0, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
