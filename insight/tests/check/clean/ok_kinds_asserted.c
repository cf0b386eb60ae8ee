/* ranks: 2 */
#include "program.h"

int main(void)
{
    int *buffer, *base, *other, unit, not_used = 0;
    MPI_Aint bytes;
    MPI_Win win;
    MPI_Comm comm;

    begin();
    MPI_Alloc_mem(100 * sizeof *buffer, MPI_INFO_NULL, &buffer);
    MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_shared_query(win, 1 - rank, &bytes, &unit, &other);
    comm = hinted("mpi_assert_memory_alloc_kinds", "mpi:alloc_mem:win_allocate_shared");
    memset(buffer, 0, 100 * sizeof *buffer);
    MPI_Allreduce(MPI_IN_PLACE, buffer + 10, 50, MPI_INT, MPI_SUM, comm);
    MPI_Sendrecv(buffer, 1, MPI_INT, 1 - rank, 0, buffer + 99, 1, MPI_INT, 1 - rank, 0, comm,
                 MPI_STATUS_IGNORE);
    MPI_Gather(buffer, 4, MPI_INT, rank == 0 ? buffer + 20 : &not_used, 4, MPI_INT, 0, comm);
    MPI_Send(&not_used, 1, MPI_INT, MPI_PROC_NULL, 0, comm);
    MPI_Bcast(rank == 0 ? base : other, 4, MPI_INT, 0, comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Win_free(&win);
    MPI_Free_mem(buffer);
    MPI_Finalize();
    return 0;
}
