/* epoch: what a process may access now, and whether a synchronization call fits (MPI-5.0 section 12.5).
 *
 * A call that does not fit is MPI_ERR_RMA_SYNC; the note names the epoch that is open and the call that would
 * close it. A fence opens an epoch only if communication follows, so a fence without communication
 * forbids nothing.
 */
#ifndef WIN_EPOCH_H
#define WIN_EPOCH_H

#include "plain/fail.h"
#include "win/win.h"

/* The single bits of the ranks; NULL: none were ever set. */
static inline _Atomic uint8_t *epoch_table(struct win *win)
{
    return atomic_load_explicit(&win->access, memory_order_acquire); /* pairs with epoch_open_table */
}

/* What this process may access on a rank: bits of enum access. */
static inline unsigned epoch_access(struct win *win, int rank)
{
    unsigned bits = atomic_load_explicit(&win->open_to_all, memory_order_relaxed);
    _Atomic uint8_t *access = epoch_table(win);

    /* acquire: pairs with epoch_set by a thread that has seen the rank's post */
    return access ? bits | atomic_load_explicit(&access[rank], memory_order_acquire) : bits;
}

/* Why `call` may not access this rank, or what has to be done before it may: waits for MPI_Win_post. */
int epoch_enter(struct win *win, int rank);

/* Whether an epoch is open to the rank; false: ask epoch_enter. */
static inline bool epoch_is_open(struct win *win, int rank)
{
    return epoch_access(win, rank) & ~(unsigned)ACCESS_AWAITED;
}

static inline int epoch_check(struct win *win, int rank)
{
    return __builtin_expect(epoch_is_open(win, rank), 1) ? MPI_SUCCESS : epoch_enter(win, rank);
}

/* Called with each access, once nothing refuses it any more: one that is refused opens no epoch. Where a fence gives access,
 * nothing else does. */
static inline void epoch_note_access(struct win *win)
{
    if (atomic_load_explicit(&win->open_to_all, memory_order_relaxed) & ACCESS_FENCE)
        atomic_store_explicit(&win->fence_is_used, true, memory_order_relaxed);
}

/* MPI_ERR_RMA_SYNC unless this process has locked the rank: operations with a request are for such epochs. */
int epoch_check_request(struct win *win, int rank);

/* Makes the table, once: MPI_ERR_NO_MEM. */
int epoch_open_table(struct win *win);
/* Whether this process has called MPI_Win_lock for the rank. */
static inline bool epoch_has_lock(struct win *win, int rank)
{
    _Atomic uint8_t *access = epoch_table(win);

    return access &&
           atomic_load_explicit(&access[rank], memory_order_relaxed) & (ACCESS_SHARED | ACCESS_EXCLUSIVE);
}

/* How many ranks this process has locked so. */
static inline int epoch_locks(struct win *win)
{
    return atomic_load_explicit(&win->locked, memory_order_relaxed);
}

/* Sets the bits of a rank; the table has been made. Release: pairs with epoch_access. */
static inline void epoch_set(struct win *win, int rank, unsigned bits)
{
    atomic_store_explicit(&epoch_table(win)[rank], (uint8_t)bits, memory_order_release);
}

/* This process has locked the rank, or has given the lock back; `change` of the number of its locks. */
static inline void epoch_note_lock(struct win *win, int rank, unsigned access, int change)
{
    lock_take_inline(&win->lock);
    epoch_set(win, rank, access);
    atomic_store_explicit(&win->locked, epoch_locks(win) + change, memory_order_relaxed);
    lock_release_inline(&win->lock);
}

/* MPI_ERR_RMA_SYNC if an epoch is open in which `call` is wrong. `but`: bits of enum access that are fine. */
int epoch_refuse_open(struct win *win, const char *call, unsigned but);
/* The fence that nothing has followed is over. */
static inline void epoch_end_fence(struct win *win)
{
    if (!(atomic_load_explicit(&win->open_to_all, memory_order_relaxed) & ACCESS_FENCE))
        return;
    atomic_fetch_and_explicit(&win->open_to_all, (uint8_t)~ACCESS_FENCE, memory_order_relaxed);
    atomic_store_explicit(&win->fence_is_used, false, memory_order_relaxed);
}

/* MPI_ERR_RANK unless it is a rank of the window. */
int epoch_check_rank(const struct win *win, int rank);
/* MPI_ERR_ASSERT unless only these bits are set. */
int epoch_check_assert(int assert, int allowed);

#endif
