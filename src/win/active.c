#include "win/epoch.h"

#include "coll/coll.h"
#include "win/agent.h"
#include "win/control.h"

/* A barrier. Where members may be lost others may not come, since they know already. */
static int meet(struct win *win)
{
    struct request *r;
    int error;

    if (!control_may_lose(win))
        return coll_barrier(win->comm, FORM_BLOCKING, NULL, NULL);
    error = coll_barrier(win->comm, FORM_NONBLOCKING, NULL, &r);
    if (error)
        return error;
    error = control_await(win, r);
    request_unref(r);
    return error ? control_find_loss(win, error) : MPI_SUCCESS;
}

int win_fence(int assert, struct win *win)
{
    int error = epoch_check_assert(assert, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE |
                                               MPI_MODE_NOSUCCEED);

    if (!error)
        error = epoch_refuse_open(win, "MPI_Win_fence", ACCESS_FENCE);
    if (!error && win->posted)
        error = fail(MPI_ERR_RMA_SYNC, "MPI_Win_fence: this rank has posted; call MPI_Win_wait before");
    if (!error && !(assert &MPI_MODE_NOPRECEDE))
        error = agent_flush_all(win);
    if (error)
        return error;
    /* neither the loads and stores of this process nor its accesses may pass the barrier */
    atomic_thread_fence(memory_order_seq_cst);
    if (!(assert &MPI_MODE_NOPRECEDE &&assert &MPI_MODE_NOSUCCEED))
        error = meet(win);
    if (error)
        return error;
    epoch_end_fence(win);
    if (!(assert &MPI_MODE_NOSUCCEED))
        atomic_fetch_or_explicit(&win->open_to_all, ACCESS_FENCE, memory_order_relaxed);
    return MPI_SUCCESS;
}

int win_post(struct group *group, int assert, struct win *win)
{
    struct partners *p;
    int error = epoch_check_assert(assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);

    if (!error && win->posted)
        error = fail(MPI_ERR_RMA_SYNC, "MPI_Win_post: this rank has posted before; call MPI_Win_wait first");
    if (!error && atomic_load_explicit(&win->fence_is_used, memory_order_relaxed))
        error = epoch_refuse_open(win, "MPI_Win_post", (unsigned)~ACCESS_FENCE);
    if (!error && epoch_has_lock(win, win->rank))
        error = fail(MPI_ERR_RMA_SYNC,
                     "MPI_Win_post: this process has locked its memory; call MPI_Win_unlock before");
    if (!error)
        error = partners_new(win, group, assert, &p);
    if (error)
        return error;
    error = partners_expect(win, p, WIN_TAG_COMPLETE);
    if (!error && !p->is_unchecked)
        error = partners_tell(win, p, WIN_TAG_POST);
    if (error) {
        partners_free(p);
        return error;
    }
    epoch_end_fence(win);
    win->posted = p;
    return MPI_SUCCESS;
}

int win_start(struct group *group, int assert, struct win *win)
{
    struct partners *p;
    int error = epoch_check_assert(assert, MPI_MODE_NOCHECK);

    if (!error)
        error = epoch_refuse_open(win, "MPI_Win_start", 0);
    if (!error)
        error = epoch_open_table(win);
    if (!error)
        error = partners_new(win, group, assert, &p);
    if (error)
        return error;
    if (!p->is_unchecked)
        error = partners_expect(win, p, WIN_TAG_POST);
    if (error) {
        partners_free(p);
        return error;
    }
    epoch_end_fence(win);
    partners_open(win, p);
    win->started = p;
    return MPI_SUCCESS;
}

int win_complete(struct win *win)
{
    struct partners *p = win->started;
    int error;

    if (!p)
        return fail(MPI_ERR_RMA_SYNC, "MPI_Win_complete: there is no epoch of MPI_Win_start to end");
    error = partners_await_posts(win, p);
    for (int i = 0; i < p->count; i++) {
        if (!error)
            error = agent_flush(win, p->partner[i].rank);
        epoch_set(win, p->partner[i].rank, 0);
    }
    if (!error)
        error = partners_tell(win, p, WIN_TAG_COMPLETE);
    win->started = NULL;
    partners_free(p);
    return error;
}

static int finish_exposure(struct win *win)
{
    struct partners *p = win->posted;
    int error = partners_await_completes(win, p);

    partners_free(p);
    win->posted = NULL;
    return error;
}

int win_wait(struct win *win)
{
    if (!win->posted)
        return fail(MPI_ERR_RMA_SYNC, "MPI_Win_wait: this rank has not posted; call MPI_Win_post before");
    return finish_exposure(win);
}

int win_test(struct win *win, int *flag)
{
    if (!win->posted)
        return fail(MPI_ERR_RMA_SYNC, "MPI_Win_test: this rank has not posted; call MPI_Win_post before");
    *flag = partners_have_completed(win, win->posted);
    if (!*flag) {
        progress_poll();
        *flag = partners_have_completed(win, win->posted) ||
                (progress_look_again() && partners_have_completed(win, win->posted));
    }
    if (*flag || (control_may_lose(win) && control_check_lost(win)))
        return finish_exposure(win);
    return MPI_SUCCESS;
}
