/* Persistent sends and receives (MPI-5.0 section 3.9): each start begins an ordinary message. */
#include "p2p/assert_check.h"
#include "p2p/multi_request.h"

/* Lives in request->space. */
struct persistent {
    struct multi_request multi_request;
    struct user_buffer buffer; /* its type is referenced */
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

static int persistent_start_send(struct request *r)
{
    struct persistent *p = persistent_of(r);
    struct comm *comm = p->multi_request.comm;
    int error;

    forget_child(p);
    if (p->mode == SEND_BUFFERED)
        error = p2p_ibsend(p->buffer.at, p->buffer.count, p->buffer.type, p->rank, p->tag, comm, &p->child);
    else
        error = p2p_isend(p->buffer.at, p->buffer.count, p->buffer.type, p->rank, p->tag, comm, PLANE_P2P,
                          p->mode, &p->child);
    if (error)
        return error;
    begin_round(r, p->child);
    return MPI_SUCCESS;
}

static int persistent_start_recv(struct request *r)
{
    struct persistent *p = persistent_of(r);
    int error;

    forget_child(p);
    error = p2p_irecv(p->buffer.at, p->buffer.count, p->buffer.type, p->rank, p->tag, p->multi_request.comm,
                      PLANE_P2P, &p->child);
    if (error)
        return error;
    begin_round(r, p->child);
    return MPI_SUCCESS;
}

static int persistent_cancel(struct request *r)
{
    const struct request *child =
        persistent_of(r)->child; /* NULL: there was no memory for one, and r is complete */
    const struct request_ops *ops = child ? child->ops : NULL;

    return ops && ops->cancel ? ops->cancel(persistent_of(r)->child) : MPI_SUCCESS;
}

static void persistent_release(struct request *r)
{
    forget_child(persistent_of(r));
    datatype_unref(persistent_of(r)->buffer.type);
    multi_request_release(r);
}

static const struct request_ops send_ops = {
    .start = persistent_start_send, .cancel = persistent_cancel, .release = persistent_release};
static const struct request_ops recv_ops = {
    .start = persistent_start_recv, .cancel = persistent_cancel, .release = persistent_release};

static int persistent_new(const struct request_ops *ops, struct user_buffer buffer, int rank, int tag,
                          struct comm *comm, struct request **request)
{
    struct request *r;
    struct persistent *p;
    size_t bytes;
    int error = rank == MPI_PROC_NULL ? MPI_SUCCESS : datatype_bytes(buffer.type, buffer.count, &bytes);

    if (!error)
        error = multi_request_new(REQUEST_MULTI, ops, comm, &r);
    if (error)
        return error;
    p = persistent_of(r);
    *p = (struct persistent){.multi_request = p->multi_request, .buffer = buffer, .rank = rank, .tag = tag};
    datatype_ref(buffer.type);
    r->persistent = true;
    *request = r;
    return MPI_SUCCESS;
}

int p2p_send_init(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag,
                  struct comm *comm, enum send_mode mode, struct request **request)
{
    int error = persistent_new(&send_ops, (struct user_buffer){(void *)(uintptr_t)buf, count, type}, dest,
                               tag, comm, request);

    if (!error)
        persistent_of(*request)->mode = mode;
    return error;
}

int p2p_recv_init(void *buf, MPI_Count count, struct datatype *type, int source, int tag, struct comm *comm,
                  struct request **request)
{
    int error = source == MPI_PROC_NULL ? MPI_SUCCESS : assert_check(comm, source, tag);

    if (error)
        return error;
    return persistent_new(&recv_ops, (struct user_buffer){buf, count, type}, source, tag, comm, request);
}
