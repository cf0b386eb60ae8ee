/* advise: what `mpiexec --advise` adds to a job: the folder for its profile, and the advice made of it at the end. */
#ifndef CMD_MPIEXEC_LAUNCH_ADVISE_H
#define CMD_MPIEXEC_LAUNCH_ADVISE_H

#include "cmd/mpiexec/job.h"

int advise_open(struct job *job);
/* Prints the advice to standard error, and writes the folder's files. */
void advise_report(const struct job *job);

#endif
