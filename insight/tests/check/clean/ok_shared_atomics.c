/* ranks: 3 */
#include "program.h"

#include <stdatomic.h>

/* A lock in shared memory, made of atomic operations, at its first byte: it orders what the ranks store behind it. */
int main(void)
{
    _Atomic int *lock;
    int *base, unit;
    MPI_Aint bytes;
    MPI_Win win;

    begin();
    MPI_Win_allocate_shared(rank == 0 ? 64 : 0, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &base);
    lock = (_Atomic int *)base;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    if (rank == 0)
        atomic_store(lock, 0);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        while (atomic_exchange(lock, 1))
            usleep(100);
        base[5] += rank;
        atomic_store_explicit(lock, 0, memory_order_release);
        MPI_Win_sync(win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
