/* What ends when a peer is lost. */
#include "boot/boot.h"
#include "memory/ipc.h"
#include "net/card.h"
#include "p2p/failure.h"
#include "p2p/lost.h"
#include "p2p/rndv/pack_pipeline.h"
#include "p2p/rndv/rndv.h"
#include "p2p/transfer.h"

#include <stdlib.h>

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

        int error = match_is_any_lane(list[i])
                        ? MPI_SUCCESS
                        : lost_check_source(t->comm, list[i]->source, (enum plane)t->plane, list[i]->tag);

        if (error == MPIX_ERR_PROC_FAILED_PENDING)
            failure_interrupt(transfer_request(t));
        if (!error || error == MPIX_ERR_PROC_FAILED_PENDING)
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

static void tell_of_death(const struct peer *lost)
{
    struct message m = {.kind = MESSAGE_DEATH, .tag = lost->process, .source = group_me};

    for (int i = 0; lost->process < group_job_size && i < group_job_size; i++) {
        struct peer *peer = net_peers[0][i];

        if (peer && !peer->lost && peer->transport->reach == REACH_NETWORK)
            packet_send(peer, &m, NULL, NULL); /* without memory the others tell it */
    }
}

void lost_tell_finalized(void)
{
    struct message m = {.kind = MESSAGE_FINALIZED};

    lane_take(&lanes[0]);
    for (int i = group_job_size; i < card_end(); i++) {
        struct peer *peer = net_peers[0][i];

        if (peer && !peer->lost)
            packet_send(peer, &m, NULL, NULL); /* without memory it counts as dead */
    }
    lane_release(&lanes[0]);
}

void lost_on_death(int lost, int teller)
{
    struct peer *peer;

    if (lost == group_me)
        boot_end_as_dead(teller);
    peer = lost >= 0 && lost < group_job_size ? net_peer(0, lost) : NULL;
    if (peer && !peer->lost && peer->transport->give_up)
        peer->transport->give_up(peer, "others have lost it");
}

/* The caller holds the peer's lane, the only one that has something to do with it. */
void lost_mark(struct peer *peer, const char *why)
{
    int error;

    if (peer->lost)
        return;
    peer->lost = why;
    atomic_store_explicit(&lost_any, true, memory_order_relaxed);
    if (net_survives() && !peer->has_finalized)
        failure_add(peer->process);
    error = lost_check_peer(peer);
    packet_drop(peer, error);
    pack_pipeline_lose(peer, error);
    end_transfers(peer, error);
    if (net_survives())
        tell_of_death(peer);
    if (net_survives()) /* ranks that learn of the loss leave collectives, and receive no more there */
        cancel_withdraw_sends(NULL, error);
    ipc_forget(peer->process);
}
