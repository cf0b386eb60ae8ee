/* Requests of collectives that go through slots. Those that share stations, all of one communicator and form,
 * end in the order of their numbers, which is that of their starts: the standard lets a collective wait until
 * all ranks have called it, and by then they have called those before it. Persistent ones that have stations
 * to themselves wait for no other. */
#include "base/fail.h"
#include "base/run_once.h"
#include "coll/berth.h"
#include "coll/slots.h"
#include "progress/progress.h"

#include <string.h>

enum {
    HURRY_LOOKS = 64
};

/* In the space of a request. */
struct started {
    struct slot_call call;
    uint64_t before;  /* with stations to itself: their number before the last start */
    struct link link; /* in slots->waiting, then in slots->started */
};
_Static_assert(sizeof(struct started) <= REQUEST_SPACE, "a request has space for it");

static struct lock lock = LOCK_INIT;       /* guards the lists and is_polled */
static struct link busy = LIST_INIT(busy); /* the slots with requests in flight */
static bool is_polled;
static _Atomic int busy_count; /* of them; a hint for the poller */
static struct run_once turn;   /* who has it goes on with requests, and takes them out of the lists */

static struct started *started_of(struct request *r)
{
    return (struct started *)(void *)r->space;
}

static struct request *request_of(struct started *started)
{
    return (struct request *)(void *)((char *)started - offsetof(struct request, space));
}

static struct link *behind(struct link *l, const struct link *head)
{
    struct link *next;

    lock_take(&lock);
    next = l->next;
    lock_release(&lock);
    return next == head ? NULL : next;
}

static struct started *first_of(struct link *list)
{
    struct link *first = behind(list, list);

    return first ? LIST_ENTRY(first, struct started, link) : NULL;
}

/* Caller holds the lock. */
static void count_busy(int change)
{
    int count = atomic_load_explicit(&busy_count, memory_order_relaxed);

    atomic_store_explicit(&busy_count, count + change, memory_order_relaxed);
}

static void add(struct slots *s, struct started *started)
{
    bool is_next;

    lock_take(&lock);
    if (list_is_empty(&s->link)) {
        list_add(&busy, &s->link);
        count_busy(1);
    }
    is_next = started->call.is_published && list_is_empty(&s->waiting);
    list_add(is_next ? &s->started : &s->waiting, &started->link);
    lock_release(&lock);
}

/* Its data is on its way. */
static void move_on(struct slots *s, struct started *started)
{
    lock_take(&lock);
    list_remove(&started->link);
    list_add(&s->started, &started->link);
    lock_release(&lock);
}

/* Nobody tells of what an unpublished one waits for. */
static void stay_awake(struct slots *s)
{
    struct started *first = first_of(&s->started);
    bool must = first_of(&s->waiting) || (first && slot_waits_for_done(&first->call));

    if (must != s->stays_awake)
        progress_stay_awake(must ? 1 : -1);
    s->stays_awake = must;
}

/* The last one of its slots takes them along, perhaps. */
static void finish(struct slots *s, struct started *started)
{
    struct request *r = request_of(started);

    lock_take(&lock);
    list_remove(&started->link);
    if (list_is_empty(&s->started) && list_is_empty(&s->waiting)) {
        list_remove(&s->link);
        count_busy(-1);
    }
    lock_release(&lock);
    stay_awake(s);
    request_complete(r, started->call.error);
    request_unref(r);
}

/* What ranks put in is published in order, as early as there is room, whatever this one still waits for. */
static int advance(struct slots *s)
{
    int events = 0;
    struct link *next = &s->started;

    for (struct started *a = first_of(&s->waiting); a && slot_publish(&a->call); a = first_of(&s->waiting)) {
        move_on(s, a);
        events++;
    }
    for (struct started *a = first_of(&s->started); a && slot_try(&a->call);
         a = next ? LIST_ENTRY(next, struct started, link) : NULL) {
        next = behind(&a->link, &s->started);
        events++;
        finish(s, a);
    }
    if (next)
        stay_awake(s);
    return events;
}

static int advance_all(void)
{
    struct link *next;
    int events = 0;

    for (struct link *l = behind(&busy, &busy); l; l = next) {
        next = behind(l, &busy); /* stays: its requests hold its communicator */
        events += advance(LIST_ENTRY(l, struct slots, link));
    }
    return events;
}

static int poll(bool all)
{
    int events = 0, seen = 1;

    (void)all;
    if (!atomic_load_explicit(&busy_count, memory_order_relaxed) || !run_once_begin(&turn))
        return 0;
    do
        events += advance_all();
    while (!run_once_end(&turn, &seen));
    return events;
}

/* Looks for what this request waits for, and for nothing else. */
static void hurry(struct request *r)
{
    int seen = 1;

    if (lock_enabled || progress_is_crowded() || !run_once_begin(&turn))
        return;
    for (int i = 0; i < HURRY_LOOKS && !request_is_done(r); i++) {
        advance(started_of(r)->call.slots);
        progress_relax();
    }
    run_once_end(&turn, &seen);
}

