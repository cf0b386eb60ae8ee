/* ranks: 3  options: --survive  fault: type-mismatch */
#include "survived.h"

int main(void)
{
    int value = 0;
    float other;
    MPI_Comm living;
    MPI_Request request;

    begin_returning();
    last_dies();
    MPIX_Comm_ishrink(MPI_COMM_WORLD, &living, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 1, living);
    else
        MPI_Recv(&other, 1, MPI_FLOAT, 0, 1, living, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Comm_free(&living);
    MPI_Finalize();
    return 0;
}
