/* passive: passive target synchronization (MPI-5.0 section 12.5.3), and the control block of a rank
 * (struct win_control).
 *
 * Each rank has a control block. An origin that maps it takes the lock by itself; the target's agent takes it for others.
 *
 * Owners. `lock` belongs to nobody: compare-and-swap takes it, acquire, and a subtraction gives it back,
 * release. A waiting origin writes `waiters`, and the origin that gives the lock back takes it: both store, fence
 * (sequentially consistent read-modify-writes), and then look at the other word, so no waiter is missed.
 * A waiter sets its bit again after it has announced its sleep, since one that is woken before is not woken again.
 * `combiner` is the lock of accumulates (combiner.h), `completed` and `posted` are those of active.h.
 */
#ifndef WIN_PASSIVE_H
#define WIN_PASSIVE_H

#include "request/request.h"
#include "win/epoch.h"

enum {
    LOCK_SHARES = (1 << 30) - 1, /* bits: how many hold it shared */
    LOCK_WANTED = 1 << 30        /* bit: a rank waits for it alone, so no more ranks may share it */
};
#define LOCK_HOLDER_SHIFT 32 /* above: the rank that holds it alone, plus 1 */

/* Bodies of MPI_Win_X. */
int win_lock(int lock_type, int rank, int assert, struct win *win);
int win_unlock(int rank, struct win *win);
int win_lock_all(int assert, struct win *win);
int win_unlock_all(struct win *win);
int win_flush_all(struct win *win);
int win_flush_local(int rank, struct win *win);
int win_flush_local_all(struct win *win);
int win_sync(struct win *win);

/* MPI_Win_flush as `call`, for any kind of window. */
int passive_flush(struct win *win, int rank, const char *call);
/* Where there are no messages, stores are done once they are visible. */
static inline int win_flush(int rank, struct win *win)
{
    if ((unsigned)rank >= (unsigned)win->size || win->agent ||
        !(epoch_access(win, rank) & (ACCESS_SHARED | ACCESS_EXCLUSIVE)))
        return passive_flush(win, rank, "MPI_Win_flush");
    win_make_visible(win);
    return MPI_SUCCESS;
}

/* Takes the lock of a control block for `rank`, if it is free for that. */
bool passive_try(struct win_control *control, int rank, bool is_exclusive);
/* Announces that this rank waits for it, before it tries once more. A rank that waits for an exclusive lock also marks the
 * lock, so that sharers do not follow each other for ever. */
void passive_announce(struct win_control *control, int my_rank, bool is_exclusive);
/* Gives it back, and wakes the ranks that wait. */
void passive_release(struct win *win, struct win_control *control, int rank, bool is_exclusive);

/* Wakes a rank whose control block is mapped, if it sleeps. Comes after a sequentially consistent store to a word
 * that it waits for. */
void passive_wake(struct win *win, int rank);

/* Whether the window has processes that may be lost while this one goes on: those of other jobs and hosts. */
bool passive_may_lose(const struct win *win);
/* The reason why the window's synchronization cannot go on: the loss of one of its processes. */
int passive_check_lost(struct win *win);
/* Something has failed, perhaps because a process is lost, which others may know already: waits NET_LOSS_NS for that
 * news. Returns the loss, or `error`. */
int passive_find_loss(struct win *win, int error);
/* The same after a poll, which finds losses: for callers that wait for a word of a control block without polling. */
int passive_look_for_losses(struct win *win);
/* As request_wait, but ends with an error, which may leave the request as it is, when a process is lost. */
int passive_await(struct win *win, struct request *r);

#endif