static void be_polled(void)
{
    lock_take(&lock);
    if (!is_polled)
        progress_add_poller(poll);
    is_polled = true;
    lock_release(&lock);
}

static bool has_any(struct slots *s)
{
    bool found;

    lock_take(&lock);
    found = !list_is_empty(&s->link);
    lock_release(&lock);
    return found;
}

/* Goes on with a call that is in no list, as far as those before it let it. Whether it is over, as a
 * broadcast is at once for its root. */
static bool try_now(struct slot_call *call)
{
    struct slots *s = call->slots;
    bool is_over = false;
    int seen = 1;

    if (s->quay) /* there are none before it, and nobody else goes on with it */
        return slot_try(call);
    if (!run_once_begin(&turn))
        return false;
    if (!has_any(s))
        is_over = slot_try(call);
    else if (!first_of(&s->waiting))
        slot_publish(call);
    while (!run_once_end(&turn, &seen))
        advance_all();
    return is_over;
}

/* The poller goes on with it. */
static void hand_over(struct request *r)
{
    struct started *started = started_of(r);
    bool must_wait = slot_waits_for_done(&started->call);

    request_ref(r);
    add(started->call.slots, started);
    if (must_wait)
        poll(false);
}

/* A collective to which all contribute: who has ended it without an error knows that all have begun it, and
 * have ended the start before. */
static void learn(struct started *started)
{
    struct slots *s = started->call.slots;

    if (choice_synchronizes(started->call.what) && !started->call.error)
        s->all_done = started->before;
    started->before = s->number;
}

static int start(struct request *r)
{
    struct started *started = started_of(r);

    if (started->call.slots->quay)
        learn(started);
    slot_begin(&started->call);
    if (try_now(&started->call))
        request_complete(r, started->call.error);
    else
        hand_over(r);
    return MPI_SUCCESS;
}

/* Whether its starts are told apart by their order alone. Such requests are counted while they live; relaxed:
 * who takes the promise of that order back has ordered itself behind making them. */
static bool is_ordered(const struct request *r, const struct slots *s)
{
    return r->persistent && !s->quay;
}

static void release(struct request *r)
{
    struct started *started = started_of(r);
    struct comm *comm = started->call.slots->comm;

    if (is_ordered(r, started->call.slots))
        atomic_fetch_sub_explicit(&comm->ordered_requests, 1, memory_order_relaxed);
    datatype_unref(started->call.in.type);
    datatype_unref(started->call.out.type);
    if (started->call.op)
        op_unref((struct op *)(uintptr_t)started->call.op);
    if (started->call.slots->quay)
        berth_free(started->call.slots);
    comm_unref(comm);
}

static const struct request_ops once_ops = {.release = release, .hurry = hurry};
static const struct request_ops persistent_ops = {.start = start, .release = release, .hurry = hurry};

static int make_request(struct comm *comm, const struct slot_call *call, const struct request_ops *ops,
                        struct request **request)
{
    struct request *r;
    int error = request_new(REQUEST_COLL, ops, &r);

    if (error)
        return error;
    *started_of(r) = (struct started){.call = *call, .before = call->slots->number};
    r->owner = &comm->object;
    datatype_ref(call->in.type);
    datatype_ref(call->out.type);
    if (call->op)
        object_ref((struct object *)(uintptr_t)&call->op->object);
    comm_ref(comm);
    be_polled();
    *request = r;
    return MPI_SUCCESS;
}

int slots_keep(struct comm *comm, struct slot_call *call, struct request **request)
{
    int error;

    if (call->slots == &berth_none)
        return fail(MPI_ERR_NO_MEM, "no memory for a persistent collective");
    error = make_request(comm, call, &persistent_ops, request);
    if (error) {
        if (call->slots->quay)
            berth_free(call->slots);
        return error;
    }
    (*request)->persistent = true;
    if (is_ordered(*request, call->slots))
        atomic_fetch_add_explicit(&comm->ordered_requests, 1, memory_order_relaxed);
    return MPI_SUCCESS;
}

/* Without memory for a request. */
static void finish_now(struct slot_call *call)
{
    struct wait w = WAIT_START;

    while (!try_now(call))
        progress_wait(&w);
}

static int answer_done(const struct slot_call *call, struct request **request)
{
    struct request *done = call->error ? NULL : schedule_done(call->slots->comm);

    if (call->error)
        return call->error;
    if (!done)
        return fail(MPI_ERR_NO_MEM, "no memory for a request");
    *request = done;
    return MPI_SUCCESS;
}

int slots_start(struct comm *comm, struct slot_call *call, struct request **request)
{
    struct request *r;
    int error;

    slot_begin(call);
    if (try_now(call))
        return answer_done(call, request);
    error = make_request(comm, call, &once_ops, &r);
    if (error) {
        finish_now(call);
        return fail(error, "no memory for the request of a collective");
    }
    r->active = true;
    *request = r;
    hand_over(r);
    return MPI_SUCCESS;
}
