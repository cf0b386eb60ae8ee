#include "p2p/rndv/rndv.h"

#include "net/net.h"
#include "p2p/lost.h"
#include "p2p/rndv/claim.h"
#include "plain/log.h"
#include "progress/progress.h"

/* Receiver. */

/* The sender waits for this answer: without memory for it the job ends. */
static int send_answer(struct transfer *t, enum message_kind kind, const void *payload, size_t length)
{
    int error = packet_send_control(t, kind, payload, length);

    if (error == MPI_ERR_NO_MEM)
        log_die("no memory to answer process %d, whose send waits for it", t->peer->process);
    return error;
}

void rndv_send_fin(struct transfer *t)
{
    struct fin fin = {t->partner};
    int error = send_answer(t, MESSAGE_FIN, &fin, sizeof fin);

    transfer_finish(t, error ? error : transfer_request(t)->status.error);
}

void rndv_send_cts(struct transfer *t)
{
    struct cts cts = {t->partner, object_handle(&transfer_request(t)->object), t->total,
                      t->layout ? 0 : (uint64_t)(uintptr_t)t->buffer};
    int error;

    t->awaits_data = true;
    error = send_answer(t, MESSAGE_CTS, &cts, sizeof cts);
    if (error)
        transfer_finish(t, error);
}

/* Sender. */

void rndv_conceal(struct transfer *t)
{
    if (t->mr)
        t->peer->transport->conceal(t->mr);
    t->mr = NULL;
}

int rndv_send_rts(struct transfer *t, int tag, struct rts *rts, size_t length)
{
    struct message m = transfer_message(t->comm, (enum plane)t->plane, tag, MESSAGE_RTS, length);
    int error = lost_check_left(t->comm, (enum plane)t->plane, tag);

    if (error)
        return error;
    t->awaits_cts = true;
    lane_count_sent(transfer_lane(t), t->comm, t->plane, METRIC_RENDEZVOUS_MESSAGES, rts->bytes);
    list_add(&transfer_lane(t)->rts_sent, &t->under_way);
    if (!rts->key)
        rts->key = claim_open(t);
    error = packet_send(t->peer, &m, rts, NULL);
    if (error) {
        claim_close(t);
        list_remove(&t->under_way);
    }
    return error;
}

/* The buffer is exposed to the receiver's transport where that pays: what fits into one DATA is copied. */
int rndv_send(struct transfer *t, int tag)
{
    const struct transport *net = t->peer->transport;
    struct rts rts = {t->bytes, (uint64_t)(uintptr_t)t->buffer, object_handle(&transfer_request(t)->object),
                      0};
    struct exposed exposed = {0};
    int error;

    if (net->expose && t->bytes > net->limits(t->peer)->message_best)
        t->mr = net->expose(t->buffer, t->bytes, EXPOSED_MESSAGE, &exposed);
    if (t->mr)
        rts.key = exposed.key;
    error = rndv_send_rts(t, tag, &rts, sizeof rts);
    if (error)
        rndv_conceal(t);
    return error;
}

struct transfer *rndv_find_send(uint64_t handle, const struct peer *from)
{
    struct request *r = pool_find(&request_pool, handle);
    struct transfer *t = r && r->kind == REQUEST_SEND ? transfer_of(r) : NULL;

    if (t && request_is_done(r) && !t->is_detached)
        return NULL;
    return t && t->awaits_cts && t->peer == from ? t : NULL;
}

/* The receiver has what it wants, or is lost. A detached send is already done for the program. */
static void finish_send(struct transfer *t, int error)
{
    if (t->awaits_cts)
        claim_close(t);
    t->awaits_cts = false;
    rndv_conceal(t);
    if (t->is_detached) {
        list_remove(&t->under_way);
        request_unref(transfer_request(t));
    } else {
        transfer_finish(t, error);
    }
}

void rndv_finish_send(struct transfer *t)
{
    finish_send(t, MPI_SUCCESS);
}

void rndv_fail_send(struct transfer *t, int error)
{
    if (!t->awaits_cts) /* it sends DATA */
        progress_stay_awake(-1);
    finish_send(t, error);
}
