/* where_report: what the ranks do now, as `inkling where` says it: for ^\, before --timeout ends the job, and when a rank has died.
 *
 * `inkling` beside mpiexec runs as a child and writes to mpiexec's standard error itself, so mpiexec serves its ranks meanwhile, and
 * nothing that goes wrong while a stack is read concerns it. One at a time.
 */
#ifndef CMD_MPIEXEC_RUN_WHERE_REPORT_H
#define CMD_MPIEXEC_RUN_WHERE_REPORT_H

#include "cmd/mpiexec/job.h"

enum {
    WHERE_REPORT_MS = 10000, /* who waits for its end does so no longer */
    WHERE_LOST_MS =
        2000 /* likewise when a rank has died; and a job that has not run for so long says nothing then */
};

/* Starts it. says_why: if there is nothing to tell, why, as of a job whose ranks have not called MPI_Init. False: it runs already, or
 * cannot run. */
bool where_report_start(const struct job *job, bool says_why);
/* A rank has died, and the others are to be ended: says what they do first, if some of them wait for it. Returns when that is said. */
void where_report_lost(const struct job *job);
bool where_report_runs(void);
/* When it has ended, or was started; 0: never. */
uint64_t where_report_last(void);
/* A child has ended: whether it was that. */
bool where_report_ended(pid_t pid);

#endif
