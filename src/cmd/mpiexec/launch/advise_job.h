/* advise_job: what `mpiexec --advise` adds to a job: the folder for its profile, and the advice made of it at the end. */
#ifndef CMD_MPIEXEC_LAUNCH_ADVISE_JOB_H
#define CMD_MPIEXEC_LAUNCH_ADVISE_JOB_H

#include "cmd/mpiexec/job.h"

int advise_job_open(struct job *job);
/* Prints the advice to standard error, and writes the folder's files. */
void advise_job_report(const struct job *job);

#endif
