#include "p2p/bundle.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

int bundle_new(enum request_kind kind, const struct request_ops *ops, struct comm *comm, struct request **r)
{
    int error = request_new(kind, ops, r);

    if (error)
        return error;
    *bundle_of(*r) = (struct bundle){.comm = comm};
    if (comm) {
        comm_ref(comm);
        (*r)->owner = &comm->object;
    }
    return MPI_SUCCESS;
}

void bundle_release(struct request *r)
{
    free(bundle_of(r)->note);
    if (bundle_of(r)->comm)
        comm_unref(bundle_of(r)->comm);
}

/* The caller holds the engine. */
static void complete(struct request *r)
{
    struct bundle *b = bundle_of(r);

    if (b->end)
        b->end(r);
    if (b->error && b->note)
        fail(b->error, "%s", b->note);
    request_complete(r, b->error);
    request_unref(r);
}

void bundle_start(struct request *r, int children)
{
    struct bundle *b = bundle_of(r);

    free(b->note);
    b->note = NULL;
    b->error = MPI_SUCCESS;
    b->pending = children;
    request_ref(r);
    if (children)
        return;
    lock_take(&p2p_engine);
    complete(r);
    lock_release(&p2p_engine);
}

void bundle_expect(struct request *r, int more)
{
    lock_take(&p2p_engine);
    bundle_of(r)->pending += more;
    lock_release(&p2p_engine);
}

void bundle_count(struct request *r)
{
    if (--bundle_of(r)->pending == 0)
        complete(r);
}

static void note_error(struct bundle *b, int error, const char *note)
{
    if (!error || b->error)
        return;
    b->error = error;
    b->note = note ? strdup(note) : NULL;
}

static void child_done(struct request *child, void *context)
{
    struct request *r = context;

    note_error(bundle_of(r), child->status.error, child->note);
    if (child->kind == REQUEST_RECV)
        r->status = child->status;
    request_unref(child);
    bundle_count(r);
}

void bundle_add(struct request *r, struct request *child)
{
    transfer_then(child, child_done, r);
}

void bundle_fail(struct request *r, int error)
{
    lock_take(&p2p_engine);
    note_error(bundle_of(r), error, fail_note());
    bundle_count(r);
    lock_release(&p2p_engine);
}
