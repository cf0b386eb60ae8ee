/* ranks: 3  fault: operation-mismatch  says: of the remote group */
#include "session.h"

int main(void)
{
    MPI_Comm half, inter;
    int x = 1, most;

    begin_session();
    MPI_Comm_split(comm, rank > 0, rank, &half);
    MPI_Intercomm_create(half, 0, comm, rank > 0 ? 0 : 1, 7, &inter);
    MPI_Allreduce(&x, &most, 1, MPI_INT, rank == 0 ? MPI_MAX : MPI_MIN, inter); /* FAULT */
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    end_session();
    return 0;
}
