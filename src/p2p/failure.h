/* failure: which processes have failed, and which contexts are revoked, in a job that survives that (mpiexec --survive). mitigate.h has
 * what the program calls.
 *
 * Failed processes are kept in the order in which this process learned of them. What a communicator has acknowledged is a number: so
 * many of its failures, the first ones. A receive of MPI_ANY_SOURCE that is posted when another process fails is *interrupted*: it
 * is done with MPIX_ERR_PROC_FAILED_PENDING, but stays posted; waits do not free it. A message ends it as any other, and acknowledging the
 * failure makes it wait again.
 *
 * Lock: lane 0, the only one there is then.
 */
#ifndef P2P_FAILURE_H
#define P2P_FAILURE_H

#include "comm/comm.h"
#include "net/net.h"
#include "request/request.h"

/* A process has failed. The caller ends what waits for it. */
void failure_add(int process);
/* Whether a process of comm (of its remote group, too) has failed and is not acknowledged there. */
bool failure_is_new_in(const struct comm *comm);
/* The failed processes of comm in order, at most `room` of them; returns how many there are. */
int failure_list(const struct comm *comm, int room, int *process);

/* Interrupts a posted receive; lets it wait again. */
void failure_interrupt(struct request *r);
void failure_resume(struct request *r);
/* Whether a request is interrupted; for who has seen that it is done with an error. */
static inline bool failure_is_interrupted(const struct request *r)
{
    return r->status.error == MPIX_ERR_PROC_FAILED_PENDING;
}

/* A communicator of this context is revoked, perhaps before this process has it; messages for it are dropped. */
void failure_note_context(uint64_t context);
bool failure_is_revoked_context(uint64_t context);

#endif
