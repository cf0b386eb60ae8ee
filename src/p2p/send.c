#include "base/fail.h"
#include "hint/hint.h"
#include "net/net.h"
#include "p2p/rndv/claim.h"
#include "p2p/rndv/ipc_copy.h"
#include "p2p/rndv/pack_pipeline.h"
#include "p2p/rndv/recv_advert.h"
#include "p2p/typed.h"
#include "progress/progress.h"

#include <stdlib.h>
#include <string.h>

static struct message message_to(const struct comm *comm, enum plane plane, int tag, enum message_kind kind,
                                 size_t length)
{
    return (struct message){.length = (uint32_t)length,
                            .kind = (uint8_t)kind,
                            .plane = (uint8_t)plane,
                            .context = comm->context,
                            .source = comm->rank,
                            .tag = tag};
}

static bool fits_eager(const struct peer *peer, size_t bytes)
{
    return bytes <= (size_t)hint_process.value[peer->transport->eager_limit] &&
           bytes <= peer->transport->limits(peer)->message_max;
}

/* Whether a message need not pass through the transport: it is of the program, to this process itself. */
static inline bool is_to_self(const struct peer *peer, const struct comm *comm, enum plane plane)
{
    return peer->transport == &self_transport && plane == PLANE_P2P && !lane_is_spread(comm, plane) &&
           !net_self_waits(peer->lane);
}

/* The whole message at once, if there is room for it right now. */
static inline bool send_now(const void *buf, size_t bytes, struct peer *peer, int tag, struct comm *comm,
                            enum plane plane)
{
    struct message m = message_to(comm, plane, tag, MESSAGE_EAGER, bytes);

    if (!list_is_empty(&peer->waiting))
        return false;
    return is_to_self(peer, comm, plane) ? arrive_self(&m, buf, peer, comm)
                                         : peer->transport->send(peer, &m, buf);
}

/* So that the receiver's transport may read it, where that pays: what fits into one DATA is copied. */
static void expose(struct transfer *t, struct rts *rts)
{
    const struct transport *net = t->peer->transport;

    if (net->expose && t->bytes > net->limits(t->peer)->message_best)
        t->window = net->expose(t->peer, t->buffer, t->bytes, &rts->key);
}

static void conceal(struct transfer *t)
{
    if (t->window)
        t->peer->transport->conceal(t->window);
    t->window = NULL;
}

int send_rts(struct transfer *t, int tag, struct rts *rts, size_t length)
{
    struct message m = message_to(t->comm, t->plane, tag, MESSAGE_RTS, length);
    int error;

    t->awaits_cts = true;
    list_add(&transfer_lane(t)->rts_sent, &t->under_way);
    if (!rts->key)
        rts->key = claim_open(t);
    error = packet_send(t->peer, &m, rts, NULL);
    if (error) {
        claim_close(t);
        list_remove(&t->under_way);
    }
    return error;
}

/* Eager when small, else RTS. The caller holds the lane. */
static int send_eager_or_rts(struct request *r, int tag, enum send_mode mode)
{
    struct transfer *t = transfer_of(r);
    struct message m;
    struct rts rts;
    int error;

    if (mode != SEND_SYNCHRONOUS && fits_eager(t->peer, t->bytes)) {
        m = message_to(t->comm, t->plane, tag, MESSAGE_EAGER, t->bytes);
        return packet_send(t->peer, &m, t->buffer, r);
    }
    rts = (struct rts){t->bytes, (uint64_t)(uintptr_t)t->buffer, object_handle(&r->object), 0};
    expose(t, &rts);
    error = send_rts(t, tag, &rts, sizeof rts);
    if (error)
        conceal(t);
    return error;
}

/* The program knows already that it is done. */
static void finish_detached(struct transfer *t)
{
    list_remove(&t->under_way);
    request_unref(transfer_request(t));
}

/* The receiver has what it wants, or is lost. */
static void finish_rts(struct transfer *t, int error)
{
    if (t->awaits_cts)
        claim_close(t);
    t->awaits_cts = false;
    conceal(t);
    if (t->is_detached)
        finish_detached(t);
    else
        transfer_finish(t, error);
}

void send_on_taken(struct transfer *t)
{
    finish_rts(t, MPI_SUCCESS);
}

void send_give_up(struct transfer *t, int error)
{
    if (!t->awaits_cts) /* it pushes */
        progress_stay_awake(-1);
    finish_rts(t, error);
}

static int send_with_request(const void *buf, size_t bytes, struct peer *peer, int tag, struct comm *comm,
                             enum plane plane, enum send_mode mode, struct request **request)
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
    sent = peer && fits_eager(peer, bytes) && send_now(buf, bytes, peer, tag, comm, plane);
    lane_release(lane);
    return sent;
}

static inline int send_now_or_later(const void *buf, size_t bytes, struct peer *peer, int tag,
                                    struct comm *comm, enum plane plane, enum send_mode mode,
                                    struct request **request)
{
    if (mode == SEND_SYNCHRONOUS || !fits_eager(peer, bytes) || !send_now(buf, bytes, peer, tag, comm, plane))
        return send_with_request(buf, bytes, peer, tag, comm, plane, mode, request);
    *request = request_done_send();
    return MPI_SUCCESS;
}

