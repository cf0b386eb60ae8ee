/* MPI_Iprobe and MPI_Probe, and what MPI_Improbe and MPI_Mprobe (mprobe.c) have in common with them. */
#include "p2p/assert_check.h"
#include "p2p/lost.h"
#include "p2p/match/any_lane.h"
#include "p2p/rndv/claim.h"
#include "p2p/rndv/rndv.h"
#include "progress/progress.h"

#include <string.h>

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
        error = mprobe_take(comm, &space->unexpected, u, matched);
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
