/* ranks: 2 */
#include "session.h"

int main(void)
{
    int x = 0;

    begin();
    begin_session();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, comm);
    MPI_Finalize();
    if (rank == 1)
        MPI_Recv(&x, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
    end_session();
    return 0;
}
