#include "coll/call.h"

#include "base/fail.h"
#include "p2p/p2p.h"

#include <limits.h>
#include <stdlib.h>

int call_start(struct call *call, struct comm *comm)
{
    if (comm_is_inter(comm))
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "collectives on intercommunicators are not written yet");
    call->comm = comm;
    call->rank = comm->rank;
    call->size = comm->size;
    call->tag = (int)(comm->coll_sequence++ & INT_MAX);
    call->error = 0;
    call->posted = 0;
    return 0;
}

int call_finish(struct call *call)
{
    call_wait_posted(call);
    return call->error;
}

void call_note(struct call *call, int error)
{
    if (error && !call->error)
        call->error = error;
}

void call_send(struct call *call, struct block from, int dest)
{
    call_note(call, p2p_send(from.at, from.count, from.type, dest, call->tag, call->comm, PLANE_COLL,
                             SEND_STANDARD));
}

void call_recv(struct call *call, struct block to, int source)
{
    call_note(call, p2p_recv(to.at, to.count, to.type, source, call->tag, call->comm, PLANE_COLL, NULL));
}

void call_exchange(struct call *call, struct block from, int dest, struct block to, int source)
{
    call_note(call, p2p_sendrecv(from.at, from.count, from.type, dest, call->tag, to.at, to.count, to.type,
                                 source, call->tag, call->comm, PLANE_COLL, NULL));
}

void call_copy(struct call *call, struct block from, struct block to)
{
    call_note(call, datatype_copy(from.at, from.count, from.type, to.at, to.count, to.type));
}

void call_reduce(const struct op *op, struct block from, struct block into)
{
    op_apply(op, from.at, into.at, from.count < into.count ? from.count : into.count, into.type);
}

void call_wait_posted(struct call *call)
{
    for (int i = 0; i < call->posted; i++) {
        call_note(call, request_wait(call->post[i]));
        request_unref(call->post[i]);
    }
    call->posted = 0;
}

static struct request **free_post(struct call *call)
{
    if (call->posted == CALL_POSTED_LIMIT)
        call_wait_posted(call);
    return &call->post[call->posted];
}

void call_post_send(struct call *call, struct block from, int dest)
{
    int error = p2p_isend(from.at, from.count, from.type, dest, call->tag, call->comm, PLANE_COLL,
                          SEND_STANDARD, free_post(call));

    call->posted += !error;
    call_note(call, error);
}

void call_post_recv(struct call *call, struct block to, int source)
{
    int error =
        p2p_irecv(to.at, to.count, to.type, source, call->tag, call->comm, PLANE_COLL, free_post(call));

    call->posted += !error;
    call_note(call, error);
}

struct block call_scratch(struct call *call, MPI_Count count, struct datatype *type)
{
    struct block b = {NULL, count, type};
    size_t bytes = block_bytes(b);

    if (bytes)
        b.at = malloc(bytes);
    if (bytes && !b.at) {
        call_note(call, fail(MPI_ERR_NO_MEM, "no memory for %zu bytes that a collective needs", bytes));
        b.count = 0;
    }
    return b;
}

size_t block_bytes(struct block block)
{
    return (size_t)block.count * (size_t)block.type->extent;
}
