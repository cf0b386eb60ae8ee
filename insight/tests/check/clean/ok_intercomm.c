/* ranks: 4 */
#include "program.h"

int main(void)
{
    MPI_Comm half, inter, merged;
    int x = 1, y;

    begin();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
    MPI_Sendrecv(&rank, 1, MPI_INT, rank / 2, 0, &x, 1, MPI_INT, rank / 2, 0, inter, MPI_STATUS_IGNORE);
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, inter);
    MPI_Intercomm_merge(inter, rank % 2, &merged);
    MPI_Barrier(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
