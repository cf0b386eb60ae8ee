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

/* partners: the ranks that an epoch of MPI_Win_start or MPI_Win_post is with, and how they tell each other of its beginning and
 * end (active.c).
 */

enum {
    WIN_TAG_POST = 1,
    WIN_TAG_COMPLETE = 2 /* further tags: agent.h */
};

/* A rank that an epoch of MPI_Win_start or MPI_Win_post is with. */
struct epoch_partner {
    int rank; /* in the window */
    bool
        is_awaited; /* of MPI_Win_start: no thread waits for its post yet. Under win->lock once it is started */
    struct request *expect; /* its empty message; NULL: it has come, or none will */
};

struct partners {
    int count;
    bool is_unchecked; /* MPI_MODE_NOCHECK: neither side tells the other that it has posted */
    struct epoch_partner partner[];
};

/* The members of `group`, which all must be in the window. */
int partners_new(struct win *win, struct group *group, int assert, struct partners **partners);
/* A message that is still expected, after an error, is the next epoch's. */
void partners_free(struct partners *p);

/* Prepares for what each of them will tell: WIN_TAG_POST or WIN_TAG_COMPLETE. */
int partners_expect(struct win *win, struct partners *p, int tag);
/* Tells each. What this process has done in its memory and its partners' comes before. */
int partners_tell(struct win *win, const struct partners *p, int tag);
/* Of MPI_Win_start: gives access to each. Partners that have nothing to tell are open at once. */
void partners_open(struct win *win, const struct partners *p);

/* Waits until this rank, a target of MPI_Win_start, has posted; until all have. */
int partners_await_post(struct win *win, int rank);
int partners_await_posts(struct win *win, struct partners *p);
/* Of MPI_Win_post: waits until all have completed; whether they have. */
int partners_await_completes(struct win *win, struct partners *p);
bool partners_have_completed(struct win *win, const struct partners *p);

/* active: active target synchronization (MPI-5.0 sections 12.5.1 and 12.5.2).
 *
 * A fence is a barrier once everything that this process has started is complete at its targets. MPI_Win_post
 * notifies every origin, MPI_Win_complete every target. MPI_Win_start does not wait: the first access to a target
 * waits until the target has posted.
 *
 * Where all accesses are loads, stores or copies of the origin (the window has no agent) and there are at most
 * CONTROL_POSTS ranks, notifications are words of the control blocks, else empty messages on the window's
 * communicator. These words do not show whether a rank waits, so the writer wakes it if it sleeps.
 *
 * `posted` of an origin: bit r is set by rank r in MPI_Win_post, release, and cleared by the origin once it has seen
 * it, acquire. A target posts to the same origin again only after the origin has completed, and so has cleared it;
 * the clear comes before the release in the origin's MPI_Win_complete, so it need not order anything.
 *
 * `completed` of a target: each origin adds 1 in MPI_Win_complete, release. The target reads it, acquire. Only the
 * target knows how much of it belongs to earlier epochs (win->completed). An origin completes only after the target has
 * posted to it (MPI_MODE_NOCHECK: the program ensures that), so all that comes after an epoch's MPI_Win_post and
 * before the end of its MPI_Win_wait belongs to this epoch.
 */

/* Bodies of MPI_Win_X. */
int win_fence(int assert, struct win *win);
int win_post(struct group *group, int assert, struct win *win);
int win_start(struct group *group, int assert, struct win *win);
int win_complete(struct win *win);
int win_wait(struct win *win);
int win_test(struct win *win, int *flag);

#endif
