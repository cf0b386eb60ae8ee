/* Persistent sends and receives, and MPI_Isendrecv: multi_requests of ordinary messages. */
#include "p2p/assert_check.h"
#include "p2p/multi_request.h"

/* Lives in request->space. */
struct persistent {
    struct multi_request multi_request;
    void *buf;
    MPI_Count count;
    struct datatype *type; /* referenced */
    int rank, tag;
    enum send_mode mode;   /* of a send */
    struct request *child; /* of the current or last round, referenced */
};

_Static_assert(sizeof(struct persistent) <= REQUEST_SPACE, "a persistent request fits into its request");

static struct persistent *persistent_of(struct request *r)
{
    return (struct persistent *)(void *)r->space;
}

static void forget_child(struct persistent *p)
{
    if (p->child)
        request_unref(p->child);
    p->child = NULL;
}

static void begin_round(struct request *r, struct request *child)
{
    request_ref(child);
    multi_request_start(r, 1);
    multi_request_add(r, child);
}

static int start_send(struct request *r)
{
    struct persistent *p = persistent_of(r);
    struct comm *comm = p->multi_request.comm;
    int error;

    forget_child(p);
    if (p->mode == SEND_BUFFERED)
        error = p2p_ibsend(p->buf, p->count, p->type, p->rank, p->tag, comm, &p->child);
    else
        error = p2p_isend(p->buf, p->count, p->type, p->rank, p->tag, comm, PLANE_P2P, p->mode, &p->child);
    if (error)
        return error;
    begin_round(r, p->child);
    return MPI_SUCCESS;
}

static int start_recv(struct request *r)
{
    struct persistent *p = persistent_of(r);
    int error;

    forget_child(p);
    error =
        p2p_irecv(p->buf, p->count, p->type, p->rank, p->tag, p->multi_request.comm, PLANE_P2P, &p->child);
    if (error)
        return error;
    begin_round(r, p->child);
    return MPI_SUCCESS;
}

static int cancel(struct request *r)
{
    const struct request_ops *ops = persistent_of(r)->child->ops;

    return ops && ops->cancel ? ops->cancel(persistent_of(r)->child) : MPI_SUCCESS;
}

static void release(struct request *r)
{
    forget_child(persistent_of(r));
    datatype_unref(persistent_of(r)->type);
    multi_request_release(r);
}

static const struct request_ops send_ops = {.start = start_send, .cancel = cancel, .release = release};
static const struct request_ops recv_ops = {.start = start_recv, .cancel = cancel, .release = release};

static int persistent_new(const struct request_ops *ops, void *buf, MPI_Count count, struct datatype *type,
                          int rank, int tag, struct comm *comm, struct request **request)
{
    struct request *r;
    struct persistent *p;
    size_t bytes;
    int error = rank == MPI_PROC_NULL ? MPI_SUCCESS : datatype_bytes(type, count, &bytes);

    if (!error)
        error = multi_request_new(REQUEST_MULTI, ops, comm, &r);
    if (error)
        return error;
    p = persistent_of(r);
    *p = (struct persistent){.multi_request = p->multi_request,
                             .buf = buf,
                             .count = count,
                             .type = type,
                             .rank = rank,
                             .tag = tag};
    datatype_ref(type);
    r->persistent = true;
    *request = r;
    return MPI_SUCCESS;
}

int p2p_send_init(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag,
                  struct comm *comm, enum send_mode mode, struct request **request)
{
    int error = persistent_new(&send_ops, (void *)(uintptr_t)buf, count, type, dest, tag, comm, request);

    if (!error)
        persistent_of(*request)->mode = mode;
    return error;
}

int p2p_recv_init(void *buf, MPI_Count count, struct datatype *type, int source, int tag, struct comm *comm,
                  struct request **request)
{
    int error = source == MPI_PROC_NULL ? MPI_SUCCESS : assert_check(comm, source, tag);

    if (!error && source != MPI_PROC_NULL)
        error = datatype_check_receive(type, count);
    if (error)
        return error;
    return persistent_new(&recv_ops, buf, count, type, source, tag, comm, request);
}

static const struct request_ops pair_ops = {.release = multi_request_release};

int p2p_isendrecv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, int dest, int sendtag,
                  void *recvbuf, MPI_Count recvcount, struct datatype *recvtype, int source, int recvtag,
                  struct comm *comm, struct request **request)
{
    struct request *r, *recv, *send;
    int error = multi_request_new(REQUEST_MULTI, &pair_ops, comm, &r);

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
