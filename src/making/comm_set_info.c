/* MPI_Comm_set_info. */
#include "base/fail.h"
#include "coll/shm/shm_coll.h"
#include "making/hint_report.h"
#include "making/make.h"
#include "p2p/match/any_lane.h"

/* Sums the ranks' votes; all ranks take part. */
static int set_info_count_votes(struct comm *comm, const struct hints *h, struct verdict *verdict)
{
    struct members members = make_everybody(comm);
    struct agreement a;
    int error;

    make_agreement(&a, &members, NULL, MPI_SUCCESS);
    a.verdict.vote = vote_of(h, members.me);
    a.verdict.overtaking = hint_value(h, HINT_ALLOW_OVERTAKING) != 0;
    a.verdict.ordered = atomic_load_explicit(&comm->ordered_requests, memory_order_relaxed) != 0;
    error = agree(&a);
    *verdict = a.verdict;
    return error;
}

/* The ranks have voted. An assertion that the start of a request relies on, on any rank, stays in force: else
 * the ranks' starts could not be told apart. */
static void set_info_settle(struct comm *comm, const struct verdict *verdict, struct hints *next)
{
    vote_settle(&verdict->vote, next, comm_whole(comm)->rank);
    if (verdict->ordered && !hint_value(next, HINT_STRICT_PERSISTENT_ORDERING))
        hint_keep(next, &comm->hints, HINT_STRICT_PERSISTENT_ORDERING);
}

/* Votes are counted whatever this rank's info holds, and even if it is out of memory: another rank may have a
 * key that all must agree on. */
int comm_set_info(struct comm *comm, struct info *info)
{
    struct hints copy;
    bool copied = hints_copy(&comm->hints, &copy);
    struct hints *next = copied ? &copy : &comm->hints;
    struct verdict verdict;
    int error;

    if (copied) {
        next->keep_kinds = comm->object.predefined;
        info_offer(info, next, AT_SET, "MPI_Comm_set_info");
    }
    error = set_info_count_votes(comm, next, &verdict);
    if (!error)
        set_info_settle(comm, &verdict, next);
    if (!copied)
        return error ? error : fail(MPI_ERR_NO_MEM, "no memory for the hints");
    if (!error) {
        hints_move(&comm->hints, next);
        match_adapt(comm);
        shm_coll_adapt(comm);
        if (!verdict.overtaking)
            any_lane_keep_order(comm);
        hint_report_comm(comm);
    }
    hints_fini(next);
    return error;
}
