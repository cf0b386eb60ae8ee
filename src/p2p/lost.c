/* Peers that are lost: their host was cut off, or they are of another job and have ended. */
#include "base/fail.h"
#include "memory/borrow.h"
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

/* One of a list that is with this peer; NULL: none is left. */
static struct transfer *find_with(struct link *list, const struct peer *peer)
{
    for (struct link *l = list->next; l != list; l = l->next)
        if (LIST_ENTRY(l, struct transfer, under_way)->peer == peer)
            return LIST_ENTRY(l, struct transfer, under_way);
    return NULL;
}

static struct posted *find_forlorn_in(const struct match_space *space)
{
    struct posted *p = match_next_posted(space, NULL);

    while (p &&
           (posted_is_wide(p) || !lost_check_source(LIST_ENTRY(p, struct transfer, posted)->comm, p->source)))
        p = match_next_posted(space, p);
    return p;
}

/* A receive that waits for a message of who is lost; NULL: none is left. */
static struct transfer *find_forlorn(struct lane *lane)
{
    struct posted *p = NULL;

    for (struct link *l = lane->matches.next; l != &lane->matches && !p; l = l->next)
        for (int plane = 0; plane < PLANE_COUNT && !p; plane++)
            p = find_forlorn_in(&LIST_ENTRY(l, struct match, link)->space[plane]);
    return p ? LIST_ENTRY(p, struct transfer, posted) : NULL;
}

/* Looks anew after each, since what follows its end may end others. */
static void end_transfers(const struct peer *peer, int error)
{
    struct lane *lane = lane_of_peer(peer);
    struct transfer *t;

    while ((t = find_with(&lane->offered, peer)) || (t = find_with(&lane->pushing, peer)))
        send_give_up(t, error);
    while ((t = find_with(&lane->taking, peer))) {
        t->is_fetching = t->is_reading = t->is_joint = false;
        transfer_finish(t, error);
    }
    while ((t = find_forlorn(lane))) {
        transfer_unpost(t);
        transfer_finish(t, error);
    }
}

/* The caller holds the peer's lane, the only one that has something to do with it. */
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
    end_transfers(peer, error);
    borrow_forget(peer->process);
}