/* On a communicator whose receives are asserted to be as long as their messages. */
static int send_exact(const void *buf, size_t bytes, struct peer *peer, int tag, struct comm *comm,
                      enum send_mode mode, struct request **request)
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

struct transfer *send_find_rts(uint64_t handle, const struct peer *from)
{
    struct request *r = pool_find(&request_pool, handle);
    struct transfer *t = r && r->kind == REQUEST_SEND ? transfer_of(r) : NULL;

    if (t && request_is_done(r) && !t->is_detached)
        return NULL;
    return t && t->awaits_cts && t->peer == from ? t : NULL;
}

void send_on_fin(const struct arrival *a)
{
    struct fin fin;
    struct transfer *t;

    if (a->message->length != sizeof fin)
        return;
    memcpy(&fin, a->payload, sizeof fin);
    t = send_find_rts(fin.sender, a->from);
    if (t)
        send_on_taken(t);
}

/* Straight into the receiver's buffer, if this process maps it. */
static bool put_mapped(struct transfer *t, uint64_t find_route)
{
    void *there = net_map(t->peer, find_route, t->total);
    struct put done = {t->partner, 0};
    struct message m = message_to(t->comm, t->plane, 0, MESSAGE_PUT, sizeof done);

    if (!there)
        return false;
    memcpy(there, t->buffer, t->total);
    if (packet_send(t->peer, &m, &done, NULL))
        return false;
    send_on_taken(t);
    return true;
}

void send_on_cts(const struct arrival *a)
{
    struct cts cts;
    struct transfer *t;

    if (a->message->length != sizeof cts)
        return;
    memcpy(&cts, a->payload, sizeof cts);
    t = send_find_rts(cts.sender, a->from);
    if (!t)
        return;
    claim_close(t);
    t->awaits_cts = false;
    t->partner = cts.receiver;
    t->total = cts.bytes < t->bytes ? cts.bytes : t->bytes;
    if (t->device_kind && ipc_copy_to_host(t))
        return;
    if (cts.address && put_mapped(t, cts.address))
        return;
    list_remove(&t->under_way);
    list_add(&transfer_lane(t)->sending, &t->under_way);
    progress_stay_awake(1);
}

/* One DATA; false when there is no room now. */
static bool push_data(struct transfer *t)
{
    size_t most = t->peer->transport->limits(t->peer)->message_best;
    size_t left = t->total - t->moved;
    size_t bytes = left < most ? left : most;
    struct message m = message_to(t->comm, t->plane, 0, MESSAGE_DATA, bytes);

    m.context = t->partner;
    if (!t->peer->transport->send(t->peer, &m, t->buffer + t->moved))
        return false;
    t->moved += bytes;
    return true;
}

int send_push_data(struct lane *lane)
{
    struct link *next;
    int pushed = 0;

    for (struct link *l = lane->sending.next; l != &lane->sending; l = next) {
        struct transfer *t = LIST_ENTRY(l, struct transfer, under_way);

        next = l->next;
        while (t->moved < t->total && push_data(t))
            pushed++;
        if (t->moved == t->total) {
            progress_stay_awake(-1);
            send_on_taken(t);
        }
    }
    return pushed;
}

/* The receiver of another host may read the buffer or ask for it at any time, and one that has said
 * CTS takes DATA when it looks: so the send goes on, like a small one that has left, but from a copy.
 * Without memory for that it goes on as it is. */
static void detach(struct transfer *t)
{
    struct request *r = transfer_request(t);

    if (!t->packed) {
        t->packed = malloc(t->bytes ? t->bytes : 1);
        if (!t->packed)
            return;
        memcpy(t->packed, t->buffer, t->bytes);
        t->buffer = t->packed;
    }
    conceal(t); /* who reads just now fails, and says CTS */
    t->is_detached = true;
    request_complete(r, MPI_SUCCESS);
    if (t->on_done)
        t->on_done(r, t->context);
    t->on_done = NULL;
}

/* Ends a send that no receive has taken, if it can. */
static void withdraw_send(struct transfer *t)
{
    bool is_staged = t->layout != NULL;

    if (is_staged ? pack_pipeline_withdraw(t) : packet_withdraw(t) || (t->awaits_cts && claim_withdraw(t))) {
        transfer_request(t)->status.cancelled = true;
        if (t->awaits_cts)
            finish_rts(t, MPI_SUCCESS);
        else
            transfer_finish(t, MPI_SUCCESS);
    } else if (!is_staged && t->under_way.next && (!t->awaits_cts || !t->peer->transport->map)) {
        detach(t);
    }
}

int send_cancel(struct request *r)
{
    struct lane_set held;

    if (request_is_done(r)) /* also those that are no transfers */
        return MPI_SUCCESS;
    held = transfer_take_lanes(transfer_of(r));
    if (!request_is_done(r))
        withdraw_send(transfer_of(r));
    lane_release_set(held);
    return MPI_SUCCESS;
}
