/* shm_request: requests of collectives through mailboxes. Those that share mailboxes, all of one
 * communicator and form, complete in the order of their sequence numbers, which is that of their starts: the
 * standard lets a collective wait until all ranks have called it, and by then they have called those before
 * it. Persistent ones that have mailboxes to themselves wait for no other. */
#include "base/thread.h"
#include "coll/shm/irregular.h"
#include "coll/shm/persistent_slot.h"
#include "coll/shm/shm_coll.h"
#include "plain/fail.h"
#include "progress/poll_queue.h"

#include <stdlib.h>
#include <string.h>

enum {
    SPIN_LOOKS = 64
};

/* In the space of a request. */
struct shm_request {
    struct shm_run run; /* whose call is a struct kept_call */
    struct link link;   /* in boxes->unpublished, then in boxes->published */
};
_Static_assert(sizeof(struct shm_request) <= REQUEST_SPACE, "a request has space for it");

/* The mailboxes with requests in flight. The lock guards these requests' lists as well; the runner of the
 * queue goes on with them, and takes them out of the lists. */
static struct poll_queue busy = POLL_QUEUE_INIT(busy);

static struct shm_request *shm_request_of(struct request *r)
{
    return (struct shm_request *)(void *)r->space;
}

static struct shm_request *first_of(struct link *list)
{
    struct link *first = poll_queue_next(&busy, list, list);

    return first ? LIST_ENTRY(first, struct shm_request, link) : NULL;
}

/* Nobody wakes this process for what an unpublished one waits for. */
static void update_wakefulness(struct mailboxes *s)
{
    struct shm_request *first = first_of(&s->published);
    bool must = first_of(&s->unpublished) || (first && engine_waits_for_done(&first->run));

    if (must != s->stays_awake)
        progress_stay_awake(must ? 1 : -1);
    s->stays_awake = must;
}

/* The mailboxes may go with their last request. */
static void shm_request_complete(struct mailboxes *s, struct shm_request *request)
{
    struct request *r = LIST_ENTRY(request, struct request, space);

    lock_take(&busy.lock);
    list_remove(&request->link);
    if (list_is_empty(&s->published) && list_is_empty(&s->unpublished))
        poll_queue_remove(&busy, &s->link);
    lock_release(&busy.lock);
    update_wakefulness(s);
    request_complete(r, request->run.error);
    request_unref(r);
}

static bool has_messages_now(const struct shm_run *run)
{
    return run->is_irregular && run->irregular->messages;
}

/* True when the call is over. */
static bool advance_run(struct shm_run *run)
{
    if (!run->is_irregular)
        return engine_advance(run);
    return (has_messages_now(run) || engine_advance(run)) && irregular_advance(run);
}

/* Contributions are published in order, as early as there is room, whatever this rank still waits for. */
static int advance_mailboxes(struct mailboxes *s)
{
    int events = 0;
    struct link *next = &s->published;

    for (struct shm_request *a = first_of(&s->unpublished); a && engine_publish(&a->run);
         a = first_of(&s->unpublished)) {
        lock_take(&busy.lock);
        list_remove(&a->link);
        list_add(&s->published, &a->link);
        lock_release(&busy.lock);
        events++;
    }
    for (struct shm_request *a = first_of(&s->published); a && advance_run(&a->run);
         a = next ? LIST_ENTRY(next, struct shm_request, link) : NULL) {
        next = poll_queue_next(&busy, &a->link, &s->published);
        events++;
        shm_request_complete(s, a);
    }
    if (next)
        update_wakefulness(s);
    return events;
}

static int advance_all(bool all)
{
    struct link *next;
    int events = 0;

    (void)all;
    for (struct link *l = poll_queue_next(&busy, &busy.entries, &busy.entries); l; l = next) {
        next = poll_queue_next(&busy, l, &busy.entries); /* stays: its requests hold its communicator */
        events += advance_mailboxes(LIST_ENTRY(l, struct mailboxes, link));
    }
    return events;
}

