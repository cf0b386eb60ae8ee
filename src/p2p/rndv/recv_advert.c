#include "p2p/rndv/recv_advert.h"

#include "net/advert.h"
#include "plain/fail.h"
#include "plain/log.h"

#include "p2p/rndv/rndv.h"

#include <stdlib.h>
#include <string.h>

enum {
    SENT_COUNTS = 64 /* per peer: hash values of (context, tag) */
};

/* What was sent to one peer. */
struct sent_counts {
    uint32_t epoch;
    uint64_t sent
        [SENT_COUNTS]; /* messages by the last one with this hash; ALL_SENT: by when none waits for room */
};

#define ALL_SENT UINT64_MAX

static struct peer *sender_of(const struct transfer *t)
{
    return net_peer(t->lane, t->comm->process[t->posted.source]);
}

static bool may_advertise(const struct transfer *t, struct match_space *space)
{
    const struct posted *k = &t->posted;
    const struct posted *earlier = match_posted_before(space, &t->posted);

    return k->source != MPI_ANY_SOURCE && k->tag != MPI_ANY_TAG && !t->layout && space->wildcards == 0 &&
           (!earlier || LIST_ENTRY(earlier, const struct transfer, posted)->advert);
}

void recv_advert_post(struct transfer *t, struct match_space *space)
{
    struct peer *peer = may_advertise(t, space) ? sender_of(t) : NULL;
    struct advert a = {.context = t->comm->context,
                       .address = (uint64_t)(uintptr_t)t->buffer,
                       .bytes = t->bytes,
                       .receiver = object_handle(&transfer_request(t)->object),
                       .tag = t->posted.tag};

    if (!peer || !peer->own_adverts)
        return;
    a.seen = peer->transport->taken(peer);
    t->advert = (uint8_t)(advert_post(peer->own_adverts, &a) + 1);
}

bool recv_advert_take_back(struct transfer *t)
{
    if (!advert_withdraw(sender_of(t)->own_adverts, t->advert - 1))
        return false;
    t->advert = 0;
    return true;
}

void recv_advert_on_put(uint64_t receiver, const struct peer *from)
{
    struct request *r = pool_find(&request_pool, receiver);
    struct transfer *t =
        r && r->kind == REQUEST_RECV && r->ops && !request_is_done(r) ? transfer_of(r) : NULL;

    if (!t || !t->advert || t->peer || sender_of(t) != from || !advert_free(from->own_adverts, t->advert - 1))
        return;
    t->advert = 0;
    t->peer = sender_of(t);
    comm_count(t->comm, METRIC_COMM_ADVERTISED_RECEIVES, 1);
    transfer_unpost(t);
    r->status.source = t->posted.source;
    r->status.tag = t->posted.tag;
    r->status.bytes = (MPI_Count)t->bytes;
    transfer_finish(t, MPI_SUCCESS);
}

static uint64_t count_sent(struct peer *peer)
{
    return list_is_empty(&peer->waiting) ? peer->transport->sent(peer) : ALL_SENT;
}

/* The peer's notes, NULL: no memory. New ones say that anything may have been sent until now. */
static struct sent_counts *sent_counts_of(struct peer *peer)
{
    struct sent_counts *n = peer->sent_counts;
    uint32_t epoch = lane_of_peer(peer)->epoch;

    if (!n)
        n = peer->sent_counts = malloc(sizeof *n);
    else if (n->epoch == epoch)
        return n;
    if (!n)
        return NULL;
    n->epoch = epoch;
    for (int i = 0; i < SENT_COUNTS; i++)
        n->sent[i] = count_sent(peer);
    return n;
}

static uint64_t *sent_count_for(struct sent_counts *n, uint64_t context, int tag)
{
    return &n->sent[(context * 31 + (uint32_t)tag) * 0x9e3779b97f4a7c15u >> 58];
}

_Static_assert(SENT_COUNTS == 64, "six bits of the hash");

/* Claims the receive that this message is for. Nothing may wait for room: how many have been sent is known
 * only then. */
static int claim_advert(struct peer *peer, const struct comm *comm, int tag, size_t bytes, struct advert *a)
{
    struct sent_counts *n;
    uint64_t *sent;

    if (!peer->peer_adverts || !atomic_load_explicit(&peer->peer_adverts->used, memory_order_relaxed) ||
        !list_is_empty(&peer->waiting))
        return -1;
    n = sent_counts_of(peer);
    if (!n)
        return -1;
    sent = sent_count_for(n, comm->context, tag);
    if (*sent == ALL_SENT)
        *sent = peer->transport->sent(peer);
    return advert_claim(peer->peer_adverts, comm->context, tag, bytes, *sent, a);
}

int recv_advert_send(const void *buf, size_t bytes, struct peer *peer, int tag, struct comm *comm, bool *done)
{
    struct advert a;
    struct message m = transfer_message(comm, PLANE_P2P, tag, MESSAGE_PUT, sizeof(struct put));
    int slot = bytes > (size_t)hint_value(&hint_process, HINT_EAGER_LIMIT)
                   ? claim_advert(peer, comm, tag, bytes, &a)
                   : -1;
    int error;

    *done = false;
    if (slot < 0)
        return MPI_SUCCESS;
    if (!net_put(peer, buf, a.address, bytes)) {
        advert_decline(peer->peer_adverts, slot);
        return MPI_SUCCESS;
    }
    *done = true;
    lane_count_sent(lane_of_peer(peer), comm, PLANE_P2P, METRIC_ADVERTISED_MESSAGES, bytes);
    error = packet_send(peer, &m, &(struct put){a.receiver, 0}, NULL);
    if (error == MPI_ERR_NO_MEM)
        log_die("no memory to tell process %d that its message is there", peer->process);
    return error;
}

void recv_advert_count_sent(struct peer *peer, const struct comm *comm, int tag)
{
    struct sent_counts *n = peer->peer_adverts ? sent_counts_of(peer) : NULL;

    if (n)
        *sent_count_for(n, comm->context, tag) = count_sent(peer);
}

void recv_advert_forget(const struct comm *comm, struct lane *lane)
{
    lane->epoch++;
    for (int i = 0; recv_advert_is_on(comm, PLANE_P2P) && i < comm_peer_count(comm); i++) {
        struct peer *peer = net_peers[lane_number(lane)][comm->process[i]];

        if (peer && peer->peer_adverts)
            sent_counts_of(peer);
    }
}
