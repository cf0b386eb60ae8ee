/* event_loop: the event loop, from the first rank's start to the last one's end. */
#ifndef CMD_MPIEXEC_RUN_EVENT_LOOP_H
#define CMD_MPIEXEC_RUN_EVENT_LOOP_H

#include "cmd/mpiexec/job.h"

/* Starts the ranks, serves them, and returns mpiexec's exit code when nothing of the job is left. */
int event_loop_run(struct job *job);

#endif
