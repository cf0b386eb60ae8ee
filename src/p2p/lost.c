/* Who is lost. lost_mark.c ends what is under way with it. */
#include "p2p/lost.h"

#include "net/card.h"
#include "p2p/failure.h"
#include "plain/clock.h"
#include "plain/fail.h"

#include <time.h>

enum {
    NEWS_NS = 256 * 1000 * 1000
};

_Atomic bool lost_any;

bool lost_is_cause(int error)
{
    return error == MPI_ERR_PROC_ABORTED || error == MPIX_ERR_PROC_FAILED || error == MPIX_ERR_REVOKED;
}

/* The rank that has left may have learned of it before mpiexec has told this one. */
static bool has_news_soon(void)
{
    uint64_t end = clock_ns() + NEWS_NS;
    bool has_news = false;

    while (!(has_news = net_has_deaths() || atomic_load_explicit(&lost_any, memory_order_relaxed)) &&
           clock_ns() < end)
        nanosleep(&(struct timespec){.tv_nsec = NEWS_NS / 256}, NULL);
    return has_news;
}

int lost_blame(int error)
{
    return error && net_survives() && !lost_is_cause(error) && error != MPI_ERR_NO_MEM && has_news_soon()
               ? MPIX_ERR_PROC_FAILED
               : error;
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

static const struct peer *find_any_lost(const struct comm *comm)
{
    const struct peer *peer = NULL;

    for (int i = 0; !peer && i < comm_peer_count(comm); i++)
        peer = find_lost(comm->process[i]);
    return peer;
}

bool lost_hits(const struct comm *comm)
{
    return atomic_load_explicit(&lost_any, memory_order_relaxed) && find_any_lost(comm);
}

/* Ranks that find a loss leave a collective, and others would wait for them. Tags of the program's own makers (make_program_tag) are
 * negative: their members know each other. */
static bool needs_all(enum plane plane, int tag)
{
    return net_survives() && plane == PLANE_COLL && tag >= 0;
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
    if (!peer && (source == MPI_ANY_SOURCE || needs_all(plane, tag)))
        peer = find_any_lost(comm);
    return peer ? fail_with(peer) : MPI_SUCCESS;
}
