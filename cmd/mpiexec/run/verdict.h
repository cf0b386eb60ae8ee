/* verdict: the outcome of the job. The first failure decides the exit code and is reported in one line.
 * Unless its rank had finalized, it also ends the survivors: SIGTERM, and SIGKILL a moment later. */
#ifndef CMD_MPIEXEC_RUN_VERDICT_H
#define CMD_MPIEXEC_RUN_VERDICT_H

#include "cmd/mpiexec/job.h"

/* A rank has ended with this status, from waitpid(). */
void verdict_exit(struct job *job, int number, int status);
/* A rank has called for the end of the job; `message` is for the user. */
void verdict_abort(struct job *job, int number, int code, const char *message);
/* A rank has violated PMI: fail_note() says how. */
void verdict_protocol(struct job *job, int number);
/* A rank has exited while others wait for it in MPI_Init or another fence. */
void verdict_absent(struct job *job, int number);
/* The time limit has passed. */
void verdict_timeout(struct job *job);
/* A rank could not be started: fail_note() says why. */
void verdict_no_start(struct job *job);
/* Prints the exit code of each rank, when all have ended. */
void verdict_print_codes(const struct job *job);

/* Begins to end the survivors. All functions above that end the job call it. */
void verdict_end(struct job *job, int code);
/* Sends a signal to every rank's process group. */
void verdict_signal(struct job *job, int signal);

#endif
