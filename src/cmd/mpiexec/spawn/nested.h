/* nested: the mpiexecs of jobs that ranks of this one spawned. Each runs its job alone; this one starts it,
 * passes signals on, and does not end before it. */
#ifndef CMD_MPIEXEC_SPAWN_NESTED_H
#define CMD_MPIEXEC_SPAWN_NESTED_H

#include "cmd/mpiexec/job.h"

/* Takes both descriptors, see boot/spawn_order.h. On failure nothing runs, and the note says why. */
int nested_start(const struct job *job, int control, int order);
bool nested_is_running(void);
/* Whether the child that has ended with this status, as of waitpid(), was one of them. */
bool nested_ended(struct job *job, pid_t pid, int status);
void nested_signal(int signal);

#endif
