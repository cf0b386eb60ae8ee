/* operation_hints: what the info argument of a persistent collective says of this operation (MPI-5.0 section 7.13). What it does not
 * say is the communicator's, and else the process's.
 *
 * All ranks must take the same algorithm, so they agree on the values in the call, which is nonlocal and collective. A row about which
 * they disagree, or which only some of them give, is the communicator's. So a rank without info need not know what the others give. On one
 * host it says that it is there, in a mailbox line, and does not wait for their votes (shm/shm_coll.h). Elsewhere all ranks exchange
 * messages.
 */
#ifndef COLL_OPERATION_HINTS_H
#define COLL_OPERATION_HINTS_H

#include "comm/comm.h"
#include "info/info.h"

/* Whether this rank's values are the communicator's without asking the others. If so it has taken part, else operation_hints does. */
bool operation_hints_are_usual(struct comm *comm, const struct info *info);
/* info: NULL, or this rank's. Fills `own`, which the caller releases with hints_fini. Returns the hints of the operation: `own`, or the
 * communicator's if they say the same. NULL: the ranks could not agree; *error says why. */
const struct hints *operation_hints(struct comm *comm, struct info *info, struct hints *own, int *error);

#endif
