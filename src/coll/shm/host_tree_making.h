/* host_tree_making: the trees of a communicator, along which its ranks of this host synchronize (host_tree.h).
 *
 * They are made in a collective call that may wait, after a few that could have used them: one for blocking calls, one for nonblocking
 * ones. Each persistent request gets one when it is made. All ranks of a host get one, or none does; other hosts may have none.
 *
 * Cost on each rank: for the two, 5 KiB of shared memory, 16 KiB more where calls have more than 112 bytes, and 8 bytes for each rank of the
 * host; for a request 1 KiB, and four times its bytes.
 */
#ifndef COLL_SHM_HOST_TREE_MAKING_H
#define COLL_SHM_HOST_TREE_MAKING_H

#include "coll/coll_call.h"
#include "coll/shm/host_tree.h"

/* Whether all ranks of comm are on one host, and a tree of them may carry out the call. The same on all ranks. */
bool host_tree_may(struct comm *comm, const struct coll_call *call);
/* A tree for a call of this form with so many bytes, of the ranks of this host, or of all where all are on one. Every rank of comm calls
 * this where one does. NULL: there is none, on all ranks of the host. */
struct host_tree *host_tree_find(struct comm *comm, enum form form, size_t bytes);

#endif
