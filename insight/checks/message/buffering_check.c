#include "insight/checks/message/message_check.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/findings/finding.h"
#include "insight/order/order_clock.h"

enum {
    EVENTS = 256, /* of a rank, the first ones */
    JOB = 16,     /* ranks, at most */
    UNKNOWN = -1
};

enum event_kind {
    EVENT_SENDING,
    EVENT_SENT,
    EVENT_POSTED,
    EVENT_RECEIVED,
    EVENT_MET
};

struct traced_event {
    enum event_kind kind;
    int peer;    /* in MPI_COMM_WORLD, or how many meet */
    uint64_t n;  /* of the message, or which collective */
    int partner; /* what it waits for: an event of the peer's */
    uint32_t procedure;
    struct call_place place;
};

struct trace_list {
    int count, at; /* at: how far it has come */
    bool is_partial;
    struct traced_event event[EVENTS];
};

/* This rank's; NULL: it writes nothing down. */
static struct trace_list *list_of_rank(void)
{
    struct board_rank *r =
        process.is_shared && !process.gathers && process.size <= JOB && process.sharing == process.size
            ? &board->rank[process.rank]
            : NULL;

    if (!r)
        return NULL;
    if (!r->events) {
        board_lock();
        r->events = board_allocate(sizeof(struct trace_list));
        board_unlock();
    }
    return r->events ? board_at(r->events) : NULL;
}

bool buffering_check_is_over;

static struct traced_event *add_event(const struct intercept *call, enum event_kind kind, int peer,
                                      uint64_t n)
{
    struct trace_list *l = list_of_rank();
    struct traced_event *e;

    buffering_check_is_over |= l && l->is_partial;
    if (!l || buffering_check_is_over)
        return NULL;
    if (l->count == EVENTS || thread_check_is_shared()) {
        l->is_partial = true;
        return NULL;
    }
    e = &l->event[l->count++];
    *e = (struct traced_event){
        kind, peer, n, UNKNOWN, (uint32_t)(call->procedure - procedures), finding_place(call->site)};
    return e;
}

void buffering_check_sending_early(const struct intercept *call, int to, uint64_t n)
{
    add_event(call, EVENT_SENDING, to, n);
}

/* MPI_Bsend waits for nobody. */
void buffering_check_sent_early(const struct intercept *call, const struct procedure *sender, int to,
                                uint64_t n)
{
    if (!sender->is_buffered)
        add_event(call, EVENT_SENT, to, n);
}

int buffering_check_posted_early(const struct intercept *call)
{
    struct traced_event *e = add_event(call, EVENT_POSTED, UNKNOWN, 0);

    return e ? (int)(e - list_of_rank()->event) + 1 : 0;
}

void buffering_check_matched(int posted, int from, uint64_t n)
{
    struct trace_list *l = posted ? list_of_rank() : NULL;

    if (!l)
        return;
    l->event[posted - 1].peer = from;
    l->event[posted - 1].n = n;
}

void buffering_check_received(const struct intercept *call, int posted)
{
    if (posted)
        add_event(call, EVENT_RECEIVED, UNKNOWN, (uint64_t)posted - 1);
}

void buffering_check_met(const struct intercept *call, uint64_t number, uint64_t turn, int members)
{
    add_event(call, EVENT_MET, members, number ^ turn * 0x9e3779b97f4a7c15u);
}

void buffering_check_give_up(void)
{
    struct trace_list *l = list_of_rank();

    if (l)
        l->is_partial = true;
}

static int find_event(const struct trace_list *l, enum event_kind kind, int peer, uint64_t n)
{
    for (int i = 0; i < l->count; i++)
        if (l->event[i].kind == kind && l->event[i].peer == peer && l->event[i].n == n)
            return i;
    return UNKNOWN;
}

/* False: whom a send or a receive waits for is not known. */
static bool find_partners(struct trace_list *const *lists, int rank)
{
    struct trace_list *l = lists[rank];

    for (int i = 0; i < l->count; i++) {
        struct traced_event *e = &l->event[i];

        if (e->kind == EVENT_RECEIVED) {
            e->peer = l->event[e->n].peer;
            e->n = l->event[e->n].n;
        }
        if (e->kind != EVENT_SENT && e->kind != EVENT_RECEIVED)
            continue;
        if (e->peer < 0)
            return false;
        e->partner =
            find_event(lists[e->peer], e->kind == EVENT_SENT ? EVENT_POSTED : EVENT_SENDING, rank, e->n);
        if (e->partner == UNKNOWN)
            return false;
    }
    return true;
}

