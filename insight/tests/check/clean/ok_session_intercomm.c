/* ranks: 4 */
#include "session.h"

int main(void)
{
    MPI_Comm half, inter, merged;
    int x = 1, sum;

    begin_session();
    MPI_Comm_split(comm, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, comm, rank < 2 ? 2 : 0, 7, &inter);
    MPI_Barrier(inter);
    MPI_Intercomm_merge(inter, rank < 2, &merged);
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    end_session();
    return 0;
}
