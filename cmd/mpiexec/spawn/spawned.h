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

/* nested: the mpiexecs of jobs that ranks of this job spawned. Each runs its own job. This mpiexec starts
 * them, forwards signals to them, and does not end before them. */

/* Consumes both descriptors (plain/spawn_report.h). On failure nothing runs, and the note says why. */
int spawn_nested_start(const struct job *job, int control, int order);
bool spawn_nested_is_running(void);
bool spawn_nested_has_run(void); /* also one that has ended */
/* Whether the child that ended with this status, from waitpid(), was one of them. */
bool spawn_nested_ended(struct job *job, pid_t pid, int status);
void spawn_nested_signal(int signal);

#endif
