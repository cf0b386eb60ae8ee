/* Who is lost. lost_mark.c ends what is under way with it. */
#include "p2p/lost.h"
#include "net/card.h"
#include "plain/fail.h"

_Atomic bool lost_any;

static int fail_with(const struct peer *peer)
{
    if (peer->process >= group_job_size)
        return fail(MPI_ERR_PROC_ABORTED, "rank %d of another job is out of reach: %s",
                    card_of(peer->process)->rank, peer->lost);
    return fail(MPI_ERR_PROC_ABORTED, "process %d, on another host, is out of reach: %s", peer->process,
                peer->lost);
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

int lost_find_source(const struct comm *comm, int source)
{
    const struct peer *peer = NULL;

    /* who can be lost has no communicators that take other lanes */
    if (comm->lane || comm->spread > 1 || (source == MPI_ANY_SOURCE && comm->outlives_members))
        return MPI_SUCCESS;
    if (source != MPI_ANY_SOURCE)
        peer = find_lost(comm->process[source]);
    for (int i = 0; source == MPI_ANY_SOURCE && !peer && i < comm_peer_count(comm); i++)
        peer = find_lost(comm->process[i]);
    return peer ? fail_with(peer) : MPI_SUCCESS;
}
