/* MPI_Cancel of sends and receives (MPI-5.0 section 3.8.4). */
#include "p2p/failure.h"
#include "p2p/lost.h"
#include "p2p/match/any_lane.h"
#include "p2p/rndv/claim.h"
#include "p2p/rndv/pack_pipeline.h"
#include "p2p/rndv/recv_advert.h"
#include "p2p/rndv/rndv.h"

#include <stdlib.h>
#include <string.h>

/* Whether the transport is sending some of it out of the buffer. When that has left, the send is detached, with this error. */
static bool has_to_drain(struct transfer *t, int error)
{
    struct request *r = transfer_request(t);
    const struct message drained = {
        .kind = MESSAGE_DRAINED, .plane = t->plane, .context = object_handle(&r->object)};

    t->is_draining =
        t->mr && t->peer->transport->drain && t->peer->transport->drain(t->peer, t->mr, &drained);
    if (!t->is_draining)
        return false;
    r->status.error = error;
    if (error)
        request_note(r, error);
    return true;
}

/* A receiver on another host may read the buffer or say CTS at any time, and one that has said CTS takes DATA
 * when it polls. So the send goes on, like a small one that has left, but from a copy, and its request ends with this error. Without
 * memory for that it goes on as it is. */
static void detach(struct transfer *t, int error)
{
    struct request *r = transfer_request(t);

    if (has_to_drain(t, error))
        return;
    if (!t->packed) {
        t->packed = malloc(t->bytes ? t->bytes : 1);
        if (!t->packed)
            return;
        memcpy(t->packed, t->buffer, t->bytes);
        t->buffer = t->packed;
    }
    rndv_conceal(t); /* who reads just now fails, and says CTS */
    t->is_detached = true;
    request_complete(r, error);
    if (t->on_done)
        t->on_done(r, t->context);
    t->on_done = NULL;
}

static void on_drained(const struct arrival *a)
{
    struct transfer *t = rndv_find_send(a->message->context, a->from);

    if (t && t->is_draining)
        detach(t, transfer_request(t)->status.error);
}

const struct rndv_protocol cancel_drained_protocol = {.on_message = on_drained};

/* Whether it may go on from a copy: a receiver that maps this process's memory may be reading it. */
static bool can_detach(const struct transfer *t)
{
    return !t->layout && t->under_way.next && (!t->awaits_cts || !t->peer->transport->map);
}

/* Whether the receiver gets it no more. */
static bool take_back_send(struct transfer *t)
{
    return t->layout ? pack_pipeline_withdraw(t) : packet_withdraw(t) || (t->awaits_cts && claim_withdraw(t));
}

/* Whether a send is one of comm; NULL: of a collective whose ranks may have left it, since one is lost. */
static bool is_to_end(const struct transfer *t, const struct comm *comm)
{
    if (comm)
        return t->comm == comm;
    return t->plane == PLANE_COLL && lost_ends_collectives(t->comm);
}

static struct transfer *next_send_of(const struct comm *comm, struct link *list, struct link *after)
{
    for (struct link *l = after->next; l != list; l = l->next) {
        struct transfer *t = LIST_ENTRY(l, struct transfer, under_way);

        if (is_to_end(t, comm) && transfer_request(t)->kind == REQUEST_SEND && !t->is_detached)
            return t;
    }
    return NULL;
}

/* Looks anew after each, since what follows its end may end others. What cannot be taken back goes on: a receiver of this host is taking
 * what is in the buffer; one of another host may have left, so that nobody waits for it. */
static void withdraw_from(struct link *list, const struct comm *comm, int error)
{
    struct link *after = list;

    for (struct transfer *t; (t = next_send_of(comm, list, after));) {
        if (!take_back_send(t)) {
            after = &t->under_way;
            if (can_detach(t))
                detach(t, error);
        } else if (t->awaits_cts) {
            rndv_fail_send(t, error);
        } else {
            transfer_finish(t, error);
        }
    }
}

void cancel_withdraw_sends(const struct comm *comm, int error)
{
    withdraw_from(&lanes[0].rts_sent, comm, error);
    withdraw_from(&lanes[0].piped, comm, error);
}

/* Ends a send that no receive has taken, if it can. */
static void withdraw_send(struct transfer *t)
{
    if (take_back_send(t)) {
        transfer_request(t)->status.cancelled = true;
        if (t->awaits_cts)
            rndv_finish_send(t);
        else
            transfer_finish(t, MPI_SUCCESS);
    } else if (can_detach(t)) {
        detach(t, MPI_SUCCESS);
    }
}

/* A send that no receive has taken ends now, whatever the receiver does. */
static int cancel_send(struct request *r)
{
    struct lane_set held;

    if (request_is_done(r)) /* also those that are no transfers */
        return MPI_SUCCESS;
    held = transfer_take_lanes(transfer_of(r));
    if (!request_is_done(r))
        withdraw_send(transfer_of(r));
    lane_release_set(held);
    return MPI_SUCCESS;
}

/* False when it has matched. */
static bool withdraw_recv(struct transfer *t)
{
    if (t->any_lane) {
        any_lane_withdraw(t);
        return true;
    }
    if (!t->is_posted || t->peer || !recv_advert_withdraw(t))
        return false;
    transfer_unpost(t);
    return true;
}

int p2p_cancel_recv(struct request *r)
{
    struct transfer *t = transfer_of(r);
    struct lane_set held;

    if (request_is_done(r) && !failure_is_interrupted(r)) /* also those that are no transfers */
        return MPI_SUCCESS;
    held = transfer_take_lanes(t);
    failure_resume(r);
    if (!request_is_done(r) && withdraw_recv(t)) {
        r->status.cancelled = true;
        transfer_finish(t, MPI_SUCCESS);
    }
    lane_release_set(held);
    return MPI_SUCCESS;
}

static int cancel_transfer(struct request *r)
{
    return r->kind == REQUEST_SEND ? cancel_send(r) : p2p_cancel_recv(r);
}

void cancel_init(void)
{
    transfer_ops.cancel = cancel_transfer;
}
