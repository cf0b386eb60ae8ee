/* Peers that are lost: their host was cut off, or they are of another job and have ended. */
#include "base/fail.h"
#include "net/card.h"
#include "p2p/stage.h"
#include "p2p/transfer.h"

static _Atomic bool is_any_lost; /* relaxed: who may be concerned holds lane 0 */

static int fail_with(const struct peer *peer)
{
    if (peer->process >= group_home)
        return fail(MPI_ERR_PROC_ABORTED, "rank %d of another job is out of reach: %s",
                    card_of(peer->process)->rank, peer->lost);
    return fail(MPI_ERR_PROC_ABORTED, "process %d, on another host, is out of reach: %s", peer->process,
                peer->lost);
}

int lost_check_peer(const struct peer *peer)
{
    return peer->lost ? fail_with(peer) : MPI_SUCCESS;
}

static const struct peer *find_lost(int process)
{
    const struct peer *peer = net_peers[0][process]; /* who can be lost is reached in lane 0 only */

    return peer && peer->lost ? peer : NULL;
}

int lost_check_source(const struct comm *comm, int source)
{
    const struct peer *peer = NULL;

    /* who can be lost has no communicators that take other lanes */
    if (!atomic_load_explicit(&is_any_lost, memory_order_relaxed) || comm->lane || comm->spread > 1)
        return MPI_SUCCESS;
    if (source != MPI_ANY_SOURCE)
        peer = find_lost(comm->process[source]);
    for (int i = 0; source == MPI_ANY_SOURCE && !peer && i < comm_peer_count(comm); i++)
        peer = find_lost(comm->process[i]);
    return peer ? fail_with(peer) : MPI_SUCCESS;
}

static void give_up_receive(struct transfer *t, const struct peer *peer, int error)
{
    if (t->peer == peer && (t->is_fetching || t->is_reading || t->is_joint)) {
        t->is_fetching = t->is_reading = t->is_joint = false;
        transfer_finish(t, error);
    } else if (t->is_posted && !t->peer && lost_check_source(t->comm, t->posted.source)) {
        transfer_unpost(t);
        transfer_finish(t, error);
    }
}

static void end_transfers(const struct peer *peer, int error)
{
    uint32_t slot = 0;
    struct request *r;

    while ((r = pool_walk(&request_pool, &slot)) != NULL) {
        if (!transfer_is(r) || request_is_done(r))
            continue;
        if (r->kind == REQUEST_RECV)
            give_up_receive(transfer_of(r), peer, error);
        else if (transfer_of(r)->peer == peer)
            send_give_up(transfer_of(r), error);
    }
}

void lost_take_in(struct peer *peer, const char *why)
{
    int error;

    if (peer->lost)
        return;
    peer->lost = why;
    atomic_store_explicit(&is_any_lost, true, memory_order_relaxed);
    error = fail_with(peer);
    packet_drop(peer, error);
    stage_lose(peer, error);
    lanes_take_all_but_first(); /* transfers of all lanes are looked at */
    end_transfers(peer, error);
    lanes_release_all_but_first();
}
