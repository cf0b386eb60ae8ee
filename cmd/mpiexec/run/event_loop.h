/* event_loop: mpiexec's event loop, from the start of the first rank to the end of the last. */
#ifndef CMD_MPIEXEC_RUN_EVENT_LOOP_H
#define CMD_MPIEXEC_RUN_EVENT_LOOP_H

#include "cmd/mpiexec/job.h"

/* Starts the ranks and serves them. Returns mpiexec's exit code when nothing of the job is left. */
int event_loop_run(struct job *job);

#endif
