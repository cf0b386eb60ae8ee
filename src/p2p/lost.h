/* lost: peers that nothing comes from any more: their host was cut off, they are of another job and have ended, or they
 * have died in a job that survives that (failure.h).
 *
 * Lock: that of the peer's lane. Only lane 0 has peers that can be lost.
 */
#ifndef P2P_LOST_H
#define P2P_LOST_H

#include "comm/comm.h"
#include "net/net.h"
#include "p2p/p2p.h"

/* A peer is lost: everything that is under way with it ends with its error. */
void lost_mark(struct peer *peer, const char *why);
/* The process `teller` of this job has lost the process `lost`. So that all have lost the same, where the job survives that, each tells
 * all that it reaches through the network; who is lost to others ends. */
void lost_on_death(int lost, int teller);
/* This process ends in good order, and tells the processes of other jobs that it reaches. It is lost to them, too, but has done its part in
 * collectives, or whoever needs more of it gets the error: others need not leave those for it. Nor has it failed: nobody lists it, and receives of any source go on. Then p2p_drain. */
void lost_tell_finalized(void);
/* Sending to a lost peer, receiving from a lost process (or from any, one being lost): the error. Else 0. */
int lost_check_peer(const struct peer *peer);
int lost_find_source(const struct comm *comm, int source, enum plane plane, int tag);
extern _Atomic bool
    lost_any; /* some peer is lost or a communicator revoked; relaxed: a caller that needs to know holds lane 0 */
static inline int lost_check_source(const struct comm *comm, int source, enum plane plane, int tag)
{
    bool is_any = atomic_load_explicit(&lost_any, memory_order_relaxed);

    return __builtin_expect(is_any, 0) ? lost_find_source(comm, source, plane, tag) : MPI_SUCCESS;
}

/* Lane 0: the error of what belongs to a collective that ranks may have left. */
int lost_find_left(const struct comm *comm, enum plane plane, int tag);
static inline int lost_check_left(const struct comm *comm, enum plane plane, int tag)
{
    bool is_any = atomic_load_explicit(&lost_any, memory_order_relaxed);

    return __builtin_expect(is_any, 0) ? lost_find_left(comm, plane, tag) : MPI_SUCCESS;
}

/* Whether this error is of a lost process or a revoked communicator. */
bool lost_is_cause(int error);
/* Another rank has told that it has left a collective for a loss (p2p_tell_left): the error of who needs its part. From now on, where the
 * job survives, this rank leaves the collectives of comm as well: the two may have different ones in turn. */
int lost_fail_left(struct comm *comm, int rank);
/* A collective begins: the error of one in which others may not take part any more. Takes lane 0. */
int lost_check_collective(const struct comm *comm, int tag);
/* Lane 0: whether some process of comm is lost, or comm is revoked, or has been left for that. */
bool lost_hits(const struct comm *comm);
/* The same, but for processes that have finalized: whether ranks leave the collectives of comm. */
bool lost_ends_collectives(const struct comm *comm);

#endif
