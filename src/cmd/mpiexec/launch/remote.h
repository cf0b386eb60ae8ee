/* remote: ranks on other hosts. Launchers know how to reach these (ssh, Slurm, PBS, ...). mpiexec hands the
 * job over to the first installed launcher (launchers.h) and says which. */
#ifndef CMD_MPIEXEC_LAUNCH_REMOTE_H
#define CMD_MPIEXEC_LAUNCH_REMOTE_H

#include "cmd/mpiexec/job.h"

/* Executes the launcher in place of mpiexec. Returns only on error. */
int remote_run(const struct job *job);
/* The launcher becomes the job's only rank, so that it is watched and ended as ranks are: for a spawned job, and for one whose
 * mpiexec has something to say at the end. */
int remote_nest(struct job *job);

#endif
