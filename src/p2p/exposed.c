#include "p2p/exposed.h"

#include "net/net.h"
#include "p2p/lost.h"
#include "p2p/transfer.h"

/* Begins a piece. False: it has not begun. */
static bool exposed_begin(const struct exposed_copy *c, const struct exposed_piece *p, struct transfer *t)
{
    const struct transport *net = t->peer->transport;
    struct message done = {
        .kind = MESSAGE_COPIED, .plane = t->plane, .context = object_handle(&transfer_request(t)->object)};

    if (c->is_put)
        return net->write(t->peer, p->here, c->there, p->offset, p->bytes, &done);
    return net->read(t->peer, p->here, c->there, p->offset, p->bytes, &done);
}

/* It is with the receives under way, which all end when their peer is lost. The caller holds the lane. */
static int exposed_start(const struct exposed_copy *c, struct peer *peer, struct request **request)
{
    struct lane *lane = lane_of_peer(peer);
    struct request *r;
    struct transfer *t;
    int error = transfer_new(REQUEST_RECV, c->comm, PLANE_P2P, lane, &r);

    if (error)
        return error;
    t = transfer_of(r);
    t->peer = peer;
    t->device = NULL;
    t->awaits_copy = true;
    for (t->total = 0; t->total < (size_t)c->pieces && exposed_begin(c, &c->piece[t->total], t);)
        t->total++;
    if (t->total == 0)
        return transfer_abandon(r, MPI_SUCCESS);
    if (t->total < (size_t)c->pieces)
        t->fault =
            fail(MPI_ERR_NO_MEM, "no memory to copy %d pieces of rank %d's memory", c->pieces, c->rank);
    list_add(&lane->receiving, &t->under_way);
    *request = r;
    return MPI_SUCCESS;
}

int exposed_copy_begin(const struct exposed_copy *c, struct request **request)
{
    struct peer *peer;
    int error;

    *request = NULL;
    lane_take(&lanes[0]); /* transports that expose memory have no other */
    peer = net_peer(0, c->comm->process[c->rank]);
    error = peer ? lost_check_peer(peer) : fail_class();
    if (!error && peer->transport->write)
        error = exposed_start(c, peer, request);
    lane_release(&lanes[0]);
    return error;
}

void exposed_on_copied(const struct arrival *a)
{
    struct transfer *t = transfer_find_recv(a->message->context, a->from);

    if (!t || !t->awaits_copy)
        return;
    if (a->message->tag != MPI_SUCCESS)
        t->fault =
            fail(MPI_ERR_OTHER, "the network could not access the memory of process %d", t->peer->process);
    if (++t->moved < t->total)
        return;
    t->awaits_copy = false;
    transfer_finish(t, MPI_SUCCESS);
}
