/* Sends: eager if small, else by RTS (rndv.c). Items with gaps are packed or go through a pipeline. */
#include "hint/hint.h"
#include "net/net.h"
#include "p2p/rndv/ipc_copy.h"
#include "p2p/rndv/pack_pipeline.h"
#include "p2p/rndv/recv_advert.h"
#include "p2p/rndv/rndv.h"
#include "p2p/transfer.h"
#include "plain/fail.h"

#include <stdlib.h>

/* Sends of items that have gaps in memory, or that only a device reaches: small ones are packed and sent,
 * others go through a pipeline, and where none is free they are packed as a whole and sent as bytes. A device's
 * memory in one run may be exported instead (ipc_copy.h). */
enum {
    SMALL_BYTES = 4096 /* packed on the stack; not more than the default eager limit */
};

static int send_bytes(const void *bytes, size_t n, const struct envelope *e, enum send_mode mode,
                      struct request **request)
{
    return p2p_isend(bytes, (MPI_Count)n, datatype_predefined(MPI_BYTE), e->peer, e->tag, e->comm, e->plane,
                     mode, request);
}

/* False when the message cannot leave at once. */
static bool send_small(const void *buf, size_t bytes, struct datatype *type, const struct envelope *e,
                       enum send_mode mode)
{
    unsigned char packed[SMALL_BYTES];

    if (bytes > SMALL_BYTES || mode == SEND_SYNCHRONOUS)
        return false;
    datatype_pack(type, buf, 0, packed, bytes);
    return send_eager(packed, bytes, e->peer, e->tag, e->comm, e->plane);
}

static int send_packed(const void *buf, size_t bytes, struct datatype *type, const struct device *device,
                       const struct envelope *e, enum send_mode mode, struct request **request)
{
    void *packed = malloc(bytes ? bytes : 1);
    int error;

    if (!packed)
        return fail(MPI_ERR_NO_MEM, "no memory to pack a message of %zu bytes", bytes);
    error = datatype_pack_from(device, type, buf, 0, packed, bytes);
    if (!error)
        error = send_bytes(packed, bytes, e, mode, request);
    if (error || !(*request)->ops) /* the message has gone */
        free(packed);
    else
        transfer_of(*request)->packed = packed;
    return error;
}

/* p2p_isend for such items. */
__attribute__((noinline)) static int typed_isend(const void *buf, MPI_Count count, struct datatype *type,
                                                 int dest, int tag, struct comm *comm, enum plane plane,
                                                 enum send_mode mode, struct request **request)
{
    const struct device *device = datatype_device(type, buf, hint_buffer_kinds(&comm->hints));
    struct envelope e = {dest, tag, comm, plane};
    const void *run;
    size_t bytes;
    int error = datatype_bytes(type, count, &bytes);

    if (error)
        return error;
    if (device && datatype_is_run(type, count, buf, &run) && !recv_advert_is_on(comm, plane)) {
        error = ipc_copy_isend(run, bytes, device, &e, request);
        if (error || *request)
            return error;
    }
    /* Advertised receives want their messages as bytes. */
    if (device || recv_advert_is_on(comm, plane))
        return send_packed(buf, bytes, type, device, &e, mode, request);
    if (datatype_is_run(type, count, buf, &run))
        return send_bytes(run, bytes, &e, mode, request);
    if (send_small(buf, bytes, type, &e, mode)) {
        *request = request_of_done_send();
        return MPI_SUCCESS;
    }
    error = pack_pipeline_isend(buf, bytes, type, &e, mode, request);
    return error || *request ? error : send_packed(buf, bytes, type, NULL, &e, mode, request);
}

/* Whether a message need not pass through the transport: it is of the program, to this process itself. */
static inline bool is_to_self(const struct peer *peer, const struct comm *comm, enum plane plane)
{
    return peer->transport == &self_transport && plane == PLANE_P2P && !lane_is_spread(comm, plane) &&
           !net_self_waits(peer->lane);
}

/* Whether so much is sent without RTS: as far as the communicator, or else the process, lets it, and one message can
 * carry it. */
static inline bool is_eager(size_t bytes, const struct peer *peer, const struct comm *comm)
{
    return bytes <= (size_t)hint_value_here(&comm->hints, peer->transport->eager_limit) &&
           bytes <= peer->message_max;
}

/* The whole message at once, if it is small enough and there is room for it right now. */
static inline bool send_now(const void *buf, size_t bytes, struct peer *peer, int tag, struct comm *comm,
                            enum plane plane)
{
    struct message m = transfer_message(comm, plane, tag, MESSAGE_EAGER, bytes);

