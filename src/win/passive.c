#include "win/passive.h"

#include "progress/poll_queue.h"
#include "win/agent.h"

/* Waits of this process for locks. A poller looks at them, so that who is about to sleep looks once more. */
struct lock_wait {
    struct link link;
    struct win_control *control;
    int rank;
    bool is_exclusive;
};

static struct poll_queue waits = POLL_QUEUE_INIT(waits); /* on the waiters' stacks; its lock guards them */

/* Who is about to sleep, with `all`, says once more that it waits: it may have been woken before it slept, and another has
 * taken the lock since. */
static bool wait_is_over(const struct lock_wait *wait, bool all)
{
    if (all)
        control_announce(wait->control, wait->rank, wait->is_exclusive);
    return control_is_free(wait->control, wait->is_exclusive);
}

static int poll_waits(bool all)
{
    int over = 0;

    if (!poll_queue_count(&waits))
        return 0;
    lock_take(&waits.lock);
    for (struct link *l = waits.entries.next; l != &waits.entries; l = l->next)
        over += wait_is_over(LIST_ENTRY(l, struct lock_wait, link), all);
    lock_release(&waits.lock);
    return over;
}

static void add_wait(struct lock_wait *wait)
{
    poll_queue_register(&waits, poll_waits);
    lock_take(&waits.lock);
    poll_queue_add(&waits, &wait->link, false);
    lock_release(&waits.lock);
}

static void remove_wait(struct lock_wait *wait)
{
    lock_take(&waits.lock);
    poll_queue_remove(&waits, &wait->link);
    lock_release(&waits.lock);
}

/* Takes the lock and ends the wait in one step. Otherwise, another thread's poll could announce LOCK_WANTED for who has the lock
 * already; it would stay set, and keep out all that share. */
static bool end_wait(struct lock_wait *wait)
{
    bool is_taken;

    lock_take(&waits.lock);
    is_taken = control_try(wait->control, wait->rank, wait->is_exclusive);
    if (is_taken)
        poll_queue_remove(&waits, &wait->link);
    lock_release(&waits.lock);
    return is_taken;
}

static int passive_wait(struct win *win, struct win_control *control, bool is_exclusive)
{
    struct lock_wait wait = {.control = control, .rank = win->rank, .is_exclusive = is_exclusive};
    struct wait w = WAIT_START;
    int error = MPI_SUCCESS;

    add_wait(&wait);
    while (!error && !end_wait(&wait)) {
        control_announce(control, win->rank, is_exclusive);
        error = control_wait_while_all_live(win, &w, WAIT_WIN_LOCK, win, (uint64_t)(uintptr_t)control);
    }
    if (error)
        remove_wait(&wait);
    return error;
}

/* Takes the lock of a rank, whether its control block is mapped or not. */
static int passive_take(struct win *win, int rank, bool is_exclusive)
{
    struct win_control *control = win_control_of(win, rank);

    if (!win_maps_control(win, rank))
        return agent_lock(win, rank, is_exclusive);
    return control_try(control, win->rank, is_exclusive) ? MPI_SUCCESS
                                                         : passive_wait(win, control, is_exclusive);
}

/* Gives it back, after everything that this process has started there. */
static int passive_give(struct win *win, int rank, bool is_exclusive)
{
    int error = MPI_SUCCESS;

    if (!win->looks_around) {
        control_release(win, win_control_of(win, rank), win->rank, is_exclusive);
        return MPI_SUCCESS;
    }
    if (!win_maps_control(win, rank))
        return agent_unlock(win, rank, is_exclusive);
    error = agent_flush(win, rank);
    control_release(win, win_control_of(win, rank), win->rank, is_exclusive);
    win_progress(win);
    return error ? error : control_check_target(win, rank);
}

static int check_locks(struct win *win, const char *call, int assert)
{
    const char *origin;
    int error = epoch_check_assert(assert, MPI_MODE_NOCHECK);

    if (error || !hint_value(&win->hints, HINT_NO_LOCKS))
        return error;
    hint_count(&win->hints, COUNTED_LOCKS);
    origin = hint_origin(&win->hints, HINT_NO_LOCKS);
    return fail(MPI_ERR_RMA_SYNC, "%s: the window has no locks, since no_locks=true was given in %s", call,
                origin ? origin : "its info");
}

static int note_lock(struct win *win, int rank, uint8_t access)
{
    epoch_note_lock(win, rank, access, 1);
    epoch_end_fence(win);
    return MPI_SUCCESS;
}

/* The commonest lock: no epoch is open, nothing is asserted, and the lock is a word that is free. False: win_lock
 * tells. */
static bool lock_at_once(struct win *win, int rank, bool is_exclusive)
{
    if ((unsigned)rank >= (unsigned)win->size || rank == win->rank || win->looks_around || win->started ||
        atomic_load_explicit(&win->open_to_all, memory_order_relaxed) || !epoch_table(win) ||
        epoch_has_lock(win, rank) || hint_value(&win->hints, HINT_NO_LOCKS) ||
        !control_try(win_control_of(win, rank), win->rank, is_exclusive))
        return false;
    epoch_note_lock(win, rank, is_exclusive ? ACCESS_EXCLUSIVE : ACCESS_SHARED, 1);
    return true;
}

