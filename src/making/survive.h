/* survive: MPIX_Comm_agree, MPIX_Comm_shrink and their nonblocking forms: what ranks of a communicator decide alike, whoever dies
 * meanwhile and whether the communicator is revoked or not. net/shm/consensus.h has the algorithm for ranks of one host and job, and
 * p2p/accord.h the one for all others, and why they are right.
 *
 * Calls on one communicator take their turn: a nonblocking one begins when the one before it has ended.
 *
 * A shrunk communicator has the ranks, in their order, that nobody knew as failed when it was decided. It has the parent's error handler
 * and default hints.
 *
 * Whatever takes memory comes before the contribution. So after MPI_ERR_NO_MEM a rank has taken no part, and may call again; the others wait
 * for it until it does, or dies.
 *
 * Threads: as for all collectives, one at a time per communicator.
 */
#ifndef MAKING_SURVIVE_H
#define MAKING_SURVIVE_H

#include "comm/comm.h"
#include "request/request.h"

/* Bodies of MPIX_Comm_X. Agree combines the flags by bitwise and, and gives the result also with MPIX_ERR_PROC_FAILED: a process of comm has
 * failed, and somebody has not acknowledged it. */
int survive_agree(struct comm *comm, int *flag);
int survive_iagree(struct comm *comm, int *flag, struct request **request);
int survive_shrink(struct comm *comm, struct comm **newcomm);
int survive_ishrink(struct comm *comm, struct comm **newcomm, struct request **request);

/* All processes of the job end together, but for those that die: what each has sent arrives. Where the job survives deaths and spans hosts. */
int survive_part(void);

#endif
