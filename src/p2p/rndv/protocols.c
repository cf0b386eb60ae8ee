/* The protocols of a rendezvous, and which of them moves a message. */
#include "metric/event.h"
#include "p2p/rndv/rndv.h"

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
    [MESSAGE_READ] = &rndv_net_read_protocol, [MESSAGE_DRAINED] = &cancel_drained_protocol,
};

bool rndv_on_message(const struct arrival *a)
{
    const struct rndv_protocol *protocol =
        a->message->kind < MESSAGE_KINDS ? protocol_of_message[a->message->kind] : NULL;

    if (protocol)
        protocol->on_message(a);
    return protocol != NULL;
}

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
