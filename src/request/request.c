#include "request/request.h"

#include "base/live.h"
#include "plain/fail.h"
#include "progress/progress.h"

#include <stdlib.h>
#include <string.h>

static struct pool_stripe stripes[THREAD_STRIPES] = {[0 ... THREAD_STRIPES - 1] = {.lock = LOCK_INIT}};
struct pool request_pool = {.kind = OBJECT_REQUEST,
                            .size = sizeof(struct request),
                            .serial = true,
                            .lock = LOCK_INIT,
                            .stripe = stripes,
                            .chunks = POOL_CHUNKS};

const struct status status_empty = {.source = MPI_ANY_SOURCE, .tag = MPI_ANY_TAG, .error = MPI_SUCCESS};

int request_new(enum request_kind kind, const struct request_ops *ops, struct request **r)
{
    int error = request_take(kind, ops, r);

    if (!error)
        memset((*r)->space, 0, sizeof(*r)->space);
    return error;
}

MPI_Request request_hand_out_persistent(struct request *r, const void *caller)
{
    if (!r->persistent)
        return request_hand_out(r, caller);
    r->places = malloc(sizeof *r->places);
    if (r->places)
        *r->places = (struct request_places){.made = caller};
    return (MPI_Request)(uintptr_t)object_handle(&r->object);
}

void request_release(struct request *r)
{
    if (r->ops && r->ops->release)
        r->ops->release(r);
    if (r->note) /* the test costs less than the call */
        free(r->note);
    if (__builtin_expect(r->persistent, 0))
        free(r->places);
    pool_free(&request_pool, r);
}

void request_note(struct request *r, int error)
{
    if (!r->note && fail_class() == error)
        r->note = strdup(fail_note());
}

struct request *request_done_send(void)
{
    static struct request *done; /* made by MPI_Init's thread, through net_open; constant afterwards */

    if (!done && request_new(REQUEST_SEND, NULL, &done) == MPI_SUCCESS) {
        done->immortal = true;
        done->active = true;
        request_complete(done, MPI_SUCCESS);
    }
    return done;
}

bool request_is_never_shared;

__attribute__((noinline, cold)) static struct request *make_done_send(void)
{
    struct request *own;

    if (request_take(REQUEST_SEND, NULL, &own))
        return request_done_send();
    own->active = true;
    request_complete(own, MPI_SUCCESS);
    return own;
}

struct request *request_of_done_send(void)
{
    return __builtin_expect(request_is_never_shared, 0) ? make_done_send() : request_done_send();
}

static struct lock done_lock = LOCK_INIT; /* guards the list */
static struct link done_given = LIST_INIT(done_given);

/* In the space of a request, which is not used otherwise. */
static struct link *link_of(struct request *r)
{
    return (struct link *)(void *)r->space;
}

static struct request *take_given(void)
{
    struct link *l = NULL;

    lock_take(&done_lock);
    if (!list_is_empty(&done_given)) {
        l = done_given.next;
        list_remove(l);
        live_add(LIVE_REQUEST, 1);
    }
    lock_release(&done_lock);
    return l ? (struct request *)(void *)((char *)l - offsetof(struct request, space)) : NULL;
}

struct request *request_done_take(struct object *owner)
{
    struct request *r = take_given();

    if (!r && request_new(REQUEST_COLL, NULL, &r) != MPI_SUCCESS)
        return NULL;
    r->owner = owner;
    r->immortal = true;
    r->active = true;
    request_complete(r, MPI_SUCCESS);
    return r;
}

void request_done_give(struct request *r)
{
    r->owner = NULL;
    lock_take(&done_lock);
    list_add(&done_given, link_of(r));
    live_add(LIVE_REQUEST, -1); /* it waits in the list to be reused */
    lock_release(&done_lock);
}

int request_wait(struct request *r)
{
    struct wait w = WAIT_START;

    request_spin(r);
    while (!request_is_done(r))
        progress_wait_for(&w, WAIT_REQUEST, r, 0);
    if (r->status.error && r->note)
        return fail(r->status.error, "%s", r->note);
    return r->status.error;
}

int request_start(struct request *r, const void *caller)
{
    int error;

    if (!r->persistent)
        return fail(MPI_ERR_REQUEST, "the request is not persistent: it was started when it was made");
    if (r->active)
        return fail(MPI_ERR_REQUEST, "the request is active: complete it before it is started again");
    if (r->places)
        r->places->started = caller;
    atomic_store_explicit(&r->done, false, memory_order_relaxed);
    free(r->note);
    r->note = NULL;
    r->status = status_empty;
    r->active = true;
    error = r->ops->start(r);
    if (error)
        r->active = false;
    return error;
}

void request_start_or_complete(struct request *r, const void *caller)
{
    int error = request_start(r, caller);

    if (!error)
        return;
    r->active = true;
    request_complete(r, error);
}

static bool can_be_cancelled(const struct request *r)
{
    return r->kind == REQUEST_SEND || r->kind == REQUEST_RECV || r->kind == REQUEST_GENERALIZED ||
           r->kind == REQUEST_MULTI;
}

int request_cancel(struct request *r)
{
    if (!can_be_cancelled(r))
        return fail(MPI_ERR_REQUEST, "only point-to-point and generalized requests can be cancelled");
    if (!r->active)
        return fail(MPI_ERR_REQUEST, "the request is not active: there is nothing to cancel");
    return r->ops && r->ops->cancel ? r->ops->cancel(r) : MPI_SUCCESS;
}

int request_mark(uint64_t handle, const void *caller)
{
    struct request *r = object_find_in_pool(&request_pool, handle);

    if (!r)
        return 0;
    if (!r->persistent) {
        if (!r->immortal) /* what all share is not written to */
            r->posted = caller;
    } else if (r->places) {
        *(r->active ? &r->places->started : &r->places->made) = caller;
    }
    return object_to_int(&r->object);
}
