/* remote: ranks on other hosts. How to get there (ssh, Slurm, PBS, ...) is what launchers know: mpiexec hands
 * the job over to the one that is there (launchers.h), and says which. */
#ifndef CMD_MPIEXEC_LAUNCH_REMOTE_H
#define CMD_MPIEXEC_LAUNCH_REMOTE_H

#include "cmd/mpiexec/job.h"

/* Becomes the launcher; returns only with an error. */
int remote_run(const struct job *job);
/* For a job that was spawned: the launcher becomes its only rank, so that it is looked after, and ended, as
 * ranks are. */
int remote_nest(struct job *job);

#endif
