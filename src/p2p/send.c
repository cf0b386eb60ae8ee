#include "base/fail.h"
#include "hint/hint.h"
#include "net/net.h"
#include "p2p/rndv/recv_advert.h"
#include "p2p/rndv/rndv.h"
#include "p2p/typed.h"

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
    *request = request_done_send();
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
        *request = request_done_send();
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
        *request = request_done_send();
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
