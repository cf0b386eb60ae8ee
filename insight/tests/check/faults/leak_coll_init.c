/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Request request;

    begin();
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* FAULT */
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
