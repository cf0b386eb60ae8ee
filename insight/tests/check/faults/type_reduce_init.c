/* ranks: 2  fault: type-mismatch */
#include "program.h"

int main(void)
{
    int x = 0, y = 0;
    MPI_Request request;

    begin();
    MPI_Reduce_init(&x, &y, 1, rank ? MPI_FLOAT : MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                    &request); /* FAULT */
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
