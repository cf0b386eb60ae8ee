#include "p2p/transfer.h"

#include "base/copy.h"
#include "base/fail.h"
#include "net/net.h"

#include <stdlib.h>

enum {
    GET_BYTES = 64 * 1024 /* of a message that is to be unpacked, at a time: still in cache then */
};

struct lock p2p_engine = LOCK_INIT;

static void transfer_release(struct request *r)
{
    struct transfer *t = transfer_of(r);

    if (t->packed) /* the look costs less than the call */
        free(t->packed);
    if (t->layout)
        datatype_unref(t->layout);
    comm_unref(t->comm);
}

static const struct request_ops transfer_ops = {.cancel = p2p_cancel_recv, .release = transfer_release};

bool transfer_is(const struct request *r)
{
    return r->ops == &transfer_ops;
}

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

    request_complete(r, error ? error : t->fault);
    if (t->then)
        t->then(r, t->context);
    request_unref(r);
}

int transfer_tell(struct transfer *t, enum message_kind kind, const void *payload, size_t length)
{
    struct message m = {.length = (uint32_t)length,
                        .kind = (uint8_t)kind,
                        .plane = t->plane,
                        .context = t->comm->context,
                        .source = t->comm->rank};

    return packet_send(t->peer, &m, payload, NULL);
}

void transfer_set_room(struct transfer *t, void *buf, MPI_Count count, struct datatype *type, size_t bytes)
{
    const void *run;

    t->buffer = buf;
    t->bytes = bytes;
    t->device = datatype_device(type, buf, hint_buffer_kinds(&t->comm->hints));
    if (type->dense && !t->device)
        return;
    if (!t->device && datatype_is_run(type, count, buf, &run)) {
        t->buffer = (unsigned char *)(uintptr_t)run;
        return;
    }
    datatype_ref(type);
    t->layout = type;
}

void transfer_put(struct transfer *t, size_t from, const void *payload, size_t bytes)
{
    int error = MPI_SUCCESS;

    if (t->layout)
        error = datatype_unpack_to(t->device, t->layout, t->buffer, from, payload, bytes);
    else
        copy_bytes(t->buffer + from, payload, bytes);
    if (__builtin_expect(error != 0, 0) && !t->fault)
        t->fault = error;
}

bool transfer_get(struct transfer *t, uint64_t address, size_t bytes)
{
    static unsigned char part[GET_BYTES]; /* under the engine's lock */
    const struct transport *net = t->peer->transport;
    const void *there = net_map(t->peer, address, bytes);

    if (there) {
        transfer_put(t, 0, there, bytes);
        return true;
    }
    if (!net->get)
        return false;
    if (!t->layout)
        return net->get(t->peer, t->buffer, address, bytes) == MPI_SUCCESS;
    for (size_t at = 0; at < bytes; at += GET_BYTES) {
        size_t n = bytes - at < GET_BYTES ? bytes - at : GET_BYTES;

        if (net->get(t->peer, part, address + at, n) != MPI_SUCCESS)
            return false;
        transfer_put(t, at, part, n);
    }
    return true;
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
