/* ranks: 4  options: --survive */
#include "survived.h"

/* A rank dies in a collective. Those that are told at once call others on that communicator, and one of them none. */
int main(void)
{
    int sum = 0, error = MPI_SUCCESS;
    MPI_Comm copy, living;

    begin_returning();
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 100 && !error; i++) {
        if (rank == 3 && i == 20)
            die();
        error = i % 2 ? MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy)
                      : MPI_Bcast(&sum, 1, MPI_INT, i % 4, copy);
    }
    if (rank == 1)
        MPI_Gather(&rank, 1, MPI_INT, (int[4]){0}, 1, MPI_INT, 1, copy);
    if (rank == 2)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, copy);
    MPIX_Comm_revoke(copy);
    MPI_Comm_free(&copy);
    living = shrink();
    error = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, living);
    MPI_Comm_free(&living);
    MPI_Finalize();
    return error || sum != 3;
}
