/* launch: brings the ranks into being, here or by a launcher on other hosts. Each part is a file of its name. */
#ifndef CMD_MPIEXEC_LAUNCH_LAUNCH_H
#define CMD_MPIEXEC_LAUNCH_LAUNCH_H

#include "cmd/mpiexec/job.h"

#include <stddef.h>

/* cores: the cores that each rank may run on. */

/* Sets job->cores, or leaves it NULL if the ranks are not bound. No two ranks get the same core. Cores that
 * another mpiexec of this host has bound its ranks to are used only with an explicit --bind-to. */
int cores_assign(struct job *job);
/* The number of logical cores that mpiexec may use. */
int cores_count(void);

/* start: starts the ranks. */

/* Starts one rank; on failure it is not running, and the note says why. */
int start_rank(struct job *job, int number);

/* mpiexec itself needs more descriptors than the usual soft limit. Ranks get the original limit back. */
void start_raise_limit(void);
void start_restore_limit(void);

/* remote: ranks on other hosts. Launchers know how to reach these (ssh, Slurm, PBS, ...). mpiexec hands the
 * job over to the first installed launcher (launchers.h) and says which. */

/* Executes the launcher in place of mpiexec. Returns only on error. */
int remote_run(const struct job *job);
/* The launcher becomes the job's only rank, so that it is watched and ended as ranks are: for a spawned job, and for one whose
 * mpiexec has something to say at the end. */
int remote_nest(struct job *job);

/* check_job: what `mpiexec --check` and `--advise` add to a job: libinkling_insight.so in front of the MPI library of each rank, and
 * the board on which its ranks leave their findings (insight/board/board.h). Ranks on other hosts make boards of their own, and rank 0
 * tells. A spawned job is checked as the one that spawned it, whose mpiexec tells of both.
 */

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

/* advise_job: what `mpiexec --advise` adds to a job: the folder for its profile, and the advice made of it at the end. */

int advise_job_open(struct job *job);
/* Prints the advice to standard error, and writes the folder's files. */
void advise_job_report(const struct job *job);

#endif
