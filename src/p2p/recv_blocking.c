/* MPI_Recv. A message that is there, or comes at once, needs no request; else this is a nonblocking receive and a wait for it. */
#include "metric/event.h"
#include "p2p/failure.h"
#include "p2p/rndv/claim.h"
#include "p2p/rndv/recv_advert.h"
#include "progress/progress.h"

/* Takes an unexpected message that has just the length of the receive. */
static bool take_unexpected(void *buf, size_t bytes, struct envelope e)
{
    struct lane *lane = lane_to(e.comm, e.plane, e.tag);
    struct match_space *space;
    struct unexpected *u;
    bool fits;

    lane_take(lane);
    fits = claim_look_in(e.comm, e.plane, lane, e.peer, e.tag, &space, &u) == MPI_SUCCESS && u &&
           u->kind == MESSAGE_EAGER && u->length == bytes;
    if (fits) {
        unexpected_take(&space->unexpected, u);
        copy_bytes(buf, unexpected_payload(u), bytes);
        transfer_count(e.comm, e.plane, bytes);
        unexpected_free(&space->unexpected, u);
    }
    lane_release(lane);
    return fits;
}

/* A blocking receive from this process itself, whose message is there as a rule: it needs no request then.
 * False: nothing was done. */
static bool recv_self(struct user_buffer to, struct envelope e, struct status *status)
{
    size_t bytes;

    if (e.tag == MPI_ANY_TAG || lane_is_spread(e.comm, e.plane) || !transfer_find_run(to, e.comm, &bytes) ||
        !take_unexpected(to.at, bytes, e))
        return false;
    if (status)
        *status = (struct status){.source = e.peer, .tag = e.tag, .bytes = (MPI_Count)bytes};
    return true;
}

/* A blocking receive of a message that comes at once, from another process, needs none either. Several threads do
 * not look for it: they would keep the lane from each other. */
static bool recv_soon(struct user_buffer to, struct envelope e, struct status *status)
{
    struct lane *lane;
    size_t bytes;
    bool found;

    if (e.peer < 0 || e.tag == MPI_ANY_TAG || lane_is_spread(e.comm, e.plane) || lock_is_shared() ||
        !progress_may_spin() || recv_advert_is_on(e.comm, e.plane) || !transfer_find_run(to, e.comm, &bytes))
        return false;
    lane = lane_to(e.comm, e.plane, e.tag);
    lane_take(lane);
    found = arrive_soon(lane, &e, to.at, bytes);
    lane_release(lane);
    if (found && status)
        *status = (struct status){.source = e.peer, .tag = e.tag, .bytes = (MPI_Count)bytes};
    return found;
}

/* Nobody could wait for it again. */
__attribute__((noinline)) static int give_up_interrupted(struct request *r)
{
    p2p_cancel_recv(r);
    return r->status.cancelled
               ? fail(MPIX_ERR_PROC_FAILED, "a process that could have sent the message has failed")
               : r->status.error;
}

int p2p_recv(void *buf, MPI_Count count, struct datatype *type, int source, int tag, struct comm *comm,
             enum plane plane, struct status *status)
{
    struct user_buffer to = {buf, count, type};
    struct envelope e = {source, tag, comm, plane};
    struct request *r;
    int error;

    if (source == comm->rank ? recv_self(to, e, status) : recv_soon(to, e, status)) {
        event_deliver();
        return MPI_SUCCESS;
    }
    error = p2p_irecv(buf, count, type, source, tag, comm, plane, &r);
    if (error)
        return error;
    error = request_wait(r);
    if (__builtin_expect(error == MPIX_ERR_PROC_FAILED_PENDING, 0))
        error = give_up_interrupted(r);
    if (status)
        *status = r->status;
    request_unref(r);
    return error;
}
