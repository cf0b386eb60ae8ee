/* MPI_Comm_get_info, and the two calls that change the hints of a live communicator: MPI_Comm_set_info, and MPI_Comm_set_name, which
 * brings the hints that were given from outside for that name. */
#include "coll/shm/shm_coll.h"
#include "hint/outside.h"
#include "making/hint_report.h"
#include "making/make.h"
#include "p2p/match/any_lane.h"
#include "plain/fail.h"

#include <stdio.h>

/* Puts new values in force, and sets off what follows from that. verdict: what all ranks have said; NULL: in a local
 * call, where no value that all ranks share has changed. */
static void comm_put_hints_in_force(struct comm *comm, struct hints *next, const struct verdict *verdict)
{
    hints_move(&comm->hints, next);
    match_adapt(comm);
    if (verdict)
        shm_coll_adapt(comm);
    if (verdict && !verdict->overtaking)
        any_lane_keep_order(comm);
    hint_report_comm(comm);
}

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
    if (!error)
        comm_put_hints_in_force(comm, next, &verdict);
    hints_fini(next);
    return error;
}

/* A local call, so it cannot take back what the order of all ranks' messages rests on. */
static void set_name_offer(struct comm *comm, struct hints *next)
{
    next->keep_kinds = comm->object.predefined;
    outside_offer_named(next);
    if (hint_value(&comm->hints, HINT_ALLOW_OVERTAKING) && !hint_value(next, HINT_ALLOW_OVERTAKING))
        hint_keep(next, &comm->hints, HINT_ALLOW_OVERTAKING);
}

int comm_set_name(struct comm *comm, const char *name)
{
    char kept[sizeof comm->name]; /* as the communicator has it, until another thread names it too */
    struct hints next;

    comm_rename(comm, name);
    snprintf(kept, sizeof kept, "%s", name);
    if (!outside_knows_name(kept))
        return MPI_SUCCESS;
    if (!hints_copy(&comm->hints, &next))
        return fail(MPI_ERR_NO_MEM, "no memory for the hints of \"%s\"", comm->name);
    set_name_offer(comm, &next);
    comm_put_hints_in_force(comm, &next, NULL);
    hints_fini(&next);
    return MPI_SUCCESS;
}

int comm_get_info(struct comm *comm, struct info **info)
{
    return info_of_hints(&comm->hints, info);
}
