/* inter_coll: the builders for intercommunicators (MPI-5.0 section 6.2.3).
 *
 * Messages go over comm_whole(), the intracommunicator of both groups; the two groups are teams of it
 * (schedule.h). Where the groups exchange combined data, each combines its own on its rank 0, these two
 * swap, and hand on to their groups. The call is as coll.h describes it. `root` is MPI_ROOT, MPI_PROC_NULL,
 * or a rank of the remote group; a rank whose root is MPI_PROC_NULL has no buffers and no types.
 */
#ifndef COLL_ALGO_INTER_COLL_H
#define COLL_ALGO_INTER_COLL_H

#include "coll/algo/algorithm.h"

coll_build inter_coll;

#endif
