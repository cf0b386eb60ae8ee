/* told_hints: the report on hints that ranks tell (hint/report.h), said once at the end of the job.
 *
 * What ranks and objects of one kind tell alike about a hint is one line, which names the objects and the ranks and adds up
 * what they counted. Of an object that has not ended when the job does, because a rank died or aborted, the last that was
 * told is said, without counts.
 */
#ifndef CMD_MPIEXEC_RUN_TOLD_HINTS_H
#define CMD_MPIEXEC_RUN_TOLD_HINTS_H

#include "cmd/mpiexec/job.h"

/* Takes what a rank tells. An error if it is no line of the report. */
int told_hints_add(const struct job *job, int rank, char *text);
/* Says it all: on standard error, or as JSON in the file of --hints-report. */
void told_hints_print(struct job *job);

#endif
