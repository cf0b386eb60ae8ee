#include "p2p/multi_request.h"

#include "plain/fail.h"

#include <stdlib.h>
#include <string.h>

int multi_request_new(enum request_kind kind, const struct request_ops *ops, struct comm *comm,
                      struct request **r)
{
    int error = request_new(kind, ops, r);

    if (error)
        return error;
    multi_request_of(*r)->comm = comm;
    if (comm) {
        comm_ref(comm);
        (*r)->owner = &comm->object;
    }
    return MPI_SUCCESS;
}

void multi_request_release(struct request *r)
{
    free(multi_request_of(r)->note);
    if (multi_request_of(r)->comm)
        comm_unref(multi_request_of(r)->comm);
}

static void multi_request_complete(struct request *r)
{
    struct multi_request *b = multi_request_of(r);

    if (b->end)
        b->end(r);
    if (b->error && b->note)
        fail(b->error, "%s", b->note);
    request_complete(r, b->error);
    request_unref(r);
}

void multi_request_start(struct request *r, int children)
{
    struct multi_request *b = multi_request_of(r);

    free(b->note);
    b->note = NULL;
    b->error = MPI_SUCCESS;
    atomic_store_explicit(&b->pending, children, memory_order_relaxed); /* nobody counts yet */
    request_ref(r);
    if (!children)
        multi_request_complete(r);
}

void multi_request_expect(struct request *r, int more)
{
    /* relaxed: a child that the caller stands for is pending */
    atomic_fetch_add_explicit(&multi_request_of(r)->pending, more, memory_order_relaxed);
}

void multi_request_count(struct request *r)
{
    if (atomic_fetch_sub_explicit(&multi_request_of(r)->pending, 1, memory_order_acq_rel) == 1)
        multi_request_complete(r);
}

static void note_error(struct multi_request *b, int error, const char *note)
{
    static struct lock noting = LOCK_INIT; /* guards error and note of all of them */

    if (!error)
        return;
    lock_take(&noting);
    if (!b->error) {
        b->error = error;
        b->note = note ? strdup(note) : NULL;
    }
    lock_release(&noting);
}

static void child_done(struct request *child, void *context)
{
    struct request *r = context;

    note_error(multi_request_of(r), child->status.error, child->note);
    if (child->kind == REQUEST_RECV && r->kind == REQUEST_MULTI) /* it has no other receive */
        r->status = child->status;
    if (child->status.cancelled)
        r->status.cancelled = true;
    request_unref(child);
    multi_request_count(r);
}

void multi_request_add(struct request *r, struct request *child)
{
    transfer_on_done(child, child_done, r);
}

void multi_request_fail(struct request *r, int error)
{
    note_error(multi_request_of(r), error, fail_note());
    multi_request_count(r);
}
