#include "p2p/lent.h"

#include "base/fail.h"
#include "base/log.h"
#include "hint/hint.h"
#include "memory/borrow.h"
#include "net/net.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_BYTES = 64 * 1024 /* below, what the drivers do for it costs more than two copies */
};

static int begin(const void *run, size_t bytes, struct peer *peer, const struct loan *loan, int tag,
                 struct comm *comm, enum plane plane, struct request **request)
{
    struct lent_offer lent = {.offer = {.bytes = bytes, .address = (uint64_t)(uintptr_t)run}, .loan = *loan};
    struct request *r;
    int error = transfer_new_send(run, bytes, peer, comm, plane, &r);

    if (error)
        return error;
    transfer_of(r)->lent = (uint8_t)(loan->kind + 1);
    lent.offer.sender = object_handle(&r->object);
    error = send_offer(transfer_of(r), tag, &lent.offer, sizeof lent);
    if (error)
        return transfer_abandon(r, error);
    *request = r;
    return MPI_SUCCESS;
}

/* Whether it is another process of this host. */
static bool is_near(const struct peer *peer)
{
    return peer->transport->line && sizeof(struct lent_offer) <= peer->transport->limits(peer)->message_max;
}

int lent_isend(const void *run, size_t bytes, const struct device *device, int dest, int tag,
               struct comm *comm, enum plane plane, struct request **request)
{
    struct lane *lane = lane_to(comm, plane, tag);
    struct loan loan;
    struct peer *peer;
    int error = MPI_SUCCESS;

    *request = NULL;
    if (bytes < LEAST_BYTES || !hint_process.value[HINT_DEVICE_IPC])
        return MPI_SUCCESS;
    lane_take(lane);
    peer = net_peer(lane_number(lane), comm->process[dest]);
    if (!peer)
        error = fail_class();
    else if (is_near(peer) && kind_lend(device, run, &loan))
        error = begin(run, bytes, peer, &loan, tag, comm, plane, request);
    lane_release(lane);
    return error;
}

static int copy_to_host(struct transfer *t)
{
    const struct device *device = kind_table[t->lent - 1].device;
    void *copy = malloc(t->bytes);
    int error;

    if (!copy)
        return fail(MPI_ERR_NO_MEM, "no memory for a copy of %zu bytes of a device", t->bytes);
    error = device->copy(copy, t->buffer, t->bytes);
    if (error) {
        free(copy);
        return error;
    }
    t->packed = copy;
    t->buffer = copy;
    t->lent = 0;
    return MPI_SUCCESS;
}

int lent_bring(struct transfer *t)
{
    struct put failed = {t->partner, 1};
    int error = copy_to_host(t);

    if (!error)
        return MPI_SUCCESS;
    if (transfer_tell(t, MESSAGE_PUT, &failed, sizeof failed))
        log_die("no memory to tell process %d that its message does not come", t->peer->process);
    request_note(request_of(t), error);
    transfer_finish(t, error);
    return error;
}

/* The receiver copies with the device's driver, so its own communicator must allow for that. */
static bool may_borrow(const struct transfer *t, const struct loan *loan)
{
    if (loan->kind >= KIND_COUNT || !kind_table[loan->kind].device ||
        !(hint_buffer_kinds(&t->comm->hints) & kind_device_bit((enum kind_id)loan->kind)))
        return false;
    return t->device ? t->device == kind_table[loan->kind].device : !t->layout;
}

static int copy_borrowed(struct transfer *t, const struct device *device, const void *from)
{
    if (t->layout)
        return datatype_unpack_to(device, t->layout, t->buffer, 0, from, t->total);
    return device->copy(t->buffer, from, t->total);
}

bool lent_take(struct transfer *t, const struct lent_offer *lent)
{
    const void *from;
    struct borrowed *b =
        may_borrow(t, &lent->loan)
            ? borrow_begin(t->peer->process, &lent->loan, lent->offer.address, t->total, t->buffer, &from)
            : NULL;
    int error;

    if (!b)
        return false;
    error = copy_borrowed(t, kind_table[lent->loan.kind].device, from);
    borrow_end(b);
    return error == MPI_SUCCESS;
}
