/* start: starts the ranks. */
#ifndef CMD_MPIEXEC_START_H
#define CMD_MPIEXEC_START_H

#include "cmd/mpiexec/job.h"

#include <signal.h>

/* Starts one rank; on failure it is not running, and the note says why. `mask` is the signal mask that
 * mpiexec was started with. */
int start_rank(struct job *job, int number, const sigset_t *mask);

/* mpiexec itself needs more descriptors than the usual soft limit; ranks get back the limit that it found. */
void start_raise_limit(void);

#endif
