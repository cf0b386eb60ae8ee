/* ranks: 2  fault: buffer  needs: guards */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int in, out[4] = {0}, counts[2] = {1, 1}, displs[2] = {0, 2};

    begin();
    in = rank;
    MPI_Igatherv(&in, 1, MPI_INT, out, counts, displs, MPI_INT, 0, MPI_COMM_WORLD, &request);
    if (rank == 0)
        out[2] = 5; /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
