/* ranks: 4  options: --survive */
#include "survived.h"

/* Agreements and shrinking with a dead rank, also those that do not block. Some ranks work out who failed. */
int main(void)
{
    int flag = 3, value = 0;
    MPI_Request request;
    MPI_Group failed;
    MPI_Comm living, again;

    begin_returning();
    if (rank == 3)
        die();
    MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
    MPIX_Comm_iagree(MPI_COMM_WORLD, &flag, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPIX_Comm_ishrink(MPI_COMM_WORLD, &living, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) {
        MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed);
        MPI_Group_free(&failed);
    }
    MPIX_Comm_shrink(MPI_COMM_WORLD, &again);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % 3, 1, &value, 1, MPI_INT, (rank + 2) % 3, 1, living,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % 3, 1, &value, 1, MPI_INT, (rank + 2) % 3, 1, again,
                 MPI_STATUS_IGNORE);
    MPI_Comm_free(&living);
    MPI_Comm_free(&again);
    MPI_Finalize();
    return value != (rank + 2) % 3;
}
