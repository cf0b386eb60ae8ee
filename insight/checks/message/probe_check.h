/* probe_check: messages that one thread has found by MPI_Probe, and another may receive (MPI-5.0 section 3.8.1).
 *
 * A thread that has probed receives what it has found, unless another has received that meanwhile, or has found it too. Then a receive of
 * the first one takes another message, or waits. MPI_Mprobe is meant for that.
 */
#ifndef INSIGHT_CHECKS_MESSAGE_PROBE_CHECK_H
#define INSIGHT_CHECKS_MESSAGE_PROBE_CHECK_H

#include "insight/call/intercept.h"

/* This thread has found a message by MPI_Probe or MPI_Iprobe. */
void probe_check_found(const struct intercept *call, const MPI_Status *status);
/* This thread is about to receive. */
void probe_check_receive(struct intercept *call);

#endif
