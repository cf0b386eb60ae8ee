/* Peers that are lost: their host was cut off, or they are of another job and have ended. */
#include "p2p/lost.h"
#include "base/fail.h"
#include "memory/ipc.h"
#include "net/card.h"
#include "p2p/rndv/pack_pipeline.h"
#include "p2p/rndv/rndv.h"
#include "p2p/transfer.h"

#include <stdlib.h>

_Atomic bool lost_any;

static int fail_with(const struct peer *peer)
{
    if (peer->process >= group_job_size)
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

int lost_find_source(const struct comm *comm, int source)
{
    const struct peer *peer = NULL;

    /* who can be lost has no communicators that take other lanes */
    if (comm->lane || comm->spread > 1 || (source == MPI_ANY_SOURCE && comm->outlives_members))
        return MPI_SUCCESS;
    if (source != MPI_ANY_SOURCE)
        peer = find_lost(comm->process[source]);
    for (int i = 0; source == MPI_ANY_SOURCE && !peer && i < comm_peer_count(comm); i++)
        peer = find_lost(comm->process[i]);
    return peer ? fail_with(peer) : MPI_SUCCESS;
}

/* One of a list that is with this peer; NULL: none is left. */
static struct transfer *find_with(struct link *list, const struct peer *peer)
{
    for (struct link *l = list->next; l != list; l = l->next)
        if (LIST_ENTRY(l, struct transfer, under_way)->peer == peer)
            return LIST_ENTRY(l, struct transfer, under_way);
    return NULL;
}

/* Moves the receives that wait for a message of who is lost from a space to a list. */
static void gather_waiting_in(struct match_space *space, struct link *waiting)
{
    uint32_t count;
    struct posted **list = match_list_posted(space, &count);

    for (uint32_t i = 0; i < count; i++) {
        struct transfer *t = LIST_ENTRY(list[i], struct transfer, posted);

        if (match_is_any_lane(list[i]) || !lost_check_source(t->comm, list[i]->source))
            continue;
        transfer_unpost(t);
        t->is_posted = false; /* it cannot be cancelled any more */
        list_add(waiting, &t->under_way);
    }
    free(list);
}

static void gather_waiting(struct lane *lane, struct link *waiting)
{
    for (struct link *l = lane->matches.next; l != &lane->matches; l = l->next)
        for (int plane = 0; plane < PLANE_COUNT; plane++)
            gather_waiting_in(&LIST_ENTRY(l, struct match, link)->space[plane], waiting);
}

/* Looks anew after each, since what follows its end may end others. */
static void end_transfers(const struct peer *peer, int error)
{
    struct lane *lane = lane_of_peer(peer);
    struct link waiting = LIST_INIT(waiting);
    struct transfer *t;

    while ((t = find_with(&lane->rts_sent, peer)) || (t = find_with(&lane->sending, peer)))
        rndv_fail_send(t, error);
    while ((t = find_with(&lane->receiving, peer))) {
        t->awaits_data = t->awaits_read = t->awaits_copy = t->awaits_dual_copy = false;
        transfer_finish(t, error);
    }
    gather_waiting(lane, &waiting);
    while (!list_is_empty(&waiting))
        transfer_finish(LIST_ENTRY(waiting.next, struct transfer, under_way), error);
}

/* The caller holds the peer's lane, the only one that has something to do with it. */
void lost_mark(struct peer *peer, const char *why)
{
    int error;

    if (peer->lost)
        return;
    peer->lost = why;
    atomic_store_explicit(&lost_any, true, memory_order_relaxed);
    error = fail_with(peer);
    packet_drop(peer, error);
    pack_pipeline_lose(peer, error);
    end_transfers(peer, error);
    ipc_forget(peer->process);
}
