/* told: what mpiexec says for all ranks together, while they start, while they run and at the end. Each part is a file of its name. */
#ifndef CMD_MPIEXEC_RUN_TOLD_H
#define CMD_MPIEXEC_RUN_TOLD_H

#include "cmd/mpiexec/job.h"

#include <stdbool.h>
#include <stddef.h>

/* start_progress: tells a user at a terminal how far a job is that starts slowly.
 *
 * After FIRST_S seconds, and then after twice as long each time, a line on standard error says how many ranks were started;
 * or, once one of them has begun MPI_Init, which ones it waits for. It says nothing in the background, where a terminal
 * may stop who writes (stty tostop), and nothing to a file.
 */

/* The first rank is about to be started. */
void start_progress_begin(void);
/* So many are started. */
void start_progress_started(const struct job *job, int count);
/* Tells what is due at the time `now`. Returns when to look again, in nanoseconds of the clock; 0: never. */
uint64_t start_progress_look(const struct job *job, uint64_t now);

/* warnings: prints a warning that several ranks give once, with the ranks: "inkling: warning: ranks 0-7:
 * ...".
 *
 * A warning is printed when all ranks have given it, or WARNINGS_WAIT_MS after the first. It names the ranks
 * that have. It is always printed before the message about the end of the job.
 */

enum {
    WARNINGS_WAIT_MS = 500
};

void warnings_add(const struct job *job, int rank, const char *text);
/* Prints the warnings whose wait is over at this time (clock_ns); UINT64_MAX: all. */
void warnings_print(uint64_t now);
/* When the next wait is over; 0: no warning waits. */
uint64_t warnings_due(void);

/* The report on hints that ranks tell (hint/report.h), said once at the end of the job.
 *
 * What ranks and objects of one kind tell alike about a hint is one line, which names the objects and the ranks and adds up
 * what they counted. Of an object that has not ended when the job does, because a rank died or aborted, the last that was
 * told is said, without counts.
 */

/* Takes what a rank tells. An error if it is no line of the report. */
int told_hints_add(const struct job *job, int rank, char *text);
/* Says it all: on standard error, or as JSON in the file of --hints-report. */
void told_hints_print(struct job *job);

/* What ranks have counted (runtime/stats.c), said once at the end of the job as sums over them, with the least and
 * the most. A rank that ends MPI several times tells each time all that it has counted. */

/* Takes what a rank tells. An error if it is no such line. */
int told_stats_add(const struct job *job, int rank, const char *text);
/* Says it on standard error, if any rank has told. */
void told_stats_print(const struct job *job);

/* where_report: what the ranks do now, as `inkling where` says it: for ^\, before --timeout ends the job, and when a rank has died.
 *
 * `inkling` beside mpiexec runs as a child and writes to mpiexec's standard error itself, so mpiexec serves its ranks meanwhile, and
 * nothing that goes wrong while a stack is read concerns it. One at a time.
 */

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
