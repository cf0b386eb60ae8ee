#include "win/active.h"

#include "base/live.h"
#include "coll/coll.h"
#include "group/group.h"
#include "p2p/p2p.h"
#include "win/agent.h"
#include "win/epoch.h"
#include "win/passive.h"

#include <stdlib.h>

/* The ranks that an epoch of MPI_Win_start or MPI_Win_post is with. */
struct partners {
    int count;
    bool is_unchecked;        /* MPI_MODE_NOCHECK: neither side tells the other that it has posted */
    int *rank;                /* in the window */
    struct request *expect[]; /* an empty message of each; NULL: it has come, or none will */
};

/* A message that is still expected, after an error, is the next epoch's. */
static void partners_free(struct partners *p)
{
    for (int i = 0; i < p->count; i++) {
        if (!p->expect[i])
            continue;
        request_cancel(p->expect[i]);
        request_unref(p->expect[i]);
    }
    live_add(LIVE_PARTNERS, -1);
    free(p->rank);
    free(p);
}

/* The members of `group`, which all must be in the window. */
static int partners_new(struct win *win, struct group *group, int assert, struct partners **partners)
{
    struct partners *p = calloc(1, sizeof *p + (size_t)group->size * sizeof p->expect[0]);

    if (p)
        p->rank = malloc((size_t)group->size * sizeof *p->rank + 1);
    if (!p || !p->rank) {
        free(p);
        return fail(MPI_ERR_NO_MEM, "no memory for an epoch with %d ranks", group->size);
    }
    live_add(LIVE_PARTNERS, 1);
    p->count = group->size;
    p->is_unchecked = assert &MPI_MODE_NOCHECK;
    for (int i = 0; i < p->count; i++) {
        p->rank[i] = group_rank_of(win->comm->group, group->process[i]);
        if (p->rank[i] == MPI_UNDEFINED) {
            partners_free(p);
            return fail(MPI_ERR_GROUP, "member %d of the group is not in the window", i);
        }
    }
    *partners = p;
    return MPI_SUCCESS;
}

/* Waits for nobody: the request of an empty message may go at once. */
static int tell_partner(struct win *win, int rank, int tag)
{
    struct request *r;
    int error =
        p2p_isend(NULL, 0, datatype_predefined(MPI_BYTE), rank, tag, win->comm, PLANE_P2P, SEND_STANDARD, &r);

    if (!error)
        request_unref(r);
    return error;
}

static int tell_partners(struct win *win, const struct partners *p, int tag)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < p->count && !error; i++)
        error = tell_partner(win, p->rank[i], tag);
    return error;
}

static int expect_partners(struct win *win, struct partners *p, int tag)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < p->count && !error; i++)
        error = p2p_irecv(NULL, 0, datatype_predefined(MPI_BYTE), p->rank[i], tag, win->comm, PLANE_P2P,
                          &p->expect[i]);
    return error;
}

/* The partner may wait for who is lost, and so say nothing. */
static int await_partner(struct win *win, struct partners *p, int i)
{
    int error = MPI_SUCCESS;

    if (!p->expect[i])
        return MPI_SUCCESS;
    error = passive_await(win, p->expect[i]);
    if (error)
        p2p_cancel_recv(p->expect[i]);
    request_unref(p->expect[i]);
    p->expect[i] = NULL;
    return error;
}

static int await_partners(struct win *win, struct partners *p)
{
    int first = MPI_SUCCESS;

    for (int i = 0; i < p->count; i++) {
        int error = await_partner(win, p, i);

        first = first ? first : error;
    }
    return first;
}

/* A barrier. Where members may be lost others may not come, since they know already. */
static int meet(struct win *win)
{
    struct request *r;
    int error;

    if (!passive_may_lose(win))
        return coll_barrier(win->comm, FORM_BLOCKING, NULL, NULL);
    error = coll_barrier(win->comm, FORM_NONBLOCKING, NULL, &r);
    if (error)
        return error;
    error = passive_await(win, r);
    request_unref(r);
    return error ? passive_find_loss(win, error) : MPI_SUCCESS;
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
    error = expect_partners(win, p, WIN_TAG_COMPLETE);
    atomic_thread_fence(memory_order_seq_cst); /* stores of this process come before the origins' accesses */
    if (!error && !p->is_unchecked)
        error = tell_partners(win, p, WIN_TAG_POST);
    if (error) {
        partners_free(p);
        return error;
    }
    epoch_end_fence(win);
    win->posted = p;
    return MPI_SUCCESS;
}

/* Partners that have nothing to tell are open at once. */
static void open_partners(struct win *win, const struct partners *p)
{
    for (int i = 0; i < p->count; i++)
        epoch_set(win, p->rank[i], p->expect[i] ? ACCESS_AWAITED : ACCESS_START);
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
        error = expect_partners(win, p, WIN_TAG_POST);
    if (error) {
        partners_free(p);
        return error;
    }
    epoch_end_fence(win);
    open_partners(win, p);
    win->started = p;
    return MPI_SUCCESS;
}

int active_await_post(struct win *win, int rank)
{
    struct partners *p = win->started;
    int error;

    for (int i = 0; i < p->count; i++) {
        if (p->rank[i] != rank)
            continue;
        error = await_partner(win, p, i);
        if (error)
            return error;
        epoch_set(win, rank, ACCESS_START);
    }
    return MPI_SUCCESS;
}

int win_complete(struct win *win)
{
    struct partners *p = win->started;
    int error;

    if (!p)
        return fail(MPI_ERR_RMA_SYNC, "MPI_Win_complete: there is no epoch of MPI_Win_start to end");
    error = await_partners(win, p);
    for (int i = 0; i < p->count; i++) {
        if (!error)
            error = agent_flush(win, p->rank[i]);
        epoch_set(win, p->rank[i], 0);
    }
    atomic_thread_fence(memory_order_seq_cst); /* accesses come before the message */
    if (!error)
        error = tell_partners(win, p, WIN_TAG_COMPLETE);
    win->started = NULL;
    partners_free(p);
    return error;
}

static int finish_exposure(struct win *win)
{
    int error = await_partners(win, win->posted);

    partners_free(win->posted);
    win->posted = NULL;
    atomic_thread_fence(memory_order_seq_cst);
    return error;
}

int win_wait(struct win *win)
{
    if (!win->posted)
        return fail(MPI_ERR_RMA_SYNC, "MPI_Win_wait: this rank has not posted; call MPI_Win_post before");
    return finish_exposure(win);
}

static bool have_completed(const struct partners *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->expect[i] && !request_is_done(p->expect[i]))
            return false;
    return true;
}

int win_test(struct win *win, int *flag)
{
    if (!win->posted)
        return fail(MPI_ERR_RMA_SYNC, "MPI_Win_test: this rank has not posted; call MPI_Win_post before");
    *flag = have_completed(win->posted);
    if (!*flag) {
        progress_poll();
        *flag = have_completed(win->posted) || (progress_look_again() && have_completed(win->posted));
    }
    return *flag ? finish_exposure(win) : MPI_SUCCESS;
}
