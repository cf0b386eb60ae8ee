/* spawned: this job was asked for by a process (boot/spawn_order.h), which holds the other end of its control. */
#ifndef CMD_MPIEXEC_SPAWN_SPAWNED_H
#define CMD_MPIEXEC_SPAWN_SPAWNED_H

#include "cmd/mpiexec/job.h"

/* Whether the command line is "--spawned CORD ORDER [--detached]". */
bool spawned_is(int argc, char **argv);
/* Reads the order: parts of a command line. Directory and environment become those of the spawner. */
int spawned_open(int argc, char **argv, struct job *job, struct words **part, int *parts);

/* Tells the spawner that its processes run, or, by fail_note(), why none does. */
void spawned_tell_started(struct job *job);
void spawned_tell_failure(struct job *job);
/* Something came on the control: the job was let go, or has lost its spawner. */
void spawned_listen(struct job *job);
/* At the end: the exit code. */
int spawned_code(struct job *job);

#endif
