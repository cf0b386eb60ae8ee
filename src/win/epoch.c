#include "win/epoch.h"

#include <stdlib.h>

int epoch_check_rank(const struct win *win, int rank)
{
    if ((unsigned)rank < (unsigned)win->size)
        return MPI_SUCCESS;
    return fail(MPI_ERR_RANK, "rank %d is not in the window; its ranks go from 0 to %d", rank, win->size - 1);
}

int epoch_check_assert(int assert, int allowed)
{
    if (!(assert & ~allowed))
        return MPI_SUCCESS;
    return fail(MPI_ERR_ASSERT,
                "assert %d has bits that this call does not take (%d); combine MPI_MODE_ constants", assert,
                assert & ~allowed);
}

int epoch_open_table(struct win *win)
{
    _Atomic uint8_t *access;

    lock_take(&win->lock);
    access = epoch_table(win);
    if (!access) {
        access = calloc((size_t)win->size, sizeof *access);
        atomic_store_explicit(&win->access, access, memory_order_release);
    }
    lock_release(&win->lock);
    return access ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory for the epochs of %d ranks", win->size);
}

int epoch_enter(struct win *win, int rank)
{
    if (epoch_access(win, rank) & ACCESS_AWAITED)
        return partners_await_post(win, rank);
    return fail(MPI_ERR_RMA_SYNC,
                "no epoch is open that gives access to rank %d; call MPI_Win_fence, _start, _lock or "
                "_lock_all before",
                rank);
}

int epoch_check_request(struct win *win, int rank)
{
    if (rank == MPI_PROC_NULL || epoch_access(win, rank) & (ACCESS_SHARED | ACCESS_EXCLUSIVE))
        return MPI_SUCCESS;
    return fail(MPI_ERR_RMA_SYNC,
                "operations with a request are for epochs of MPI_Win_lock and MPI_Win_lock_all; rank %d is "
                "not locked",
                rank);
}

static int refuse(const char *call, const char *opener, const char *closer)
{
    return fail(MPI_ERR_RMA_SYNC, "%s: an epoch of %s is open; call %s before", call, opener, closer);
}

int epoch_refuse_open(struct win *win, const char *call, unsigned but)
{
    unsigned all = atomic_load_explicit(&win->open_to_all, memory_order_relaxed) & ~but;

    if (all & ACCESS_FENCE && atomic_load_explicit(&win->fence_is_used, memory_order_relaxed))
        return refuse(call, "MPI_Win_fence", "MPI_Win_fence (with MPI_MODE_NOSUCCEED)");
    if (all & ACCESS_SHARED)
        return refuse(call, "MPI_Win_lock_all", "MPI_Win_unlock_all");
    if (win->started && !(but & ACCESS_START))
        return refuse(call, "MPI_Win_start", "MPI_Win_complete");
    if (epoch_locks(win) && !(but & ACCESS_EXCLUSIVE))
        return refuse(call, "MPI_Win_lock", "MPI_Win_unlock");
    return MPI_SUCCESS;
}
