/* ranks: 2  fault: count-mismatch */
#include "program.h"

int main(void)
{
    int x[4] = {0}, all[8], counts[2] = {2, 1}, places[2] = {0, 4};
    MPI_Request request;

    begin();
    MPI_Igatherv(x, 2, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD, &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
