/* What arrives: the poller takes in messages of a lane and gives each to the receive that matches it, to the protocol that it belongs
 * to, or to the unexpected messages. Opening p2p, meeting processes of other jobs, and draining at the end are here too. */
#include "base/thread.h"
#include "metric/event.h"
#include "p2p/accord.h"
#include "p2p/exposed.h"
#include "p2p/lost.h"
#include "p2p/match/any_lane.h"
#include "p2p/mitigate.h"
#include "p2p/rndv/claim.h"
#include "p2p/rndv/pack_pipeline.h"
#include "p2p/rndv/rndv.h"
#include "p2p/transfer.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/log.h"
#include "progress/progress.h"

#include <stdlib.h>

enum {
    ARRIVALS_PER_POLL = 64, /* so that a poll ends although messages stream in */
    LOOKS = 64,             /* of a blocking receive at what arrives, before it is posted */
    VISIT_EVERY =
        32 /* polls of the own lane between looks into another one, for which nobody may wait just now */
};

#define WARN_AFTER_NS   ((uint64_t)10 * 1000 * 1000 * 1000) /* until MPI_Finalize says what it waits for */
#define LAST_PACKETS_NS ((uint64_t)10 * 1000 * 1000 * 1000) /* for the last packets to leave */

/* The first receive that fits; any-lane ones may have been claimed in another lane. */
static struct transfer *match_recv(struct lane *lane, struct match_space *space, const struct message *m)
{
    struct posted *p = match_arrival(space, m->source, m->tag);
    struct transfer *t;

    for (; p && __builtin_expect(match_is_any_lane(p), 0); p = match_arrival(space, m->source, m->tag)) {
        t = any_lane_claim(lane, p);
        if (t)
            return t;
    }
    return p ? LIST_ENTRY(p, struct transfer, posted) : NULL;
}

static bool keep(struct match_space *space, const struct arrival *a)
{
    const struct message *m = a->message;

    if (event_is_wanted(EVENT_UNEXPECTED) && m->plane == PLANE_P2P)
        event_raise((struct event){
            .id = EVENT_UNEXPECTED, .context = m->context, .value = {m->source, m->tag, m->length}});
    return unexpected_keep(&space->unexpected, a);
}

/* A message that matching must place: the first receive that fits, or kept until one comes. */
static void place_message(const struct arrival *a)
{
    const struct message *m = a->message;
    struct lane *lane = lane_of_peer(a->from);
    struct match *match = match_find(lane, m->context);
    struct match_space *space = match ? &match->space[m->plane] : NULL;
    bool is_claimed = m->kind == MESSAGE_RTS && space && match_expects(space, m->source, m->tag);
    struct transfer *t;

    if (is_claimed && !claim_take_rts(a->from, a->payload))
        return;
    t = space ? match_recv(lane, space, m) : NULL;
    if (is_claimed && !t) /* any-lane receives were claimed in other lanes meanwhile */
        claim_put_back(a->from, a->payload);
    if (t)
        recv_begin(t, m, a->payload, a->from);
    else if (!space && !match_keep_orphan(lane, a))
        log_die("no room to keep a message of %u bytes from process %d for a communicator that is not there: "
                "more than %d MiB are kept",
                m->length, a->from->process, LANE_ORPHAN_BYTES >> 20);
    else if (space && !keep(space, a))
        log_die("no memory to keep a message of %u bytes that came before its receive", m->length);
}

/* Out of line: a message into a posted receive needs none of its registers. */
__attribute__((noinline)) static bool keep_self(struct match_space *space, const struct message *m,
                                                const void *payload, struct peer *from)
{
    struct arrival a = {m, payload, from};

    if (!keep(space, &a))
        return false;
    progress_tell(); /* a thread may wait in a probe */
    return true;
}

bool arrive_self(const struct message *m, const void *payload, struct peer *from, struct comm *comm)
{
    struct match *match = match_of(comm, lane_of_peer(from));
    struct posted *p;

    if (!match)
        return false;
    p = match_arrival(&match->space[m->plane], m->source, m->tag); /* comm is not spread: for one lane */
    if (!p)
        return keep_self(&match->space[m->plane], m, payload, from);
    recv_begin(LIST_ENTRY(p, struct transfer, posted), m, payload, from);
    return true;
}

/* A wildcard from the wire would find the wrong key. Tags of the library's own messages (making/comm_create.c) may
 * be negative otherwise. */
static bool can_be_placed(const struct message *m)
{
    return m->source >= 0 && m->tag != MPI_ANY_TAG && m->plane < PLANE_COUNT &&
           (m->kind == MESSAGE_EAGER || (m->kind == MESSAGE_LEFT && !m->length) ||
            (m->kind == MESSAGE_RTS &&
             (m->length == sizeof(struct rts) || m->length == sizeof(struct ipc_rts))));
}

static void dispatch(const struct arrival *a)
{
    if (!a->message) {
        lost_mark(a->from, a->payload);
        return;
    }
    if (a->message->kind && a->message->kind <= MESSAGE_LEFT) {
        if (can_be_placed(a->message))
            place_message(a);
    } else if (a->message->kind == MESSAGE_COPIED) {
        exposed_on_copied(a);
    } else if (a->message->kind == MESSAGE_REVOKE && net_survives()) {
        mitigate_on_revoke(a->message->context);
    } else if (a->message->kind == MESSAGE_DEATH && net_survives()) {
        if (!a->from->lost) /* it was silent, and takes for dead who does not speak with it any more */
            lost_on_death(a->message->tag, a->message->source);
    } else if (a->message->kind == MESSAGE_AGREE && net_survives()) {
        accord_on_message(a->message, a->payload, a->from);
    } else if (a->message->kind == MESSAGE_FINALIZED && net_survives()) {
        a->from->has_finalized = true;
    } else if (!rndv_on_message(a)) {
        log_warn("a message of unknown kind %d from process %d was dropped", a->message->kind,
                 a->from->process);
    }
}

