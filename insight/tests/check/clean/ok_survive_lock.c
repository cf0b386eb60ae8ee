/* ranks: 3  options: --survive */
#include "survived.h"

/* The holder of a lock dies. */
int main(void)
{
    int value = 1, *mem, error = MPI_SUCCESS;
    MPI_Win win;

    begin_returning();
    MPI_Win_allocate(sizeof *mem, sizeof *mem, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (rank == 2)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2) {
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        usleep(100000);
        die();
    }
    error = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return class_of(error) != MPIX_ERR_PROC_FAILED;
}