    if (!is_eager(bytes, peer, comm) || !list_is_empty(&peer->waiting))
        return false;
    if (!(is_to_self(peer, comm, plane) ? arrive_self(&m, buf, peer, comm)
                                        : peer->transport->send(peer, &m, buf)))
        return false;
    lane_count_eager(lane_of_peer(peer), comm, plane, bytes);
    return true;
}

/* Eager when small, else RTS. The caller holds the lane. */
static int send_eager_or_rts(struct request *r, int tag, enum send_mode mode)
{
    struct transfer *t = transfer_of(r);
    struct message m;

    if (mode != SEND_SYNCHRONOUS && is_eager(t->bytes, t->peer, t->comm)) {
        m = transfer_message(t->comm, t->plane, tag, MESSAGE_EAGER, t->bytes);
        lane_count_eager(lane_of_peer(t->peer), t->comm, t->plane, t->bytes);
        return packet_send(t->peer, &m, t->buffer, r);
    }
    return rndv_send(t, tag);
}

/* Out of line, as what is rare in p2p_isend: a small message needs none of its registers. */
__attribute__((noinline)) static int send_with_request(const void *buf, size_t bytes, struct peer *peer,
                                                       int tag, struct comm *comm, enum plane plane,
                                                       enum send_mode mode, struct request **request)
{
    struct request *r;
    int error = transfer_new_send(buf, bytes, peer, comm, plane, &r);

    if (error)
        return error;
    error = send_eager_or_rts(r, tag, mode);
    if (error)
        return transfer_abandon(r, error);
    *request = r;
    return MPI_SUCCESS;
}

/* Where a send goes and how long it is. */
static int find_route(MPI_Count count, const struct datatype *type, int dest, const struct comm *comm,
                      const struct lane *lane, size_t *bytes, struct peer **peer)
{
    int error = datatype_bytes(type, count, bytes);

    if (error)
        return error;
    *peer = net_peer(lane_number(lane), comm->process[dest]);
    return *peer ? MPI_SUCCESS : fail_class();
}

bool send_eager(const void *buf, size_t bytes, int dest, int tag, struct comm *comm, enum plane plane)
{
    struct lane *lane = lane_to(comm, plane, tag);
    struct peer *peer;
    bool sent;

    lane_take(lane);
    peer = net_peer(lane_number(lane), comm->process[dest]);
    sent = peer && send_now(buf, bytes, peer, tag, comm, plane);
    lane_release(lane);
    return sent;
}

static inline int send_now_or_later(const void *buf, size_t bytes, struct peer *peer, int tag,
                                    struct comm *comm, enum plane plane, enum send_mode mode,
                                    struct request **request)
{
    if (mode == SEND_SYNCHRONOUS || !send_now(buf, bytes, peer, tag, comm, plane))
        return send_with_request(buf, bytes, peer, tag, comm, plane, mode, request);
    *request = request_of_done_send();
    return MPI_SUCCESS;
}

/* On a communicator whose receives are asserted to be as long as their messages. */
__attribute__((noinline)) static int send_exact(const void *buf, size_t bytes, struct peer *peer, int tag,
                                                struct comm *comm, enum send_mode mode,
                                                struct request **request)
{
    bool done;
    int error = recv_advert_send(buf, bytes, peer, tag, comm, &done);

    if (done) {
        *request = request_of_done_send();
        return error;
    }
    error = send_now_or_later(buf, bytes, peer, tag, comm, PLANE_P2P, mode, request);
    recv_advert_count_sent(peer, comm, tag);
    return error;
}

int p2p_isend(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm,
              enum plane plane, enum send_mode mode, struct request **request)
{
    struct lane *lane;
    struct peer *peer;
    size_t bytes;
    int error;

    if (dest == MPI_PROC_NULL) {
        *request = request_of_done_send();
        return MPI_SUCCESS;
    }
    if (!type->dense || datatype_device(type, buf, hint_buffer_kinds(&comm->hints)))
        return typed_isend(buf, count, type, dest, tag, comm, plane, mode, request);
    lane = lane_to(comm, plane, tag);
    lane_take(lane);
    error = find_route(count, type, dest, comm, lane, &bytes, &peer);
    if (!error && recv_advert_is_on(comm, plane))
        error = send_exact(buf, bytes, peer, tag, comm, mode, request);
    else if (!error)
        error = send_now_or_later(buf, bytes, peer, tag, comm, plane, mode, request);
    lane_release(lane);
    return error;
}

int p2p_send(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm,
             enum plane plane, enum send_mode mode)
{
    struct request *r;
    int error = p2p_isend(buf, count, type, dest, tag, comm, plane, mode, &r);

    if (error || r->immortal) /* it is done */
        return error;
    error = request_wait(r);
    request_unref(r);
    return error;
}
