/* Who is lost. lost_mark.c ends what is under way with it. */
#include "p2p/lost.h"

#include "net/card.h"
#include "p2p/failure.h"
#include "p2p/lane.h"
#include "plain/fail.h"

_Atomic bool lost_any;

bool lost_is_cause(int error)
{
    return error == MPI_ERR_PROC_ABORTED || error == MPIX_ERR_PROC_FAILED || error == MPIX_ERR_REVOKED;
}

static int fail_with(const struct peer *peer)
{
    if (peer->process == net_nobody())
        return fail(MPIX_ERR_REVOKED, "the communicator %s", peer->lost);
    if (peer->process >= group_job_size)
        return fail(net_loss_class(), "rank %d of another job is out of reach: %s",
                    card_of(peer->process)->rank, peer->lost);
    return fail(net_loss_class(), "process %d%s is out of reach: %s", peer->process,
                peer->transport->reach == REACH_NETWORK ? ", on another host," : "", peer->lost);
}

int lost_check_peer(const struct peer *peer)
{
    return peer->lost ? fail_with(peer) : MPI_SUCCESS;
}

static const struct peer *find_lost(int process)
{
    const struct peer *peer = net_peers[0][process]; /* who can be lost is reached in lane 0 only */

    return peer && peer->lost ? peer : NULL;
}

static const struct peer *find_any_lost(const struct comm *comm, bool but_finalized)
{
    const struct peer *peer = NULL;

    for (int i = 0; !peer && i < comm_peer_count(comm); i++) {
        peer = find_lost(comm->process[i]);
        if (but_finalized && peer && peer->has_finalized)
            peer = NULL;
    }
    return peer;
}

static bool hits(const struct comm *comm, bool but_finalized)
{
    return atomic_load_explicit(&lost_any, memory_order_relaxed) &&
           (atomic_load_explicit(&comm->is_left, memory_order_relaxed) || find_any_lost(comm, but_finalized));
}

bool lost_hits(const struct comm *comm)
{
    return hits(comm, false);
}

bool lost_ends_collectives(const struct comm *comm)
{
    return hits(comm, true);
}

/* Ranks that find a loss leave a collective, and others would wait for them. Tags of the program's own makers (make_program_tag) are
 * negative: their members know each other. */
static bool needs_all(enum plane plane, int tag)
{
    return net_survives() && plane == PLANE_COLL && tag >= 0;
}

int lost_find_left(const struct comm *comm, enum plane plane, int tag)
{
    const struct peer *peer = needs_all(plane, tag) ? find_any_lost(comm, true) : NULL;

    if (peer)
        return fail_with(peer);
    return needs_all(plane, tag) && atomic_load_explicit(&comm->is_left, memory_order_relaxed)
               ? fail(MPIX_ERR_PROC_FAILED, "a rank has left a collective of this communicator for a loss")
               : MPI_SUCCESS;
}

int lost_find_source(const struct comm *comm, int source, enum plane plane, int tag)
{
    const struct peer *peer = NULL;

    /* who can be lost has no communicators that take other lanes */
    if (comm->lane || comm->spread > 1 || (source == MPI_ANY_SOURCE && comm->outlives_members))
        return MPI_SUCCESS;
    if (source == MPI_ANY_SOURCE && comm->revoked == NULL && net_survives())
        return failure_is_new_in(comm)
                   ? fail(MPIX_ERR_PROC_FAILED_PENDING,
                          "a process that could have sent the message has failed, and the failure is "
                          "not acknowledged (MPIX_Comm_ack_failed)")
                   : MPI_SUCCESS;
    if (source != MPI_ANY_SOURCE)
        peer = find_lost(comm->process[source]);
    if (source == MPI_ANY_SOURCE)
        peer = find_any_lost(comm, false);
    if (peer)
        return fail_with(peer);
    return lost_check_left(comm, plane, tag);
}

int lost_check_collective(const struct comm *comm, int tag)
{
    int error;

    if (__builtin_expect(!atomic_load_explicit(&lost_any, memory_order_relaxed), 1) ||
        !needs_all(PLANE_COLL, tag))
        return MPI_SUCCESS;
    lane_take(&lanes[0]);
    error = lost_find_left(comm, PLANE_COLL, tag);
    lane_release(&lanes[0]);
    return error;
}

int lost_fail_left(struct comm *comm, int rank)
{
    if (net_survives()) {
        atomic_store_explicit(&comm->is_left, true, memory_order_relaxed);
        atomic_store_explicit(&lost_any, true, memory_order_relaxed);
    }
    return fail(comm->revoked ? MPIX_ERR_REVOKED : net_loss_class(),
                "rank %d has left this collective, since a process is lost or the communicator revoked",
                rank);
}
