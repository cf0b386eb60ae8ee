/* lost: peers whose connection is lost: their host was cut off, or they are of another job and have ended.
 *
 * Lock: that of the peer's lane. Only lane 0 has peers that can be lost.
 */
#ifndef P2P_LOST_H
#define P2P_LOST_H

#include "comm/comm.h"
#include "net/net.h"

/* A peer is lost: everything that is under way with it ends with MPI_ERR_PROC_ABORTED. */
void lost_mark(struct peer *peer, const char *why);
/* Sending to a lost peer, receiving from a lost process (or from any, one being lost): the error. Else 0. */
int lost_check_peer(const struct peer *peer);
int lost_find_source(const struct comm *comm, int source);
extern _Atomic bool lost_any; /* some peer is lost; relaxed: a caller that needs to know holds lane 0 */
static inline int lost_check_source(const struct comm *comm, int source)
{
    bool is_any = atomic_load_explicit(&lost_any, memory_order_relaxed);

    return __builtin_expect(is_any, 0) ? lost_find_source(comm, source) : MPI_SUCCESS;
}

#endif
