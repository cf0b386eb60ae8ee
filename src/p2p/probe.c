/* MPI_Iprobe and MPI_Probe, MPI_Improbe and MPI_Mprobe, and what receives a matched message. */
#include "object/errhandler.h"
#include "p2p/assert_check.h"
#include "p2p/lost.h"
#include "p2p/match/any_lane.h"
#include "p2p/p2p.h"
#include "p2p/rndv/claim.h"
#include "p2p/rndv/rndv.h"
#include "p2p/transfer.h"
#include "plain/fail.h"
#include "progress/progress.h"

#include <string.h>

/* Matched probe and receive (MPI-5.0 section 3.8.2): a message leaves the matching space with the probe. */

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

void probe_init(void)
{
    object_predefine(&no_proc.object, OBJECT_MESSAGE, (uintptr_t)MPI_MESSAGE_NO_PROC);
}

int probe_take(struct comm *comm, struct unexpected_store *store, struct unexpected *u,
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
        errhandler_blame_object(r->owner);
    *status = r->status;
    request_unref(r);
    return error;
}

/* What a probe tells of a message. */
static void probe_describe(const struct unexpected *u, struct status *s)
{
    struct rts rts;

    s->source = u->source;
    s->tag = u->tag;
    s->bytes = u->length;
    if (u->kind != MESSAGE_RTS)
        return;
    memcpy(&rts, unexpected_payload(u), sizeof rts);
    s->bytes = (MPI_Count)rts.bytes;
}

/* Looks once, without progress. With `matched` the message leaves the matching space. */
static int probe_look(int source, int tag, struct comm *comm, int *flag, struct matched **matched,
                      struct status *status)
{
    struct lane_set held = lane_take_for(comm, PLANE_P2P, tag);
    struct match_space *space;
    struct unexpected *u;
    int error;

    do
        error = any_lane_find(comm, PLANE_P2P, held, source, tag, &space, &u);
    while (!error && u && matched && !claim_take(u)); /* withdrawn just now */
    if (!error && !u)
        error = lost_check_source(comm, source, PLANE_P2P, tag);
    if (!error && u && matched)
        error = probe_take(comm, &space->unexpected, u, matched);
    if (!error && u) {
        *status = status_empty;
        probe_describe(u, status);
    }
    lane_release_set(held);
    if (!error)
        *flag = u != NULL;
    return error;
}

int probe_once(int source, int tag, struct comm *comm, int *flag, struct matched **matched,
               struct status *status)
{
    int error;

    if (source == MPI_PROC_NULL) {
        *status = status_empty;
        status->source = MPI_PROC_NULL;
        *flag = 1;
        return MPI_SUCCESS;
    }
    error = assert_check(comm, source, tag);
    if (error)
        return error;
    progress_poll();
    error = probe_look(source, tag, comm, flag, matched, status);
    if (!error && !*flag && progress_look_again())
        error = probe_look(source, tag, comm, flag, matched, status);
    return error;
}

int probe_wait(int source, int tag, struct comm *comm, struct matched **matched, struct status *status)
{
    struct wait w = WAIT_START;
    int flag = 0;
    int error = probe_once(source, tag, comm, &flag, matched, status);

    while (!error && !flag) {
        progress_wait_for(&w, WAIT_PROBE, comm, progress_wait_detail(source, tag));
        error = probe_look(source, tag, comm, &flag, matched, status);
    }
    return error;
}

int p2p_iprobe(int source, int tag, struct comm *comm, int *flag, struct status *status)
{
    return probe_once(source, tag, comm, flag, NULL, status);
}

int p2p_probe(int source, int tag, struct comm *comm, struct status *status)
{
    return probe_wait(source, tag, comm, NULL, status);
}
