/* nested: the mpiexecs of jobs that ranks of this job spawned. Each runs its own job. This mpiexec starts
 * them, forwards signals to them, and does not end before them. */
#ifndef CMD_MPIEXEC_SPAWN_NESTED_H
#define CMD_MPIEXEC_SPAWN_NESTED_H

#include "cmd/mpiexec/job.h"

/* Consumes both descriptors (plain/spawn_report.h). On failure nothing runs, and the note says why. */
int nested_start(const struct job *job, int control, int order);
bool nested_is_running(void);
bool nested_has_run(void); /* also one that has ended */
/* Whether the child that ended with this status, from waitpid(), was one of them. */
bool nested_ended(struct job *job, pid_t pid, int status);
void nested_signal(int signal);

#endif
