/* spawned: this job was spawned by a process, which holds the other end of the control socket
 * (plain/spawn_report.h). */
#ifndef CMD_MPIEXEC_SPAWN_SPAWNED_H
#define CMD_MPIEXEC_SPAWN_SPAWNED_H

#include "cmd/mpiexec/job.h"

/* Whether the command line is "--spawned CONTROL ORDER [--detached]"; both are descriptors. */
bool spawned_is(int argc, char **argv);
/* Reads the order, which holds parts of a command line. Takes over the spawner's directory and environment. */
int spawned_open(int argc, char **argv, struct job *job, struct words **part, int *parts);

/* Tells the spawner that its processes run, or, with fail_note(), why none does. */
void spawned_report_started(struct job *job);
void spawned_report_failure(struct job *job);
/* Reads the control socket: the job was accepted, was let go, or has lost its spawner. */
void spawned_listen(struct job *job);
/* The exit code, at the end. */
int spawned_code(struct job *job);

#endif