static int poll_shm_requests(bool all)
{
    return poll_queue_run(&busy, advance_all, all);
}

/* Looks for what this request waits for in mailboxes, and for nothing else. */
static void spin_shm_request(struct request *r)
{
    const struct shm_run *run = &shm_request_of(r)->run;
    int seen = 1;

    if (lock_enabled || progress_is_crowded() || !run_once_begin(&busy.runner))
        return;
    for (int i = 0; i < SPIN_LOOKS && !request_is_done(r) && !has_messages_now(run); i++) {
        advance_mailboxes(run->boxes);
        thread_relax();
    }
    run_once_end(&busy.runner, &seen);
}

/* Goes on with a call that is in no list, as far as those before it let it. Whether it is over, as a
 * broadcast is at once for its root. */
static bool try_first(struct shm_run *run)
{
    struct mailboxes *s = run->boxes;
    bool is_over = false, is_first;
    int seen = 1;

    if (s->slab) /* there are none before it, and nobody else goes on with it */
        return advance_run(run);
    if (!run_once_begin(&busy.runner))
        return false;
    lock_take(&busy.lock);
    is_first = list_is_empty(&s->link);
    lock_release(&busy.lock);
    if (is_first)
        is_over = advance_run(run);
    else if (!first_of(&s->unpublished))
        engine_publish(run);
    while (!run_once_end(&busy.runner, &seen))
        advance_all(false);
    return is_over;
}

/* The poller goes on with it. */
static void hand_to_poller(struct request *r)
{
    struct shm_request *request = shm_request_of(r);
    struct mailboxes *s = request->run.boxes;
    bool must_wait = engine_waits_for_done(&request->run), is_next;

    request_ref(r);
    lock_take(&busy.lock);
    if (list_is_empty(&s->link))
        poll_queue_add(&busy, &s->link, false);
    is_next = request->run.is_published && list_is_empty(&s->unpublished);
    list_add(is_next ? &s->published : &s->unpublished, &request->link);
    lock_release(&busy.lock);
    if (must_wait)
        poll_shm_requests(false);
}

/* A collective to which all contribute: who has ended it without an error knows that all have begun it, and
 * have ended the start before. */
static int start_shm_request(struct request *r)
{
    struct shm_run *run = &shm_request_of(r)->run;
    struct mailboxes *s = run->boxes;

    if (s->slab && choice_synchronizes(run->call->list->collective) && !run->error)
        s->all_done = s->before;
    s->before = s->sequence;
    engine_begin(run);
    if (try_first(run))
        request_complete(r, run->error);
    else
        hand_to_poller(r);
    return MPI_SUCCESS;
}

/* Whether its starts are told apart by their order alone. Such requests are counted while they live; relaxed:
 * a rank that withdraws the assertion of that order has synchronized with making them. */
static bool is_ordered(const struct request *r, const struct mailboxes *s)
{
    return r->persistent && !s->slab;
}

static void release_shm_request(struct request *r)
{
    struct shm_request *request = shm_request_of(r);
    const struct coll_call *call = request->run.call;
    struct comm *comm = LIST_ENTRY(r->owner, struct comm, object);

    if (is_ordered(r, request->run.boxes))
        atomic_fetch_sub_explicit(&comm->ordered_requests, 1, memory_order_relaxed);
    datatype_unref(call->in.type);
    datatype_unref(call->out.type);
    if (call->op)
        op_unref((struct op *)(uintptr_t)call->op);
    free((void *)(uintptr_t)call);
    if (request->run.boxes->slab)
        persistent_slot_free(request->run.boxes);
    comm_unref(comm);
}

static const struct request_ops ops = {
    .start = start_shm_request, .release = release_shm_request, .spin = spin_shm_request};

/* The call of a request. Behind it are the arrays of counts and displacements of a call of which not all blocks are alike. */
struct kept_call {
    struct coll_call call; /* first: its address is that of the whole */
    struct coll_places places;
    struct irregular irregular; /* where the run has one */
};

