#include "p2p/rndv/ipc_copy.h"

#include "hint/hint.h"
#include "memory/ipc.h"
#include "net/net.h"
#include "plain/fail.h"
#include "plain/log.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_BYTES = 64 * 1024 /* below, what the drivers do for it costs more than two copies */
};

static int send_ipc_rts(const void *run, size_t bytes, struct peer *peer, const struct ipc_export *exported,
                        const struct envelope *e, struct request **request)
{
    struct ipc_rts ipc = {.rts = {.bytes = bytes, .address = (uint64_t)(uintptr_t)run},
                          .exported = *exported};
    struct request *r;
    int error = transfer_new_send(run, bytes, peer, e->comm, e->plane, &r);

    if (error)
        return error;
    transfer_of(r)->device_kind = (uint8_t)(exported->kind + 1);
    ipc.rts.sender = object_handle(&r->object);
    error = rndv_send_rts(transfer_of(r), e->tag, &ipc.rts, sizeof ipc);
    if (error)
        return transfer_abandon(r, error);
    *request = r;
    return MPI_SUCCESS;
}

int ipc_copy_isend(const void *run, size_t bytes, const struct device *device, const struct envelope *e,
                   struct request **request)
{
    struct lane *lane = lane_to(e->comm, e->plane, e->tag);
    struct ipc_export exported;
    struct peer *peer;
    int error = MPI_SUCCESS;

    *request = NULL;
    if (bytes < LEAST_BYTES || !hint_process.value[HINT_DEVICE_IPC])
        return MPI_SUCCESS;
    lane_take(lane);
    peer = net_peer(lane_number(lane), e->comm->process[e->peer]);
    if (!peer)
        error = fail_class();
    else if (peer->transport->line && /* it is another process of this host */
             sizeof(struct ipc_rts) <= peer->transport->limits(peer)->message_max &&
             kind_export(device, run, &exported))
        error = send_ipc_rts(run, bytes, peer, &exported, e, request);
    lane_release(lane);
    return error;
}

static int copy_to_host(struct transfer *t)
{
    const struct device *device = kind_table[t->device_kind - 1].device;
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
    t->device_kind = 0;
    return MPI_SUCCESS;
}

int ipc_copy_to_host(struct transfer *t)
{
    struct put failed = {t->partner, 1};
    int error = copy_to_host(t);

    if (!error)
        return MPI_SUCCESS;
    if (packet_send_control(t, MESSAGE_PUT, &failed, sizeof failed))
        log_die("no memory to tell process %d that its message does not come", t->peer->process);
    request_note(transfer_request(t), error);
    transfer_finish(t, error);
    return error;
}

/* The receiver copies with the device's driver, so its own communicator must allow for that. */
static bool may_import(const struct transfer *t, const struct ipc_export *exported)
{
    if (exported->kind >= KIND_COUNT || !kind_table[exported->kind].device ||
        !(hint_buffer_kinds(&t->comm->hints) & kind_device_bit((enum kind_id)exported->kind)))
        return false;
    return t->device ? t->device == kind_table[exported->kind].device : !t->layout;
}

static bool has_export(const struct transfer *t, const struct rndv_rts *in)
{
    (void)t;
    return in->has_export;
}

static bool copy_exported(struct transfer *t, const struct ipc_export *exported, uint64_t address)
{
    const void *from;
    struct ipc_import *import =
        may_import(t, exported)
            ? ipc_import_begin(t->peer->process, exported, address, t->total, t->buffer, &from)
            : NULL;
    const struct device *device;
    int error;

    if (!import)
        return false;
    device = kind_table[exported->kind].device;
    error = t->layout ? datatype_unpack_to(device, t->layout, t->buffer, 0, from, t->total)
                      : device->copy(t->buffer, from, t->total);
    ipc_import_end(import);
    return error == MPI_SUCCESS;
}

static bool start_copy(struct transfer *t, const struct rndv_rts *in)
{
    if (t->total && !copy_exported(t, &in->wire.exported, in->wire.rts.address))
        return false;
    rndv_send_fin(t);
    return true;
}

const struct rndv_protocol ipc_copy_protocol = {.fits = has_export, .start = start_copy};
