/* Matched probe and receive (MPI-5.0 section 3.8.2): a message leaves the matching space with the probe. */
#include "object/error.h"
#include "p2p/assert_check.h"
#include "p2p/p2p.h"
#include "p2p/rndv/claim.h"
#include "p2p/transfer.h"
#include "plain/fail.h"

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

void mprobe_init(void)
{
    object_predefine(&no_proc.object, OBJECT_MESSAGE, (uintptr_t)MPI_MESSAGE_NO_PROC);
}

int mprobe_take(struct comm *comm, struct unexpected_store *store, struct unexpected *u,
                struct matched **matched)
{
    struct matched *taken = pool_new(&matched_pool);

    if (!taken) {
        if (u->kind == MESSAGE_RTS)
            claim_put_back(u->from, unexpected_payload(u));
        return fail(MPI_ERR_NO_MEM, "no memory for a matched message");
    }
    unexpected_take(store, u);
    comm_ref(comm);
    taken->comm = comm;
    taken->lane = lane_of_peer(u->from);
    taken->index = unexpected_index(store, u);
    *matched = taken;
    return MPI_SUCCESS;
}

int p2p_improbe(int source, int tag, struct comm *comm, int *flag, struct matched **matched,
                struct status *status)
{
    *matched = source == MPI_PROC_NULL ? &no_proc : NULL;
    return probe_once(source, tag, comm, flag, matched, status);
}

int p2p_mprobe(int source, int tag, struct comm *comm, struct matched **matched, struct status *status)
{
    *matched = source == MPI_PROC_NULL ? &no_proc : NULL;
    return probe_wait(source, tag, comm, matched, status);
}

/* The caller holds the lane. */
static int mrecv(void *buf, MPI_Count count, size_t bytes, struct datatype *type, struct matched *matched,
                 struct request **request)
{
    struct unexpected_store *store =
        &matched->comm->match[lane_number(matched->lane)]->space[PLANE_P2P].unexpected;
    struct transfer *t;
    int error = transfer_new(REQUEST_RECV, matched->comm, PLANE_P2P, matched->lane, request);

    if (error)
        return error;
    t = transfer_of(*request);
    transfer_set_buffer(t, (struct user_buffer){buf, count, type}, bytes);
    t->is_exact = assert_check_is_exact(matched->comm, PLANE_P2P);
    recv_begin_unexpected(t, store, unexpected_at(store, matched->index));
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
    error = datatype_bytes(type, count, &bytes);
    if (error)
        return error;
    lane = matched->lane;
    lane_take(lane);
    error = mrecv(buf, count, bytes, type, matched, request);
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