/* The places that this rank reads later. What is not significant here may be anything. */
static struct coll_places significant_places(const struct shm_run *run)
{
    static const struct places nowhere;
    const struct coll_call *call = run->call;
    struct coll_places places = *call->places;
    bool is_root = call->root == run->boxes->rank;

    if (call->list->collective == COLL_GATHER && !is_root)
        places.to = nowhere;
    if (call->list->collective == COLL_SCATTER && !is_root)
        places.from = nowhere;
    return places;
}

/* Copies of the places and of the arrays of counts and displacements too: programs in languages that make temporary arrays for a
 * call use this memory again at once. NULL: no memory. */
static struct kept_call *keep_unequal(const struct shm_run *run)
{
    struct coll_places places = significant_places(run);
    int size = run->boxes->size;
    struct kept_call *kept =
        malloc(sizeof *kept + block_places_bytes(&places.from, size) + block_places_bytes(&places.to, size));

    if (!kept)
        return NULL;
    kept->call = *run->call;
    kept->call.places = &kept->places;
    kept->places = places;
    if (run->is_irregular)
        kept->irregular = *run->irregular;
    block_places_keep(&kept->places.to, size, block_places_keep(&kept->places.from, size, kept + 1));
    return kept;
}

static struct kept_call *keep_call(const struct shm_run *run)
{
    struct kept_call *kept;

    if (run->call->is_irregular)
        return keep_unequal(run);
    kept = malloc(sizeof *kept);
    if (kept)
        kept->call = *run->call;
    return kept;
}

static int new_shm_request(struct comm *comm, const struct shm_run *run, struct request **request)
{
    struct kept_call *kept = keep_call(run);
    struct request *r;
    int error =
        kept ? request_new(REQUEST_COLL, &ops, &r) : fail(MPI_ERR_NO_MEM, "no memory for a collective");

    if (error) {
        free(kept);
        return error;
    }
    *shm_request_of(r) = (struct shm_request){.run = *run};
    shm_request_of(r)->run.call = &kept->call;
    if (run->is_irregular)
        shm_request_of(r)->run.irregular = &kept->irregular;
    r->owner = &comm->object;
    datatype_ref(kept->call.in.type);
    datatype_ref(kept->call.out.type);
    if (kept->call.op)
        object_ref((struct object *)(uintptr_t)&kept->call.op->object);
    comm_ref(comm);
    poll_queue_register(&busy, poll_shm_requests);
    *request = r;
    return MPI_SUCCESS;
}

int shm_request_init(struct comm *comm, struct shm_run *run, struct request **request)
{
    int error;

    if (run->boxes == &persistent_slot_none)
        return fail(MPI_ERR_NO_MEM, "no memory for a persistent collective");
    error = new_shm_request(comm, run, request);
    if (error) {
        if (run->boxes->slab)
            persistent_slot_free(run->boxes);
        return error;
    }
    (*request)->persistent = true;
    if (is_ordered(*request, run->boxes))
        atomic_fetch_add_explicit(&comm->ordered_requests, 1, memory_order_relaxed);
    return MPI_SUCCESS;
}

static int answer_done(const struct shm_run *run, struct request **request)
{
    struct request *done = run->error ? NULL : schedule_done(run->boxes->comm);

    if (run->error)
        return run->error;
    if (!done)
        return fail(MPI_ERR_NO_MEM, "no memory for a request");
    *request = done;
    return MPI_SUCCESS;
}

/* Without memory for a request the call ends here. */
int shm_request_start(struct comm *comm, struct shm_run *run, struct request **request)
{
    struct wait w = WAIT_START;
    struct irregular irregular;
    struct request *r;
    int error;

    if (run->is_irregular)
        irregular_begin(run, &irregular, comm);
    engine_begin(run);
    if (try_first(run))
        return answer_done(run, request);
    error = new_shm_request(comm, run, &r);
    if (error) {
        while (!try_first(run))
            progress_wait(&w);
        return fail(error, "no memory for the request of a collective");
    }
    r->active = true;
    *request = r;
    hand_to_poller(r);
    return MPI_SUCCESS;
}
