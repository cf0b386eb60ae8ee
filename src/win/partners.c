#include "win/epoch.h"

#include "base/live.h"
#include "group/group.h"
#include "p2p/p2p.h"
#include "win/control.h"

#include <stdlib.h>

enum {
    LOSS_ROUNDS = 16 /* of a wait for a word, which may be naps, from one look for losses to the next */
};

/* Whether post and complete are words; the same on all ranks. */
static bool has_words(const struct win *win)
{
    return !win->agent && win->size <= CONTROL_POSTS;
}

/* A message that is still expected, after an error, is the next epoch's. */
void partners_free(struct partners *p)
{
    for (int i = 0; i < p->count; i++) {
        if (!p->partner[i].expect)
            continue;
        request_cancel(p->partner[i].expect);
        request_unref(p->partner[i].expect);
    }
    live_add(LIVE_PARTNERS, -1);
    free(p);
}

/* The members of `group`, which all must be in the window. */
int partners_new(struct win *win, struct group *group, int assert, struct partners **partners)
{
    struct partners *p = calloc(1, sizeof *p + (size_t)group->size * sizeof p->partner[0]);

    if (!p)
        return fail(MPI_ERR_NO_MEM, "no memory for an epoch with %d ranks", group->size);
    live_add(LIVE_PARTNERS, 1);
    p->count = group->size;
    p->is_unchecked = assert &MPI_MODE_NOCHECK;
    for (int i = 0; i < p->count; i++) {
        p->partner[i].rank = group_rank_of(win->comm->group, group->process[i]);
        if (p->partner[i].rank == MPI_UNDEFINED) {
            partners_free(p);
            return fail(MPI_ERR_GROUP, "member %d of the group is not in the window", i);
        }
    }
    *partners = p;
    return MPI_SUCCESS;
}

static uint64_t post_bit(int rank)
{
    return (uint64_t)1 << rank % 64;
}

/* The release of both pairs with the acquire in has_posted and have_completed. control_wake orders them before its look for
 * sleepers. */
static void tell_by_word(struct win *win, int rank, int tag)
{
    struct win_control *control = win_control_of(win, rank);

    if (tag == WIN_TAG_POST)
        atomic_fetch_or_explicit(&control->posted[win->rank / 64], post_bit(win->rank), memory_order_release);
    else
        atomic_fetch_add_explicit(&control->completed, 1, memory_order_release);
    control_wake(win, rank);
}

/* Waits for nobody: the request of an empty message may go at once. */
static int tell_by_message(struct win *win, int rank, int tag)
{
    struct request *r;
    int error =
        p2p_isend(NULL, 0, datatype_predefined(MPI_BYTE), rank, tag, win->comm, PLANE_P2P, SEND_STANDARD, &r);

    if (!error)
        request_unref(r);
    return error;
}

/* What this process has done in its memory and its partners' comes before. */
int partners_tell(struct win *win, const struct partners *p, int tag)
{
    int error = MPI_SUCCESS;

    if (has_words(win)) {
        for (int i = 0; i < p->count; i++)
            tell_by_word(win, p->partner[i].rank, tag);
        return MPI_SUCCESS;
    }
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < p->count && !error; i++)
        error = tell_by_message(win, p->partner[i].rank, tag);
    return error;
}

int partners_expect(struct win *win, struct partners *p, int tag)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < p->count && !error; i++) {
        struct epoch_partner *partner = &p->partner[i];

        partner->is_awaited = true;
        if (!has_words(win))
            error = p2p_irecv(NULL, 0, datatype_predefined(MPI_BYTE), partner->rank, tag, win->comm,
                              PLANE_P2P, &partner->expect);
    }
    return error;
}

static bool has_posted(struct win *win, int rank)
{
    /* acquire: pairs with tell_by_word */
    return atomic_load_explicit(&win->own_control->posted[rank / 64], memory_order_acquire) & post_bit(rank);
}

static bool have_completed(struct win *win, int count)
{
    /* acquire: pairs with tell_by_word */
    uint64_t completed = atomic_load_explicit(&win->own_control->completed, memory_order_acquire);

    return completed - win->completed >= (uint64_t)count;
}

