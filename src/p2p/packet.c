/* Messages that found no room wait here, in order, per peer. */
#include "base/live.h"
#include "p2p/lost.h"
#include "p2p/transfer.h"
#include "plain/fail.h"
#include "progress/progress.h"

#include <stdlib.h>
#include <string.h>

struct packet {
    struct link link; /* in peer->waiting */
    struct peer *peer;
    struct message message;
    const void *payload;
    struct request *request; /* completed by departure; NULL: none */
    unsigned char copy[];    /* the payload, without a request */
};

static int add_stuck(struct peer *peer)
{
    struct lane *lane = lane_of_peer(peer);

    if (lane->stuck_count == lane->stuck_capacity) {
        int capacity = lane->stuck_capacity ? lane->stuck_capacity * 2 : 8;
        struct peer **bigger = realloc(lane->stuck, (size_t)capacity * sizeof *bigger);

        if (!bigger)
            return fail(MPI_ERR_NO_MEM, "no memory to queue a message");
        lane->stuck = bigger;
        lane->stuck_capacity = capacity;
    }
    lane->stuck[lane->stuck_count++] = peer;
    progress_stay_awake(1);
    return MPI_SUCCESS;
}

static int queue(struct peer *peer, const struct message *message, const void *payload,
                 struct request *request)
{
    int error = lost_check_peer(peer);
    size_t copied = request ? 0 : message->length;
    struct packet *p = error ? NULL : malloc(sizeof *p + copied);

    if (error)
        return error;
    if (!p)
        return fail(MPI_ERR_NO_MEM, "no memory to queue a message");
    if (list_is_empty(&peer->waiting)) {
        error = add_stuck(peer);
        if (error) {
            free(p);
            return error;
        }
    }
    *p = (struct packet){.peer = peer, .message = *message, .payload = payload, .request = request};
    if (copied) {
        memcpy(p->copy, payload, copied);
        p->payload = p->copy;
    }
    list_add(&peer->waiting, &p->link);
    live_add(LIVE_PACKET, 1);
    return MPI_SUCCESS;
}

int packet_send(struct peer *peer, const struct message *message, const void *payload,
                struct request *request)
{
    if (!list_is_empty(&peer->waiting) || !peer->transport->send(peer, message, payload))
        return queue(peer, message, payload, request);
    if (request)
        transfer_finish(transfer_of(request), MPI_SUCCESS);
    return MPI_SUCCESS;
}

/* Returns how many went. */
static int flush_peer(struct peer *peer)
{
    int sent = 0;

    while (!list_is_empty(&peer->waiting)) {
        struct packet *p = LIST_ENTRY(peer->waiting.next, struct packet, link);

        if (!peer->transport->send(peer, &p->message, p->payload))
            break;
        list_remove(&p->link);
        live_add(LIVE_PACKET, -1);
        if (p->request)
            transfer_finish(transfer_of(p->request), MPI_SUCCESS);
        free(p);
        sent++;
    }
    return sent;
}

int packet_flush(struct lane *lane)
{
    struct peer **stuck = lane->stuck;
    int sent = 0;

    for (int i = 0; i < lane->stuck_count; i++) {
        sent += flush_peer(stuck[i]);
        if (list_is_empty(&stuck[i]->waiting)) {
            stuck[i--] = stuck[--lane->stuck_count];
            progress_stay_awake(-1);
        }
    }
    return sent;
}

bool packet_is_queued(const struct lane *lane, const struct comm *comm)
{
    for (int i = 0; i < lane->stuck_count; i++)
        for (struct link *l = lane->stuck[i]->waiting.next; l != &lane->stuck[i]->waiting; l = l->next) {
            struct packet *p = LIST_ENTRY(l, struct packet, link);

            if (p->request && transfer_of(p->request)->comm == comm)
                return true;
        }
    return false;
}

bool packet_withdraw(const struct transfer *t)
{
    for (struct link *l = t->peer->waiting.next; l != &t->peer->waiting; l = l->next) {
        struct packet *p = LIST_ENTRY(l, struct packet, link);

        if (!p->request || transfer_of(p->request) != t)
            continue;
        list_remove(l);
        live_add(LIVE_PACKET, -1);
        free(p);
        return true;
    }
    return false;
}

/* The empty queue leaves the list of stuck ones at the next flush. */
void packet_drop(struct peer *peer, int error)
{
    while (!list_is_empty(&peer->waiting)) {
        struct packet *p = LIST_ENTRY(peer->waiting.next, struct packet, link);

        list_remove(&p->link);
        live_add(LIVE_PACKET, -1);
        if (p->request)
            transfer_finish(transfer_of(p->request), error);
        free(p);
    }
}

int packet_send_control(struct transfer *t, enum message_kind kind, const void *payload, size_t length)
{
    struct message m = transfer_message(t->comm, (enum plane)t->plane, 0, kind, length);

    return packet_send(t->peer, &m, payload, NULL);
}

int p2p_tell_left(struct comm *comm, int dest, int tag)
{
    struct lane *lane = lane_to(comm, PLANE_COLL, tag);
    struct message m = transfer_message(comm, PLANE_COLL, tag, MESSAGE_LEFT, 0);
    struct peer *peer;
    int error;

    if (dest == MPI_PROC_NULL)
        return MPI_SUCCESS;
    lane_take(lane);
    peer = net_peer(lane_number(lane), comm->process[dest]);
    error = peer ? packet_send(peer, &m, NULL, NULL) : fail_class();
    lane_release(lane);
    return error;
}
