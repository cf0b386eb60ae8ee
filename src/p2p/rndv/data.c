/* DATA: the message goes through the transport's bounce buffers. The receiver says CTS; the sender then writes
 * straight into the receiver's memory where that is mapped (data.c), else it sends DATA. */
#include "base/copy.h"
#include "net/net.h"
#include "p2p/rndv/claim.h"
#include "p2p/rndv/ipc_copy.h"
#include "p2p/rndv/recv_advert.h"
#include "p2p/rndv/rndv.h"
#include "plain/fail.h"
#include "progress/progress.h"

#include <string.h>

static bool fits_all(const struct transfer *t, const struct rndv_rts *in)
{
    (void)t, (void)in;
    return true;
}

static bool start_data(struct transfer *t, const struct rndv_rts *in)
{
    (void)in;
    rndv_send_cts(t);
    return true;
}

/* Sender. */
static void on_cts(const struct arrival *a)
{
    struct cts cts;
    struct transfer *t;

    if (a->message->length != sizeof cts)
        return;
    memcpy(&cts, a->payload, sizeof cts);
    t = rndv_find_send(cts.sender, a->from);
    if (!t)
        return;
    claim_close(t);
    t->awaits_cts = false;
    t->partner = cts.receiver;
    t->total = transfer_min(cts.bytes, t->bytes);
    if (t->device_kind && ipc_copy_to_host(t))
        return;
    if (cts.address && rndv_put(t, cts.address))
        return;
    list_remove(&t->under_way);
    list_add(&transfer_lane(t)->sending, &t->under_way);
    progress_stay_awake(1);
}

/* Receiver. */
static void on_data(const struct arrival *a)
{
    size_t bytes = a->message->length;
    struct transfer *t = transfer_find_recv(a->message->context, a->from);

    if (!t || !t->awaits_data || bytes > t->total - t->moved)
        return;
    transfer_put(t, t->moved, a->payload, bytes);
    t->moved += bytes;
    if (t->moved == t->total)
        transfer_finish(t, transfer_request(t)->status.error);
}

static void on_cts_or_data(const struct arrival *a)
{
    if (a->message->kind == MESSAGE_DATA)
        on_data(a);
    else
        on_cts(a);
}

const struct rndv_protocol rndv_data_protocol = {
    .fits = fits_all, .start = start_data, .on_message = on_cts_or_data};

/* One DATA; false when there is no room now. */
static bool send_one(struct transfer *t)
{
    size_t bytes = transfer_min(t->total - t->moved, t->peer->transport->limits(t->peer)->message_best);
    struct message m = transfer_message(t->comm, (enum plane)t->plane, 0, MESSAGE_DATA, bytes);

    m.context = t->partner;
    if (!t->peer->transport->send(t->peer, &m, t->buffer + t->moved))
        return false;
    t->moved += bytes;
    return true;
}

int rndv_send_data(struct lane *lane)
{
    struct link *next;
    int sent = 0;

    for (struct link *l = lane->sending.next; l != &lane->sending; l = next) {
        struct transfer *t = LIST_ENTRY(l, struct transfer, under_way);

        next = l->next;
        while (t->moved < t->total && send_one(t))
            sent++;
        if (t->moved == t->total) {
            progress_stay_awake(-1);
            rndv_finish_send(t);
        }
    }
    return sent;
}

/* PUT: the sender has written the message into the receiver's memory. */

bool rndv_put(struct transfer *t, uint64_t address)
{
    void *there = net_map(t->peer, address, t->total);
    struct put done = {t->partner, 0};

    if (!there)
        return false;
    copy_bytes(there, t->buffer, t->total);
    if (packet_send_control(t, MESSAGE_PUT, &done, sizeof done))
        return false;
    rndv_finish_send(t);
    return true;
}

static void on_put(const struct arrival *a)
{
    struct put put;
    struct transfer *t;

    if (a->message->length != sizeof put)
        return;
    memcpy(&put, a->payload, sizeof put);
    t = transfer_find_recv(put.receiver, a->from);
    if (!t || !t->awaits_data)
        recv_advert_on_put(put.receiver, a->from);
    else if (put.has_failed)
        transfer_finish(t, fail(MPI_ERR_OTHER, "the sender's device did not give the message"));
    else if (t->moved == 0)
        transfer_finish(t, transfer_request(t)->status.error);
}

const struct rndv_protocol rndv_put_protocol = {.on_message = on_put};
