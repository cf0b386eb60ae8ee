/* start: starts the ranks. */
#ifndef CMD_MPIEXEC_LAUNCH_START_H
#define CMD_MPIEXEC_LAUNCH_START_H

#include "cmd/mpiexec/job.h"

/* Starts one rank; on failure it is not running, and the note says why. */
int start_rank(struct job *job, int number);

/* mpiexec itself needs more descriptors than the usual soft limit; ranks get back the limit that it found. */
void start_raise_limit(void);
void start_restore_limit(void);

#endif
