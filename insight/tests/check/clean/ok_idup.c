/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_Comm comm;
    MPI_Request request;
    int x = 1, y;

    begin();
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
