/* check_job: what `mpiexec --check` and `--advise` add to a job: libinkling_insight.so in front of the MPI library of each rank, and
 * the board on which its ranks leave their findings (insight/board/board.h). Ranks on other hosts make boards of their own, and rank 0
 * tells. A spawned job is checked as the one that spawned it, whose mpiexec tells of both.
 */
#ifndef CMD_MPIEXEC_LAUNCH_CHECK_JOB_H
#define CMD_MPIEXEC_LAUNCH_CHECK_JOB_H

#include "cmd/mpiexec/job.h"

#include <stddef.h>

/* How long the first form of --check=FORM,... is. */
size_t check_job_form(const char *how);
/* Says what is wrong with the file of a form suppress:FILE of the option or setting `name`; of other forms, nothing. */
int check_job_suppressions(const char *name, const char *form, size_t length);
/* Before the environment of the ranks is made. */
int check_job_open(struct job *job);
/* A rank has died, which ends the job: status as of waitpid. */
void check_job_died(int rank, int status);
/* Why a rank that has called MPI_Abort did so where it was not the program; NULL: it was. */
const char *check_job_why_ended(void);
/* Prints the findings of a job that has ended. Returns its exit code. */
int check_job_report(const struct job *job, int code);

#endif
