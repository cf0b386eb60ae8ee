/* MPI_Sendrecv and its kin (MPI-5.0 section 3.11). */
#include "net/net.h"
#include "p2p/assert_check.h"
#include "p2p/multi_request.h"
#include "p2p/rndv/recv_advert.h"

/* Whether no receive is posted, and no message waits, that a message of this process to itself could match or must
 * not overtake. The caller holds the lane. */
static bool is_idle(struct comm *comm, struct lane *lane, const struct peer *self)
{
    const struct match *match = match_of(comm, lane);
    const struct match_space *space = match ? &match->space[PLANE_P2P] : NULL;

    return space && !space->posted.count && unexpected_is_empty(&space->unexpected) &&
           list_is_empty(&self->waiting) && !net_self_waits(lane_number(lane));
}

static bool copy_to_self(void *to, const void *from, size_t bytes, int rank, int tag, struct comm *comm)
{
    struct lane *lane = lane_to(comm, PLANE_P2P, tag);
    const struct peer *peer;
    bool done;

    lane_take(lane);
    peer = net_peer(lane_number(lane), comm->process[rank]);
    done = peer && peer->transport == &self_transport && is_idle(comm, lane, peer);
    if (done)
        copy_bytes(to, from, bytes);
    lane_release(lane);
    return done;
}

/* The two operations of MPI_Sendrecv by a process with itself, if nothing can come between them: a copy.
 * False: nothing was done. */
static bool sendrecv_self(struct user_buffer from, struct user_buffer to, int rank, int tag,
                          struct comm *comm, struct status *status)
{
    size_t bytes, room;

    if (lane_is_spread(comm, PLANE_P2P) || recv_advert_is_on(comm, PLANE_P2P) ||
        !transfer_find_run(from, comm, &bytes) || !transfer_find_run(to, comm, &room) || room != bytes ||
        !copy_to_self(to.at, from.at, bytes, rank, tag, comm))
        return false;
    if (status)
        *status = (struct status){.source = rank, .tag = tag, .bytes = (MPI_Count)bytes};
    return true;
}

/* Whether the message has a size, before a receive is begun that could take a message. */
static int check_sent(int dest, MPI_Count count, const struct datatype *type)
{
    size_t bytes;

    return dest == MPI_PROC_NULL ? MPI_SUCCESS : datatype_bytes(type, count, &bytes);
}

int p2p_sendrecv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, int dest, int sendtag,
                 void *recvbuf, MPI_Count recvcount, struct datatype *recvtype, int source, int recvtag,
                 struct comm *comm, enum plane plane, struct status *status)
{
    struct request *recv, *send;
    int error, recv_error;

    if (dest == comm->rank && source == dest && sendtag == recvtag && plane == PLANE_P2P &&
        sendrecv_self((struct user_buffer){(void *)(uintptr_t)sendbuf, sendcount, sendtype},
                      (struct user_buffer){recvbuf, recvcount, recvtype}, dest, sendtag, comm, status))
        return MPI_SUCCESS;
    error = check_sent(dest, sendcount, sendtype);
    if (!error)
        error = p2p_irecv(recvbuf, recvcount, recvtype, source, recvtag, comm, plane, &recv);
    if (error)
        return error;
    error = p2p_isend(sendbuf, sendcount, sendtype, dest, sendtag, comm, plane, SEND_STANDARD, &send);
    if (!error) {
        error = request_wait(send);
        request_unref(send);
    } else {
        p2p_cancel_recv(recv);
    }
    recv_error = request_wait(recv);
    if (status)
        *status = recv->status;
    request_unref(recv);
    return error ? error : recv_error;
}

static const struct request_ops pair_ops = {.release = multi_request_release};

int p2p_isendrecv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, int dest, int sendtag,
                  void *recvbuf, MPI_Count recvcount, struct datatype *recvtype, int source, int recvtag,
                  struct comm *comm, struct request **request)
{
    struct request *r, *recv, *send;
    int error = check_sent(dest, sendcount, sendtype);

    if (!error)
        error = multi_request_new(REQUEST_MULTI, &pair_ops, comm, &r);
    if (error)
        return error;
    error = p2p_irecv(recvbuf, recvcount, recvtype, source, recvtag, comm, PLANE_P2P, &recv);
    if (error)
        goto drop_request;
    error = p2p_isend(sendbuf, sendcount, sendtype, dest, sendtag, comm, PLANE_P2P, SEND_STANDARD, &send);
    if (error)
        goto drop_recv;
    r->active = true;
    multi_request_start(r, 2);
    multi_request_add(r, recv);
    multi_request_add(r, send);
    *request = r;
    return MPI_SUCCESS;

drop_recv:
    p2p_cancel_recv(recv);
    request_unref(recv);
drop_request:
    request_unref(r);
    return error;
}

/* The outgoing message is copied, so the receive alone is what is waited for. */
int p2p_isendrecv_replace(void *buf, MPI_Count count, struct datatype *type, int dest, int sendtag,
                          int source, int recvtag, struct comm *comm, struct request **request)
{
    int error = source == MPI_PROC_NULL ? MPI_SUCCESS : assert_check(comm, source, recvtag);

    if (!error)
        error = p2p_send_copy(buf, count, type, dest, sendtag, comm, PLANE_P2P);

    return error ? error : p2p_irecv(buf, count, type, source, recvtag, comm, PLANE_P2P, request);
}

int p2p_sendrecv_replace(void *buf, MPI_Count count, struct datatype *type, int dest, int sendtag, int source,
                         int recvtag, struct comm *comm, struct status *status)
{
    struct request *r;
    int error = p2p_isendrecv_replace(buf, count, type, dest, sendtag, source, recvtag, comm, &r);

    if (error)
        return error;
    error = request_wait(r);
    *status = r->status;
    request_unref(r);
    return error;
}