static bool can_pass(struct trace_list *const *lists, const struct traced_event *e)
{
    int come = 0;

    if (e->kind == EVENT_SENDING || e->kind == EVENT_POSTED)
        return true;
    if (e->kind != EVENT_MET)
        return lists[e->peer]->at > e->partner;
    for (int i = 0; i < process.size; i++) {
        int there = find_event(lists[i], EVENT_MET, e->peer, e->n);

        come += there != UNKNOWN && lists[i]->at >= there;
    }
    return come >= e->peer;
}

static void pass_all(struct trace_list *const *lists)
{
    bool moves = true;

    while (moves) {
        moves = false;
        for (int i = 0; i < process.size; i++)
            for (struct trace_list *l = lists[i]; l->at < l->count && can_pass(lists, &l->event[l->at]);
                 l->at++)
                moves = true;
    }
}

static const struct traced_event *stuck_at(const struct trace_list *l)
{
    return l->at < l->count ? &l->event[l->at] : NULL;
}

/* A rank that comes to this collective call later, and waits in a receive until then; UNKNOWN: none. */
static int find_late_receiver(struct trace_list *const *lists, const struct traced_event *met)
{
    for (int i = 0; i < process.size; i++) {
        const struct traced_event *e = stuck_at(lists[i]);

        if (e && e->kind == EVENT_RECEIVED && find_event(lists[i], EVENT_MET, met->peer, met->n) != UNKNOWN)
            return i;
    }
    return UNKNOWN;
}

/* No send waits, so it is a collective call which one rank has left before another has come. */
static void say_stuck_collective(struct trace_list *const *lists)
{
    for (int i = 0; i < process.size; i++) {
        const struct traced_event *e = stuck_at(lists[i]), *other;
        int late = e && e->kind == EVENT_MET ? find_late_receiver(lists, e) : UNKNOWN;

        if (late == UNKNOWN)
            continue;
        other = stuck_at(lists[late]);
        finding_add(&(struct finding_about){.class = FINDING_BUFFERING,
                                            .at = e->place,
                                            .other = other->place,
                                            .role = "where the other rank receives",
                                            .rank = &i,
                                            .fix = "send before the collective call, or receive after it: "
                                                   "any collective call may wait for all ranks"},
                    "rank %d waits for a message of rank %d before it calls %s, and is sent it only because "
                    "that call of rank %d does not wait for it",
                    late, other->peer, procedures[e->procedure].name, i);
        return;
    }
}

/* The first rank that would wait in a send. */
static void say_stuck(struct trace_list *const *lists)
{
    const struct traced_event *e = NULL, *other = NULL;
    int first = 0;

    while (first < process.size && (!(e = stuck_at(lists[first])) || e->kind != EVENT_SENT))
        first++;
    if (first == process.size) {
        say_stuck_collective(lists);
        return;
    }
    other = stuck_at(lists[e->peer]);
    finding_add(
        &(struct finding_about){
            .class = FINDING_BUFFERING,
            .at = e->place,
            .other = other ? other->place : (struct call_place){0, 0},
            .role = "where its receiver waits before it receives",
            .rank = &first,
            .fix = "let one side receive first, or use nonblocking calls: MPI need not buffer a message"},
        "the send of rank %d to rank %d returns only because its message is buffered: its receive is "
        "posted after calls that need this rank to go on",
        first, e->peer);
}

static void go_through(void)
{
    struct trace_list *lists[JOB];

    for (int i = 0; i < process.size; i++) {
        lists[i] = board->rank[i].events ? board_at(board->rank[i].events) : NULL;
        if (!lists[i] || lists[i]->is_partial)
            return;
    }
    for (int i = 0; i < process.size; i++)
        if (!find_partners(lists, i))
            return;
    pass_all(lists);
    say_stuck(lists);
}

void buffering_check_end(void)
{
    if (!list_of_rank() || atomic_fetch_add_explicit(&board->gone_through, 1, memory_order_acq_rel) + 1 !=
                               (uint32_t)process.size)
        return; /* acquire: pairs with the release of the others, whose lists are written */
    if (!finding_is_known(~(UINT64_C(1) << FINDING_LEAK)))
        go_through();
}
