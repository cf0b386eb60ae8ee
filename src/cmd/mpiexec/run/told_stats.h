/* told_stats: what ranks have counted (runtime/stats.h), said once at the end of the job as sums over them, with the least and
 * the most. A rank that ends MPI several times tells each time all that it has counted. */
#ifndef CMD_MPIEXEC_RUN_TOLD_STATS_H
#define CMD_MPIEXEC_RUN_TOLD_STATS_H

#include "cmd/mpiexec/job.h"

/* Takes what a rank tells. An error if it is no such line. */
int told_stats_add(const struct job *job, int rank, const char *text);
/* Says it on standard error, if any rank has told. */
void told_stats_print(const struct job *job);

#endif
