/* Sends of items that have gaps in memory, or that only a device reaches: small ones are packed and sent,
 * others go through a pipeline, and where none is free they are packed as a whole and sent as bytes. A device's
 * memory in one run may be exported instead (ipc_copy.h). */
#include "p2p/typed.h"

#include "base/fail.h"
#include "net/net.h"
#include "p2p/rndv/ipc_copy.h"
#include "p2p/rndv/pack_pipeline.h"
#include "p2p/rndv/recv_advert.h"

#include "p2p/rndv/rndv.h"

#include <stdlib.h>

enum {
    SMALL_BYTES = 4096 /* packed on the stack; not more than the default eager limit */
};

/* Where to and how. */
struct route {
    int dest, tag;
    struct comm *comm;
    enum plane plane;
    enum send_mode mode;
};

static int send_bytes(const void *bytes, size_t n, const struct route *r, struct request **request)
{
    return p2p_isend(bytes, (MPI_Count)n, datatype_predefined(MPI_BYTE), r->dest, r->tag, r->comm, r->plane,
                     r->mode, request);
}

/* False when the message cannot leave at once. */
static bool send_small(const void *buf, size_t bytes, struct datatype *type, const struct route *r)
{
    unsigned char packed[SMALL_BYTES];

    if (bytes > SMALL_BYTES || r->mode == SEND_SYNCHRONOUS)
        return false;
    datatype_pack(type, buf, 0, packed, bytes);
    return send_eager(packed, bytes, r->dest, r->tag, r->comm, r->plane);
}

static int start_pipeline(const void *buf, size_t bytes, struct datatype *type, const struct route *r,
                          struct peer *peer, struct pack_pipeline *pipeline, struct request **request)
{
    struct message m = {.length = sizeof(struct rts),
                        .kind = MESSAGE_RTS,
                        .plane = (uint8_t)r->plane,
                        .context = r->comm->context,
                        .source = r->comm->rank,
                        .tag = r->tag};
    struct rts rts = {.bytes = bytes, .address = (uint64_t)(uintptr_t)pipeline};
    struct transfer *t;
    int error = transfer_new_send(buf, bytes, peer, r->comm, r->plane, request);

    if (error)
        return error;
    t = transfer_of(*request);
    if (r->plane == PLANE_P2P) {
        rts.key = object_handle(&(*request)->object);
        pack_pipeline_set_claim(pipeline, rts.key);
    }
    t->total = bytes;
    t->pipeline = pipeline;
    t->is_synchronous = r->mode == SEND_SYNCHRONOUS;
    datatype_ref(type);
    t->layout = type;
    error = packet_send(peer, &m, &rts, NULL);
    if (error)
        return transfer_abandon(*request, error);
    pack_pipeline_start(t);
    return MPI_SUCCESS;
}

/* *request stays NULL when no pipeline is free. */
static int send_through_pipeline(const void *buf, size_t bytes, struct datatype *type, const struct route *r,
                                 struct request **request)
{
    struct lane *lane = lane_to(r->comm, r->plane, r->tag);
    struct peer *peer;
    struct pack_pipeline *pipeline;
    int error = MPI_SUCCESS;

    *request = NULL;
    lane_take(lane);
    peer = net_peer(lane_number(lane), r->comm->process[r->dest]);
    pipeline = peer ? pack_pipeline_open(peer, bytes) : NULL;
    if (pipeline) {
        error = start_pipeline(buf, bytes, type, r, peer, pipeline, request);
        if (error)
            pack_pipeline_close(pipeline);
    } else if (!peer) {
        error = fail_class();
    }
    lane_release(lane);
    return error;
}

static int send_packed(const void *buf, size_t bytes, struct datatype *type, const struct device *device,
                       const struct route *r, struct request **request)
{
    void *packed = malloc(bytes ? bytes : 1);
    int error;

    if (!packed)
        return fail(MPI_ERR_NO_MEM, "no memory to pack a message of %zu bytes", bytes);
    error = datatype_pack_from(device, type, buf, 0, packed, bytes);
    if (!error)
        error = send_bytes(packed, bytes, r, request);
    if (error || *request == request_done_send())
        free(packed);
    else
        transfer_of(*request)->packed = packed;
    return error;
}

int typed_isend(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm,
                enum plane plane, enum send_mode mode, struct request **request)
{
    const struct device *device = datatype_device(type, buf, hint_buffer_kinds(&comm->hints));
    struct route r = {dest, tag, comm, plane, mode};
    const void *run;
    size_t bytes;
    int error = datatype_bytes(type, count, &bytes);

    if (error)
        return error;
    if (device && datatype_is_run(type, count, buf, &run) && !recv_advert_is_on(comm, plane)) {
        error = ipc_copy_isend(run, bytes, device, dest, tag, comm, plane, request);
        if (error || *request)
            return error;
    }
    /* Advertised receives want their messages as bytes. */
    if (device || recv_advert_is_on(comm, plane))
        return send_packed(buf, bytes, type, device, &r, request);
    if (datatype_is_run(type, count, buf, &run))
        return send_bytes(run, bytes, &r, request);
    if (send_small(buf, bytes, type, &r)) {
        *request = request_done_send();
        return MPI_SUCCESS;
    }
    error = send_through_pipeline(buf, bytes, type, &r, request);
    return error || *request ? error : send_packed(buf, bytes, type, NULL, &r, request);
}
