/* MPI_Comm_set_name: also the moment of hints from outside for that name. */
#include "base/fail.h"
#include "hint/outside.h"
#include "making/make.h"
#include "p2p/match/match.h"

#include <stdio.h>

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
    hints_move(&comm->hints, &next);
    match_adapt(comm);
    hints_fini(&next);
    return MPI_SUCCESS;
}
