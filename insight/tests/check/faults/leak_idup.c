/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Comm comm;
    MPI_Request request;

    begin();
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request); /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