/* Whether a receive that is about to be posted would be the first that a message matches, and nothing else waits in
 * its lane to be moved on. */
static bool is_next(const struct lane *lane, const struct match_space *space)
{
    return space->posted.count == 0 && unexpected_is_empty(&space->unexpected) && !lane->stuck_count &&
           list_is_empty(&lane->sending) && list_is_empty(&lane->piped) &&
           !atomic_load_explicit(&lost_any, memory_order_relaxed);
}

static bool is_whole(const struct message *m, const struct envelope *e, size_t bytes)
{
    return m && m->kind == MESSAGE_EAGER && m->length == bytes && m->tag == e->tag && m->source == e->peer &&
           m->plane == e->plane && m->context == e->comm->context;
}

bool arrive_soon(struct lane *lane, const struct envelope *e, void *to, size_t bytes)
{
    struct match *match = match_of(e->comm, lane);
    struct match_space *space = match ? &match->space[e->plane] : NULL;
    struct arrival a;
    bool found = false;

    if (!space || !is_next(lane, space))
        return false;
    for (int i = 0; i < LOOKS && !found && unexpected_is_empty(&space->unexpected); i++) {
        if (!net_poll(lane_number(lane), &a)) {
            thread_relax();
            continue;
        }
        found = is_whole(a.message, e, bytes);
        if (found) {
            copy_bytes(to, a.payload, bytes);
            transfer_count(e->comm, e->plane, bytes);
        } else {
            dispatch(&a);
            progress_tell();
        }
        net_release(&a);
    }
    return found;
}

/* The caller holds the lane. */
static int poll_lane(struct lane *lane)
{
    struct arrival a;
    int events = 0;

    if (atomic_load_explicit(&lane->retired, memory_order_relaxed))
        match_free_retired(lane);
    while (events < ARRIVALS_PER_POLL && net_poll(lane_number(lane), &a)) {
        dispatch(&a);
        net_release(&a);
        events++;
    }
    if (lane->stuck_count)
        events += packet_flush(lane);
    if (!list_is_empty(&lane->sending))
        events += rndv_send_data(lane);
    if (!list_is_empty(&lane->piped))
        events += pack_pipeline_poll(lane);
    return events;
}

__attribute__((noinline)) static void release_and_take_back(struct lane *lane)
{
    struct link claimed = LIST_INIT(claimed);

    list_move(&claimed, &lane->claimed);
    lane_release(lane);
    any_lane_unpost_claimed(&claimed);
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

    if (lane_of_thread == LANE_EACH_IN_TURN)
        return all ? poll_others(used) : visit(used);
    events = take_and_poll(&lanes[lane_of_thread]);
    others = used & ~(1u << lane_of_thread);
    if (all)
        events += poll_others(others);
    else if (++polls % VISIT_EVERY == 0 && others)
        events += visit(others);
    return events;
}

int p2p_poll(bool all)
{
    /* acquire: pairs with lane_assign */
    uint32_t used = atomic_load_explicit(&lane_used, memory_order_acquire);

    return used == 1 ? take_and_poll(&lanes[0]) : poll_several(used, all);
}

/* By mpiexec --check, or under another launcher by the library that is loaded first (insight/). */
static bool is_checked(void)
{
    return getenv("INKLING_JOB_BOARD") || hint_text(&hint_process, HINT_CHECK);
}

int p2p_open(void)
{
    if (!request_done_send())
        return fail(MPI_ERR_NO_MEM, "no memory for a request");
    request_is_never_shared = is_checked();
    lane_init();
    cancel_init();
    probe_init();
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

    return !t->is_detached || !t->awaits_cts;
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
        found = has_any_of(&lane->rts_sent, comm) || has_any_of(&lane->sending, comm) ||
                has_any_of(&lane->piped, comm) || packet_is_queued(lane, comm);
        lane_release(lane);
    }
    return found;
}

void p2p_wait_sends(const struct comm *comm)
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
        for (const struct link *l = lane->rts_sent.next; l != &lane->rts_sent && !found; l = l->next)
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
static bool has_unfinished(int *unanswered)
{
    bool unfinished = false;

    *unanswered = 0;
    for (struct lane *lane = lanes; lane < lanes + NET_LANES; lane++) {
        lane_take(lane);
        *unanswered += count_links(&lane->rts_sent) + count_links(&lane->sending);
        unfinished = unfinished || lane->stuck_count || lane->piped_sends;
        lane_release(lane);
    }
    return unfinished || *unanswered;
}

static void wait_until_sent(void)
{
    uint64_t end = clock_ns() + LAST_PACKETS_NS;
    struct wait w = WAIT_START;

    while (!net_has_sent_all() && clock_ns() < end)
        progress_wait(&w);
}

void p2p_drain(void)
{
    uint64_t warn_at = clock_ns() + WARN_AFTER_NS;
    struct wait w = WAIT_START;
    int unanswered;

    progress_stay_awake(1); /* to look at the clock now and then */
    while (has_unfinished(&unanswered)) {
        progress_wait(&w);
        if (warn_at && clock_ns() > warn_at) {
            log_warn("MPI_Finalize waits for %d sends that no receive has taken", unanswered);
            warn_at = 0;
        }
    }
    wait_until_sent();
    progress_stay_awake(-1);
}

void p2p_say_over(void)
{
    lost_tell_finalized();
    p2p_drain();
}
