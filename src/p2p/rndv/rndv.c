#include "p2p/rndv/rndv.h"

#include "base/log.h"
#include "metric/event.h"
#include "net/net.h"
#include "p2p/rndv/claim.h"
#include "progress/progress.h"

#include <string.h>

/* In the order in which a receiver asks them. */
static const struct rndv_protocol *const protocols[] = {
    &pack_pipeline_protocol, &ipc_copy_protocol,      &dual_copy_protocol,
    &rndv_read_protocol,     &rndv_net_read_protocol, &rndv_data_protocol,
};

static const struct rndv_protocol *const protocol_of_message[MESSAGE_KINDS] = {
    [MESSAGE_FIN] = &rndv_read_protocol,      [MESSAGE_CTS] = &rndv_data_protocol,
    [MESSAGE_DATA] = &rndv_data_protocol,     [MESSAGE_PUT] = &rndv_put_protocol,
    [MESSAGE_CTS_DUAL] = &dual_copy_protocol, [MESSAGE_FIN_DUAL] = &dual_copy_protocol,
    [MESSAGE_READ] = &rndv_net_read_protocol,
};

bool rndv_on_message(const struct arrival *a)
{
    const struct rndv_protocol *protocol =
        a->message->kind < MESSAGE_KINDS ? protocol_of_message[a->message->kind] : NULL;

    if (protocol)
        protocol->on_message(a);
    return protocol != NULL;
}

/* Receiver. */

static void count_protocol(struct lane *lane, int protocol, uint64_t context, const struct message *m,
                           uint64_t bytes)
{
    _Atomic uint64_t *word = metric_lane[lane_number(lane)].at + METRIC_PACK_PIPELINE_MESSAGES + 2 * protocol;

    metric_add(word, 1);
    metric_add(word + 1, bytes);
    if (event_is_wanted(EVENT_LARGE_MESSAGE))
        event_raise((struct event){.id = EVENT_LARGE_MESSAGE,
                                   .context = context,
                                   .value = {m->source, m->tag, (int64_t)bytes, protocol}});
}

/* Out of line: copying a small message needs none of its registers. */
__attribute__((noinline)) void rndv_recv(struct transfer *t, const struct message *message,
                                         const void *payload)
{
    struct request *r = transfer_request(t);
    const struct rndv_protocol *const *p = protocols;
    struct rndv_rts in;
    const struct rts *rts = &in.wire.rts;
    struct lane *lane = transfer_lane(t);
    uint64_t context = t->comm->context;
    int plane = t->plane;

    memcpy(&in.wire, payload, message->length);
    in.has_export = message->length == sizeof in.wire;
    r->status.error = recv_set_status(t, message, rts->bytes);
    if (r->status.error)
        request_note(r, r->status.error);
    t->partner = rts->sender;
    t->total = transfer_min(rts->bytes, t->bytes);
    if (rts->sender)
        list_add(&transfer_lane(t)->receiving, &t->under_way);
    while (!(*p)->fits(t, &in) || !(*p)->start(t, &in))
        p++;
    if (plane == PLANE_P2P)
        count_protocol(lane, (int)(p - protocols), context, message, rts->bytes);
}

/* The sender waits for this answer: without memory for it the job ends. */
static int send_answer(struct transfer *t, enum message_kind kind, const void *payload, size_t length)
{
    int error = transfer_send_control(t, kind, payload, length);

    if (error == MPI_ERR_NO_MEM)
        log_die("no memory to answer process %d, whose send waits for it", t->peer->process);
    return error;
}

void rndv_send_fin(struct transfer *t)
{
    struct fin fin = {t->partner};
    int error = send_answer(t, MESSAGE_FIN, &fin, sizeof fin);

    transfer_finish(t, error ? error : transfer_request(t)->status.error);
}

void rndv_send_cts(struct transfer *t)
{
    struct cts cts = {t->partner, object_handle(&transfer_request(t)->object), t->total,
                      t->layout ? 0 : (uint64_t)(uintptr_t)t->buffer};
    int error;

    t->awaits_data = true;
    error = send_answer(t, MESSAGE_CTS, &cts, sizeof cts);
    if (error)
        transfer_finish(t, error);
}

/* Sender. */

void rndv_conceal(struct transfer *t)
{
    if (t->window)
        t->peer->transport->conceal(t->window);
    t->window = NULL;
}

int rndv_send_rts(struct transfer *t, int tag, struct rts *rts, size_t length)
{
    struct message m = transfer_message(t->comm, (enum plane)t->plane, tag, MESSAGE_RTS, length);
    int error;

    t->awaits_cts = true;
    lane_count_sent(transfer_lane(t), t->comm, t->plane, METRIC_RENDEZVOUS_MESSAGES, rts->bytes);
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

/* The buffer is exposed to the receiver's transport where that pays: what fits into one DATA is copied. */
int rndv_send(struct transfer *t, int tag)
{
    const struct transport *net = t->peer->transport;
    struct rts rts = {t->bytes, (uint64_t)(uintptr_t)t->buffer, object_handle(&transfer_request(t)->object),
                      0};
    struct exposed exposed = {0};
    int error;

    if (net->expose && t->bytes > net->limits(t->peer)->message_best)
        t->window = net->expose(t->buffer, t->bytes, EXPOSED_MESSAGE, &exposed);
    if (t->window)
        rts.key = exposed.key;
    error = rndv_send_rts(t, tag, &rts, sizeof rts);
    if (error)
        rndv_conceal(t);
    return error;
}

struct transfer *rndv_find_send(uint64_t handle, const struct peer *from)
{
    struct request *r = pool_find(&request_pool, handle);
    struct transfer *t = r && r->kind == REQUEST_SEND ? transfer_of(r) : NULL;

    if (t && request_is_done(r) && !t->is_detached)
        return NULL;
    return t && t->awaits_cts && t->peer == from ? t : NULL;
}

/* The receiver has what it wants, or is lost. A detached send is already done for the program. */
static void finish_send(struct transfer *t, int error)
{
    if (t->awaits_cts)
        claim_close(t);
    t->awaits_cts = false;
    rndv_conceal(t);
    if (t->is_detached) {
        list_remove(&t->under_way);
        request_unref(transfer_request(t));
    } else {
        transfer_finish(t, error);
    }
}

void rndv_finish_send(struct transfer *t)
{
    finish_send(t, MPI_SUCCESS);
}

void rndv_fail_send(struct transfer *t, int error)
{
    if (!t->awaits_cts) /* it sends DATA */
        progress_stay_awake(-1);
    finish_send(t, error);
}
