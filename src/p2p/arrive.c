#include "base/clock.h"
#include "base/fail.h"
#include "base/log.h"
#include "p2p/claim.h"
#include "p2p/lent.h"
#include "p2p/stage.h"
#include "p2p/transfer.h"
#include "p2p/wide.h"
#include "progress/progress.h"

enum {
    ARRIVALS_PER_POLL = 64, /* so that a poll ends although messages stream in */
    VISIT_EVERY =
        32 /* polls of the own lane between looks into another one, for which nobody may wait just now */
};

#define PATIENCE_NS ((uint64_t)10 * 1000 * 1000 * 1000) /* until MPI_Finalize says what it waits for */
#define LEAVE_NS    ((uint64_t)10 * 1000 * 1000 * 1000) /* for the last packets to leave */

/* The first receive that fits; wide ones may have been claimed in another lane. */
static struct transfer *find_receive(struct lane *lane, struct match_space *space, const struct message *m)
{
    struct posted *p = match_arrival(space, m->source, m->tag);
    struct transfer *t;

    for (; p && __builtin_expect(posted_is_wide(p), 0); p = match_arrival(space, m->source, m->tag)) {
        t = wide_claim(lane, p);
        if (t)
            return t;
    }
    return p ? LIST_ENTRY(p, struct transfer, posted) : NULL;
}

/* A message that matching must place: the first receive that fits, or kept until one comes. */
static void place(const struct arrival *a)
{
    const struct message *m = a->message;
    struct lane *lane = lane_of_peer(a->from);
    struct match *match = match_find(lane, m->context);
    struct match_space *space = match ? &match->space[m->plane] : NULL;
    bool is_claimed = m->kind == MESSAGE_OFFER && space && match_expects(space, m->source, m->tag);
    struct transfer *t;

    if (is_claimed && !claim_take_offer(a->from, a->payload))
        return;
    t = space ? find_receive(lane, space, m) : NULL;
    if (is_claimed && !t) /* wide receives were claimed in other lanes meanwhile */
        claim_put_back(a->from, a->payload);
    if (t)
        recv_begin(t, m, a->payload, a->from);
    else if (!(space ? unexpected_keep(&space->unexpected, a) : match_keep_orphan(lane, a)))
        log_die("no memory to keep a message of %u bytes that came before its receive", m->length);
}

bool arrive_at_once(const struct message *m, const void *payload, struct peer *from, struct comm *comm)
{
    struct arrival a = {m, payload, from};
    struct lane *lane = lane_of_peer(from);
    struct match *match = match_of(comm, lane);
    struct transfer *t = match ? find_receive(lane, &match->space[m->plane], m) : NULL;

    if (t)
        recv_begin(t, m, payload, from);
    else if (!match || !unexpected_keep(&match->space[m->plane].unexpected, &a))
        return false;
    else
        progress_tell(); /* a thread may wait in a probe */
    return true;
}

/* A wildcard from the wire would find the wrong key. Tags of the library's own messages (comm/make/create.c) may
 * be negative otherwise. */
static bool can_be_placed(const struct message *m)
{
    return m->source >= 0 && m->tag != MPI_ANY_TAG && m->plane < PLANE_COUNT &&
           (m->kind == MESSAGE_EAGER || m->length == sizeof(struct offer) ||
            m->length == sizeof(struct lent_offer));
}

static void handle(const struct arrival *a)
{
    if (!a->message) {
        lost_take_in(a->from, a->payload);
        return;
    }
    switch (a->message->kind) {
    case MESSAGE_EAGER:
    case MESSAGE_OFFER:
        if (can_be_placed(a->message))
            place(a);
        break;
    case MESSAGE_FIN:
        send_on_fin(a);
        break;
    case MESSAGE_FETCH:
        send_on_fetch(a);
        break;
    case MESSAGE_PIECE:
        recv_on_piece(a);
        break;
    case MESSAGE_PUT:
        recv_on_put(a);
        break;
    case MESSAGE_READ:
        recv_on_read(a);
        break;
    case MESSAGE_HELP:
        joint_on_help(a);
        break;
    case MESSAGE_HELPED:
        joint_on_helped(a);
        break;
    default:
        log_warn("a message of unknown kind %d from process %d was dropped", a->message->kind,
                 a->from->process);
    }
}

/* The caller holds the lane. */
static int poll_lane(struct lane *lane)
{
    struct arrival a;
    int events = 0;

    if (atomic_load_explicit(&lane->buried, memory_order_relaxed))
        match_free_buried(lane);
    while (events < ARRIVALS_PER_POLL && net_poll(lane_number(lane), &a)) {
        handle(&a);
        net_release(&a);
        events++;
    }
    if (lane->stuck_count)
        events += packet_flush(lane);
    if (!list_is_empty(&lane->pushing))
        events += send_push_pieces(lane);
    if (!list_is_empty(&lane->streams))
        events += stage_poll(lane);
    return events;
}

__attribute__((noinline)) static void release_and_take_back(struct lane *lane)
{
    struct link claimed = LIST_INIT(claimed);

    list_move(&claimed, &lane->claimed);
    lane_release(lane);
    wide_take_back(&claimed);
}

/* The caller holds the lane. */
static int poll_and_release(struct lane *lane)
{
    int events = poll_lane(lane);

    if (__builtin_expect(list_is_empty(&lane->claimed), 1))
        lane_release(lane);
    else
        release_and_take_back(lane);
    return events;
}