/* Waits until has_come(win, what). Whoever may sleep in the next round has looked for losses since they were last
 * found. */
static int await_word(struct win *win, enum wait_kind kind, bool (*has_come)(struct win *win, int what),
                      int what)
{
    struct wait w = WAIT_START;
    int error = MPI_SUCCESS;

    while (!has_come(win, what) && !error) {
        progress_wait_word_for(&w, WORD_SLEEPS, kind, win, (uint64_t)what);
        if (control_may_lose(win) && (w.ticket.place || w.idle % LOSS_ROUNDS == 1))
            error = control_check_lost(win);
    }
    progress_wait_again(&w);
    return error;
}

static int await_post_word(struct win *win, int rank)
{
    int error = await_word(win, WAIT_WIN_POST, has_posted, rank);

    if (!error)
        atomic_fetch_and_explicit(&win->own_control->posted[rank / 64], ~post_bit(rank),
                                  memory_order_relaxed); /* see active.c */
    return error;
}

/* On an error, what has come is done with; what has not is the next epoch's. */
static int await_complete_words(struct win *win, int count)
{
    int error = await_word(win, WAIT_WIN_COMPLETE, have_completed, count);

    win->completed = error ? atomic_load_explicit(&win->own_control->completed, memory_order_relaxed)
                           : win->completed + (uint64_t)count;
    return error;
}

/* The partner may wait for who is lost, and so say nothing. */
static int await_partner_message(struct win *win, struct epoch_partner *partner)
{
    int error = control_await(win, partner->expect);

    if (error)
        p2p_cancel_recv(partner->expect);
    request_unref(partner->expect);
    partner->expect = NULL;
    return error;
}

static int await_messages(struct win *win, struct partners *p)
{
    int first = MPI_SUCCESS;

    for (int i = 0; i < p->count; i++) {
        int error = p->partner[i].expect ? await_partner_message(win, &p->partner[i]) : MPI_SUCCESS;

        first = first ? first : error;
    }
    atomic_thread_fence(memory_order_seq_cst);
    return first;
}

static bool is_open(struct win *win, int rank)
{
    return !(epoch_access(win, rank) & ACCESS_AWAITED);
}

static bool claim_post(struct win *win, struct epoch_partner *partner)
{
    bool is_mine;

    lock_take(&win->lock);
    is_mine = partner->is_awaited;
    partner->is_awaited = false;
    lock_release(&win->lock);
    return is_mine;
}

/* The first thread that accesses the rank waits for its post, the others wait for that thread. */
static int await_post(struct win *win, struct epoch_partner *partner)
{
    int error;

    if (is_open(win, partner->rank))
        return MPI_SUCCESS;
    if (!claim_post(win, partner))
        return await_word(win, WAIT_WIN_POST, is_open, partner->rank);
    error = has_words(win) ? await_post_word(win, partner->rank) : await_partner_message(win, partner);
    if (!error) {
        epoch_set(win, partner->rank, ACCESS_START);
        progress_tell(); /* those threads */
    }
    return error;
}

int partners_await_posts(struct win *win, struct partners *p)
{
    int first = MPI_SUCCESS;

    for (int i = 0; i < p->count; i++) {
        int error = await_post(win, &p->partner[i]);

        first = first ? first : error;
    }
    return first;
}

/* Partners that have nothing to tell are open at once. */
void partners_open(struct win *win, const struct partners *p)
{
    for (int i = 0; i < p->count; i++)
        epoch_set(win, p->partner[i].rank, p->partner[i].is_awaited ? ACCESS_AWAITED : ACCESS_START);
}

int partners_await_post(struct win *win, int rank)
{
    struct partners *p = win->started;
    int i = 0;

    while (p->partner[i].rank != rank)
        i++;
    return await_post(win, &p->partner[i]);
}

int partners_await_completes(struct win *win, struct partners *p)
{
    return has_words(win) ? await_complete_words(win, p->count) : await_messages(win, p);
}

bool partners_have_completed(struct win *win, const struct partners *p)
{
    if (has_words(win))
        return have_completed(win, p->count);
    for (int i = 0; i < p->count; i++)
        if (p->partner[i].expect && !request_is_done(p->partner[i].expect))
            return false;
    return true;
}
