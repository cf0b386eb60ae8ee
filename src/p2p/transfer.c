#include "p2p/transfer.h"

#include "base/fail.h"

struct lock p2p_engine = LOCK_INIT;

static void transfer_release(struct request *r)
{
    comm_unref(transfer_of(r)->comm);
}

static const struct request_ops transfer_ops = {.cancel = p2p_cancel_recv, .release = transfer_release};

int transfer_new(enum request_kind kind, struct comm *comm, enum plane plane, struct request **r)
{
    int error = request_new(kind, &transfer_ops, r);

    if (error)
        return error;
    comm_ref(comm);
    transfer_of(*r)->comm = comm;
    transfer_of(*r)->plane = (uint8_t)plane;
    (*r)->owner = &comm->object;
    (*r)->active = true;
    request_ref(*r);
    return MPI_SUCCESS;
}

void transfer_finish(struct transfer *t, int error)
{
    struct request *r = request_of(t);

    request_complete(r, error);
    if (t->then)
        t->then(r, t->context);
    request_unref(r);
}

void transfer_then(struct request *r, then_fn *then, void *context)
{
    lock_take(&p2p_engine);
    if (request_is_done(r)) {
        then(r, context);
    } else {
        transfer_of(r)->then = then;
        transfer_of(r)->context = context;
    }
    lock_release(&p2p_engine);
}
