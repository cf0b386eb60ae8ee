/* cores: which cores each rank may run on. */
#ifndef CMD_MPIEXEC_LAUNCH_CORES_H
#define CMD_MPIEXEC_LAUNCH_CORES_H

#include "cmd/mpiexec/job.h"

/* Sets job->cores, or leaves it NULL when the ranks are not bound. No two ranks get the same core. Cores that
 * another mpiexec of this host has bound its ranks to are taken only on an explicit --bind-to. */
int cores_assign(struct job *job);
/* How many logical cores mpiexec may use. */
int cores_count(void);

#endif
