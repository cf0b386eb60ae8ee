/* warnings: what ranks warn of alike is printed once, with the ranks: "inkling: warning: ranks 0-7: ...".
 *
 * A warning waits until all ranks have said it, or for WARNINGS_WAIT_MS from the first; then it is printed
 * with those that have. So it comes at once or soon, and in any case before what is said of the job's end.
 */
#ifndef CMD_MPIEXEC_RUN_WARNINGS_H
#define CMD_MPIEXEC_RUN_WARNINGS_H

#include "cmd/mpiexec/job.h"

enum {
    WARNINGS_WAIT_MS = 500
};

void warnings_add(const struct job *job, int rank, const char *text);
/* Prints those that have waited long enough at this time (clock_ns); UINT64_MAX: all. */
void warnings_print(uint64_t now);
/* When the next has waited long enough; 0: none waits. */
uint64_t warnings_due(void);

#endif
