/* PUT: the sender has written the message into the receiver's memory. */
#include "base/copy.h"
#include "net/net.h"
#include "p2p/rndv/recv_advert.h"
#include "p2p/rndv/rndv.h"
#include "plain/fail.h"

#include <string.h>

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
