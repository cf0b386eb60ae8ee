/* Matched probe and receive (MPI-5.0 section 3.8.2): a message leaves the matching space with the probe. */
#include "base/fail.h"
#include "object/blame.h"
#include "p2p/claim.h"
#include "p2p/promise.h"
#include "p2p/wide.h"
#include "progress/progress.h"

struct matched {
    struct object object;
    struct comm *comm; /* referenced; NULL: MPI_MESSAGE_NO_PROC */
    struct lane *lane;
    uint32_t index; /* of its record, which is in no chain any more */
};

struct pool matched_pool = {.kind = OBJECT_MESSAGE,
                            .size = sizeof(struct matched),
                            .serial = true,
                            .lock = LOCK_INIT,
                            .chunks = POOL_CHUNKS};

static struct matched no_proc; /* MPI_MESSAGE_NO_PROC */

void matched_init(void)
{
    object_predefine(&no_proc.object, OBJECT_MESSAGE, (uintptr_t)MPI_MESSAGE_NO_PROC);
}

struct comm *matched_comm(const struct matched *matched)
{
    return matched->comm;
}

/* The caller holds the lanes. *matched stays NULL when no such message is there. */
static int take(int source, int tag, struct comm *comm, struct hold held, struct matched **matched,
                struct status *status)
{
    struct match_space *space;
    struct unexpected_store *store;
    struct unexpected *u;
    int error = look_in(comm, PLANE_P2P, held, source, tag, &space, &u);

    if (error)
        return error;
    if (!u)
        return lost_check_source(comm, source);
    store = &space->unexpected;
    if (!claim_take(u)) /* withdrawn just now */
        return take(source, tag, comm, held, matched, status);
    *matched = pool_new(&matched_pool);
    if (!*matched) {
        if (u->kind == MESSAGE_OFFER)
            claim_put_back(u->from, unexpected_payload(u));
        return fail(MPI_ERR_NO_MEM, "no memory for a matched message");
    }
    unexpected_take(store, u);
    comm_ref(comm);
    (*matched)->comm = comm;
    (*matched)->lane = lane_of_peer(u->from);
    (*matched)->index = unexpected_index(store, u);
    *status = status_empty;
    probe_describe(u, status);
    return MPI_SUCCESS;
}

static int look(int source, int tag, struct comm *comm, int *flag, struct matched **matched,
                struct status *status)
{
    struct hold held = lanes_hold(comm, PLANE_P2P, tag);
    struct matched *found = NULL;
    int error;

    error = take(source, tag, comm, held, &found, status);
    lanes_drop(held);
    if (error)
        return error;
    *flag = found != NULL;
    *matched = found;
    return MPI_SUCCESS;
}

int p2p_improbe(int source, int tag, struct comm *comm, int *flag, struct matched **matched,
                struct status *status)
{
    int error;

    if (source == MPI_PROC_NULL) {
        *status = status_empty;
        status->source = MPI_PROC_NULL;
        *matched = &no_proc;
        *flag = 1;
        return MPI_SUCCESS;
    }
    error = promise_check(comm, source, tag);
    if (error)
        return error;
    progress_poll();
    error = look(source, tag, comm, flag, matched, status);
    if (!error && !*flag && progress_look_again())
        error = look(source, tag, comm, flag, matched, status);
    return error;
}

int p2p_mprobe(int source, int tag, struct comm *comm, struct matched **matched, struct status *status)
{
    struct wait w = WAIT_START;
    int flag = 0;
    int error = p2p_improbe(source, tag, comm, &flag, matched, status);

    while (!error && !flag) {
        progress_wait(&w);
        error = look(source, tag, comm, &flag, matched, status);
    }
    return error;
}

/* The caller holds the lane. */
static int receive(void *buf, MPI_Count count, size_t bytes, struct datatype *type, struct matched *matched,
                   struct request **request)
{
    struct unexpected_store *store =
        &matched->comm->match[lane_number(matched->lane)]->space[PLANE_P2P].unexpected;
    struct transfer *t;
    int error = transfer_new(REQUEST_RECV, matched->comm, PLANE_P2P, matched->lane, request);

    if (error)
        return error;
    t = transfer_of(*request);
    transfer_set_room(t, buf, count, type, bytes);
    t->is_exact = promise_is_exact(matched->comm, PLANE_P2P);
    recv_begin_kept(t, store, unexpected_at(store, matched->index));
    comm_unref(matched->comm);
    pool_free(&matched_pool, matched);
    return MPI_SUCCESS;
}

int p2p_imrecv(void *buf, MPI_Count count, struct datatype *type, struct matched *matched,
               struct request **request)
{
    struct lane *lane;
    size_t bytes;
    int error;

    if (matched == &no_proc)
        return p2p_irecv(buf, count, type, MPI_PROC_NULL, MPI_ANY_TAG, NULL, PLANE_P2P, request);
    error = datatype_check_receive(type, count);
    if (!error)
        error = datatype_bytes(type, count, &bytes);
    if (error)
        return error;
    lane = matched->lane;
    lane_take(lane);
    error = receive(buf, count, bytes, type, matched, request);
    lane_release(lane);
    return error;
}

int p2p_mrecv(void *buf, MPI_Count count, struct datatype *type, struct matched *matched,
              struct status *status)
{
    struct request *r;
    int error = p2p_imrecv(buf, count, type, matched, &r);

    if (error)
        return error;
    error = request_wait(r);
    if (error)
        blame_object(r->owner);
    *status = r->status;
    request_unref(r);
    return error;
}