static int take_and_poll(struct lane *lane)
{
    lane_take(lane);
    return poll_and_release(lane);
}

/* Every other lane that is in use. */
static int poll_others(uint32_t others)
{
    int events = 0;

    for (; others; others &= others - 1)
        events += take_and_poll(&lanes[__builtin_ctz(others)]);
    return events;
}

/* One of the other lanes, if nobody is there; each in its turn. */
static int visit(uint32_t others)
{
    static _Thread_local unsigned visits __attribute__((tls_model("initial-exec")));
    uint32_t from = others >> visits % NET_LANES << visits % NET_LANES;
    struct lane *lane = &lanes[__builtin_ctz(from ? from : others)];

    visits = (unsigned)lane_number(lane) + 1;
    return lock_try(&lane->lock) ? poll_and_release(lane) : 0;
}

/* Out of line: most processes use one lane. */
__attribute__((noinline)) static int poll_several(uint32_t used, bool all)
{
    static _Thread_local unsigned polls __attribute__((tls_model("initial-exec")));
    uint32_t others;
    int events;

    if (lane_mine == LANE_ROAMS)
        return all ? poll_others(used) : visit(used);
    events = take_and_poll(&lanes[lane_mine]);
    others = used & ~(1u << lane_mine);
    if (all)
        events += poll_others(others);
    else if (++polls % VISIT_EVERY == 0 && others)
        events += visit(others);
    return events;
}

int p2p_poll(bool all)
{
    /* acquire: pairs with lanes_deal */
    uint32_t used = atomic_load_explicit(&lanes_used, memory_order_acquire);

    return used == 1 ? take_and_poll(&lanes[0]) : poll_several(used, all);
}

int p2p_open(void)
{
    if (!request_done_send())
        return fail(MPI_ERR_NO_MEM, "no memory for a request");
    lanes_init();
    matched_init();
    progress_add_poller(p2p_poll);
    return MPI_SUCCESS;
}

int p2p_admit(bool through_network)
{
    int error;

    lane_take(&lanes[0]);
    error = net_admit(through_network);
    lane_release(&lanes[0]);
    return error;
}

static int meet_guest(int process)
{
    const struct peer *peer = net_peer(0, process);

    return peer ? lost_check_peer(peer) : fail_class();
}

int p2p_meet(const struct card *card, int *process)
{
    int number, error = MPI_SUCCESS;

    lane_take(&lanes[0]);
    number = card_number(card);
    if (number < 0)
        error = fail_class();
    else if (number >= group_job_size)
        error = meet_guest(number);
    lane_release(&lanes[0]);
    if (!error)
        *process = number;
    return error;
}

/* Not a send that was cancelled and that no receive has taken. */
static bool is_wanted(const struct link *l)
{
    const struct transfer *t = LIST_ENTRY(l, const struct transfer, under_way);

    return !t->is_detached || !t->is_offered;
}

static bool has_any_of(const struct link *list, const struct comm *comm)
{
    for (const struct link *l = list->next; l != list; l = l->next)
        if (LIST_ENTRY(l, const struct transfer, under_way)->comm == comm && is_wanted(l))
            return true;
    return false;
}

static bool is_under_way(const struct comm *comm)
{
    bool found = false;

    for (struct lane *lane = lanes; lane < lanes + NET_LANES && !found; lane++) {
        lane_take(lane);
        found = has_any_of(&lane->offered, comm) || has_any_of(&lane->pushing, comm) ||
                has_any_of(&lane->streams, comm) || packet_is_queued(lane, comm);
        lane_release(lane);
    }
    return found;
}

void p2p_settle(const struct comm *comm)
{
    struct wait w = WAIT_START;

    while (is_under_way(comm))
        progress_wait(&w);
}

bool p2p_has_detached(void)
{
    bool found = false;

    for (struct lane *lane = lanes; lane < lanes + NET_LANES && !found; lane++) {
        lane_take(lane);
        for (const struct link *l = lane->offered.next; l != &lane->offered && !found; l = l->next)
            found = !is_wanted(l);
        lane_release(lane);
    }
    return found;
}

static int count_links(const struct link *list)
{
    int count = 0;

    for (const struct link *l = list->next; l != list; l = l->next)
        count += is_wanted(l);
    return count;
}

/* Also counts the sends that no receive has taken. */
static bool has_unfinished(int *offered)
{
    bool unfinished = false;

    *offered = 0;
    for (struct lane *lane = lanes; lane < lanes + NET_LANES; lane++) {
        lane_take(lane);
        *offered += count_links(&lane->offered) + count_links(&lane->pushing);
        unfinished = unfinished || lane->stuck_count || lane->streaming;
        lane_release(lane);
    }
    return unfinished || *offered;
}

static void leave(void)
{
    uint64_t end = clock_ns() + LEAVE_NS;
    struct wait w = WAIT_START;

    while (!net_has_sent_all() && clock_ns() < end)
        progress_wait(&w);
}

void p2p_drain(void)
{
    uint64_t patience = clock_ns() + PATIENCE_NS;
    struct wait w = WAIT_START;
    int offered;

    progress_stay_awake(1); /* to look at the clock now and then */
    while (has_unfinished(&offered)) {
        progress_wait(&w);
        if (patience && clock_ns() > patience) {
            log_warn("MPI_Finalize waits for %d sends that no receive has taken", offered);
            patience = 0;
        }
    }
    leave();
    progress_stay_awake(-1);
}
