/* verdict: how the job fares. The first failure decides the exit code, is told in one line, and, unless the
 * rank had finalized, ends the survivors: SIGTERM, and SIGKILL a moment later. */
#ifndef CMD_MPIEXEC_RUN_VERDICT_H
#define CMD_MPIEXEC_RUN_VERDICT_H

#include "cmd/mpiexec/job.h"

/* A rank has ended with this status, as of waitpid(). */
void verdict_exit(struct job *job, int number, int status);
/* It asks for the end of the job; `message` is for people. */
void verdict_abort(struct job *job, int number, int code, const char *message);
/* It does not speak PMI: fail_note() says what is wrong. */
void verdict_protocol(struct job *job, int number);
/* It has exited, and the others wait for it in MPI_Init or the like. */
void verdict_absent(struct job *job, int number);
/* The time is up. */
void verdict_timeout(struct job *job);
/* A rank could not be started: fail_note() says why. */
void verdict_no_start(struct job *job);

/* Begins to end the survivors; done by all of the above that are the job's end. */
void verdict_end(struct job *job, int code);
/* Sends a signal to every rank's process group. */
void verdict_signal(struct job *job, int signal);

#endif
