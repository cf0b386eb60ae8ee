/* check_job: what `mpiexec --check` adds to a job: libinkling_insight.so in front of the MPI library of each rank, and the board on
 * which its ranks leave their findings (insight/board.h). */
#ifndef CMD_MPIEXEC_LAUNCH_CHECK_JOB_H
#define CMD_MPIEXEC_LAUNCH_CHECK_JOB_H

#include "cmd/mpiexec/job.h"

int check_job_open(struct job *job);
/* Prints the findings of a job that has ended. Returns its exit code. */
int check_job_report(const struct job *job, int code);

#endif