int win_lock(int lock_type, int rank, int assert, struct win *win)
{
    bool is_exclusive = lock_type == MPI_LOCK_EXCLUSIVE;
    uint8_t access = is_exclusive ? ACCESS_EXCLUSIVE : ACCESS_SHARED;
    int error;

    if (!is_exclusive && lock_type != MPI_LOCK_SHARED)
        return fail(MPI_ERR_LOCKTYPE, "lock_type %d is neither MPI_LOCK_EXCLUSIVE nor MPI_LOCK_SHARED",
                    lock_type);
    if (!assert && lock_at_once(win, rank, is_exclusive))
        return MPI_SUCCESS;
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    error = epoch_check_rank(win, rank);
    if (!error)
        error = check_locks(win, "MPI_Win_lock", assert);
    if (!error)
        error = epoch_refuse_open(win, "MPI_Win_lock", ACCESS_EXCLUSIVE);
    if (!error)
        error = epoch_open_table(win);
    if (!error && rank == win->rank && win->posted)
        error =
            fail(MPI_ERR_RMA_SYNC, "MPI_Win_lock: this rank has posted its memory; call MPI_Win_wait before");
    if (!error && epoch_has_lock(win, rank))
        error = fail(MPI_ERR_RMA_SYNC, "MPI_Win_lock: this process has locked rank %d already", rank);
    if (error)
        return error;
    win_progress(win);
    if (assert & MPI_MODE_NOCHECK)
        return note_lock(win, rank, (uint8_t)(access | ACCESS_UNCHECKED));
    error = control_check_target(win, rank);
    if (!error)
        error = passive_take(win, rank, is_exclusive);
    return error ? error : note_lock(win, rank, access);
}

int win_unlock(int rank, struct win *win)
{
    uint8_t access;
    int error;

    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    error = epoch_check_rank(win, rank);
    if (error)
        return error;
    access = epoch_table(win) ? atomic_load_explicit(&epoch_table(win)[rank], memory_order_relaxed) : 0;
    if (!(access & (ACCESS_SHARED | ACCESS_EXCLUSIVE)))
        return fail(MPI_ERR_RMA_SYNC, "MPI_Win_unlock: this process has not locked rank %d", rank);
    epoch_note_lock(win, rank, 0, -1);
    if (!(access & ACCESS_UNCHECKED))
        return passive_give(win, rank, access & ACCESS_EXCLUSIVE);
    atomic_thread_fence(memory_order_seq_cst);
    return agent_flush(win, rank);
}

/* On an error the locks that were taken are given back. */
static int take_all(struct win *win)
{
    int error = MPI_SUCCESS, rank = 0;

    for (; rank < win->size && !error; rank++)
        error = passive_take(win, rank, false);
    for (rank -= 2; error && rank >= 0; rank--)
        passive_give(win, rank, false);
    return error;
}

int win_lock_all(int assert, struct win *win)
{
    int error = check_locks(win, "MPI_Win_lock_all", assert);

    if (!error)
        error = epoch_refuse_open(win, "MPI_Win_lock_all", 0);
    if (!error)
        error = control_check_targets(win);
    if (!error && !(assert &MPI_MODE_NOCHECK))
        error = take_all(win);
    if (error)
        return error;
    epoch_end_fence(win);
    atomic_fetch_or_explicit(&win->open_to_all,
                             ACCESS_SHARED | (assert &MPI_MODE_NOCHECK ? ACCESS_UNCHECKED : 0),
                             memory_order_relaxed);
    return MPI_SUCCESS;
}

int win_unlock_all(struct win *win)
{
    unsigned all = atomic_load_explicit(&win->open_to_all, memory_order_relaxed);
    int error = MPI_SUCCESS;

    if (!(all & ACCESS_SHARED))
        return fail(MPI_ERR_RMA_SYNC, "MPI_Win_unlock_all: no epoch of MPI_Win_lock_all is open");
    atomic_store_explicit(&win->open_to_all, 0, memory_order_relaxed);
    if (all & ACCESS_UNCHECKED) {
        atomic_thread_fence(memory_order_seq_cst);
        return agent_flush_all(win);
    }
    for (int rank = 0; rank < win->size; rank++) {
        int failed = passive_give(win, rank, false);

        error = error ? error : failed;
    }
    return error;
}

/* MPI_ERR_RMA_SYNC unless this process has locked the rank; rank -1: any. */
static int check_passive(struct win *win, int rank, const char *call)
{
    unsigned access =
        rank < 0 ? atomic_load_explicit(&win->open_to_all, memory_order_relaxed) : epoch_access(win, rank);

    if (access & (ACCESS_SHARED | ACCESS_EXCLUSIVE) || (rank < 0 && epoch_locks(win)))
        return MPI_SUCCESS;
    return fail(MPI_ERR_RMA_SYNC, "%s: no lock is held; call MPI_Win_lock or MPI_Win_lock_all before", call);
}

int passive_flush(struct win *win, int rank, const char *call)
{
    int error;

    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    error = epoch_check_rank(win, rank);
    if (!error)
        error = check_passive(win, rank, call);
    if (error)
        return error;
    win_make_visible(win);
    error = agent_flush(win, rank);
    win_progress(win);
    return error ? error : control_check_target(win, rank);
}

static int flush_everyone(struct win *win, const char *call)
{
    int error = check_passive(win, -1, call);

    if (error)
        return error;
    win_make_visible(win);
    error = agent_flush_all(win);
    win_progress(win);
    return error ? error : control_check_targets(win);
}

int win_flush_all(struct win *win)
{
    return flush_everyone(win, "MPI_Win_flush_all");
}

/* Messages leave the origin's buffers when their targets have them, so these wait as the others do. */
int win_flush_local(int rank, struct win *win)
{
    return passive_flush(win, rank, "MPI_Win_flush_local");
}

int win_flush_local_all(struct win *win)
{
    return flush_everyone(win, "MPI_Win_flush_local_all");
}

/* The standard wants it in passive epochs; in others it does the same (docs/TOLERANCES.md). */
int win_sync(struct win *win)
{
    atomic_thread_fence(memory_order_seq_cst);
    win_progress(win);
    return MPI_SUCCESS;
}
