#include "win/control.h"

#include "boot/boot.h"
#include "net/net.h"
#include "p2p/lane.h"
#include "p2p/lost.h"
#include "plain/clock.h"
#include "progress/progress.h"

#define LOCK_ALONE_BUSY  (~(uint64_t)LOCK_WANTED)
#define LOCK_SHARED_BUSY (~(uint64_t)LOCK_SHARES)

static uint64_t held_alone_by(int rank)
{
    return (uint64_t)(rank + 1) << LOCK_HOLDER_SHIFT;
}

bool control_try(struct win_control *control, int rank, bool is_exclusive)
{
    uint64_t seen = atomic_load_explicit(&control->lock, memory_order_relaxed), next;

    do {
        if (seen & (is_exclusive ? LOCK_ALONE_BUSY : LOCK_SHARED_BUSY))
            return false;
        next = is_exclusive ? held_alone_by(rank) : seen + 1;
        /* acquire: pairs with the release in control_release */
    } while (!atomic_compare_exchange_weak_explicit(&control->lock, &seen, next, memory_order_acquire,
                                                    memory_order_relaxed));
    return true;
}

/* The caller has the lane. */
static void wake_other(struct win *win, int rank)
{
    struct peer *peer = net_peer(0, win->comm->process[rank]);

    if (peer && peer->transport->nudge)
        peer->transport->nudge(peer);
}

void control_wake(struct win *win, int rank)
{
    if (rank == win->rank) {
        progress_tell(); /* other threads of this process */
        return;
    }
    lane_take(&lanes[0]);
    wake_other(win, rank);
    lane_release(&lanes[0]);
}

/* Wakes the ranks that the bits may mean. */
static void wake_waiters(struct win *win, uint64_t bits)
{
    lane_take(&lanes[0]);
    for (int r = 0; r < win->size; r++)
        if (r != win->rank && bits >> r % 64 & 1)
            wake_other(win, r);
    lane_release(&lanes[0]);
    progress_tell(); /* other threads of this process */
}

void control_release(struct win *win, struct win_control *control, int rank, bool is_exclusive)
{
    uint64_t bits;

    /* Sequentially consistent: the waiter sets its bit and then looks at the lock, in passive_wait. The exchange only takes the bits. */
    atomic_fetch_sub_explicit(&control->lock, is_exclusive ? held_alone_by(rank) : 1, memory_order_seq_cst);
    bits = atomic_load_explicit(&control->waiters, memory_order_seq_cst);
    if (__builtin_expect(bits != 0, 0))
        wake_waiters(win, atomic_exchange_explicit(&control->waiters, 0, memory_order_relaxed));
}

bool control_is_free(const struct win_control *control, bool is_exclusive)
{
    return !(atomic_load_explicit(&control->lock, memory_order_seq_cst) &
             (is_exclusive ? LOCK_ALONE_BUSY : LOCK_SHARED_BUSY));
}

void control_announce(struct win_control *control, int my_rank, bool is_exclusive)
{
    if (is_exclusive)
        atomic_fetch_or_explicit(&control->lock, LOCK_WANTED, memory_order_relaxed);
    atomic_fetch_or_explicit(&control->waiters, (uint64_t)1 << my_rank % 64, memory_order_seq_cst);
}

bool control_may_lose(const struct win *win)
{
    return win->comm->group->has_guests || !boot.all_local || net_survives();
}

/* The end of a process of another job is noticed by those that have met it. */
int control_check_lost(struct win *win)
{
    bool has_guests = win->comm->group->has_guests;
    int error = MPI_SUCCESS;

    lane_take(&lanes[0]);
    for (int rank = 0; rank < win->size && !error; rank++) {
        int process = win->comm->process[rank];
        struct peer *peer = has_guests ? net_peer(0, process) : net_peers[0][process];

        if (peer)
            error = lost_check_peer(peer);
        else if (has_guests)
            error = fail(net_loss_class(), "rank %d of the window has ended", rank);
    }
    lane_release(&lanes[0]);
    return error;
}

int control_check_target(struct win *win, int rank)
{
    struct peer *peer;
    int error;

    if (!win->may_survive || !atomic_load_explicit(&lost_any, memory_order_relaxed))
        return MPI_SUCCESS;
    lane_take(&lanes[0]);
    peer = net_peers[0][win->comm->process[rank]];
    error = peer ? lost_check_peer(peer) : MPI_SUCCESS;
    lane_release(&lanes[0]);
    return error;
}

int control_check_targets(struct win *win)
{
    if (win->may_survive)
        progress_poll();
    if (!win->may_survive || !atomic_load_explicit(&lost_any, memory_order_relaxed))
        return MPI_SUCCESS;
    return control_check_lost(win);
}

int control_look_for_losses(struct win *win)
{
    if (!control_may_lose(win))
        return MPI_SUCCESS;
    progress_poll();
    return control_check_lost(win);
}

/* A round of a wait. Whoever may sleep in the next one has looked for losses since they were last found. */
int control_wait_while_all_live(struct win *win, struct wait *w, enum wait_kind kind, const void *what,
                                uint64_t detail)
{
    progress_wait_for(w, kind, what, detail);
    if (!control_may_lose(win) || !(w->may_sleep || w->idle % 64 == 1))
        return MPI_SUCCESS;
    return control_check_lost(win);
}

int control_find_loss(struct win *win, int error)
{
    uint64_t end = clock_ns() + NET_LOSS_NS;
    int loss = MPI_SUCCESS;

    while (!loss && clock_ns() < end) {
        progress_poll();
        loss = control_check_lost(win);
    }
    return loss ? loss : error;
}

int control_await(struct win *win, struct request *r)
{
    struct wait w = WAIT_START;
    int error = MPI_SUCCESS;

    if (!control_may_lose(win))
        return request_wait(r);
    while (!error && !request_is_done(r))
        error = control_wait_while_all_live(win, &w, WAIT_REQUEST, r, 0);
    return request_is_done(r) ? request_wait(r) : error;
}
