/* warnings: prints a warning that several ranks give once, with the ranks: "inkling: warning: ranks 0-7:
 * ...".
 *
 * A warning is printed when all ranks have given it, or WARNINGS_WAIT_MS after the first. It names the ranks
 * that have. It is always printed before the message about the end of the job.
 */
#ifndef CMD_MPIEXEC_RUN_WARNINGS_H
#define CMD_MPIEXEC_RUN_WARNINGS_H

#include "cmd/mpiexec/job.h"

enum {
    WARNINGS_WAIT_MS = 500
};

void warnings_add(const struct job *job, int rank, const char *text);
/* Prints the warnings whose wait is over at this time (clock_ns); UINT64_MAX: all. */
void warnings_print(uint64_t now);
/* When the next wait is over; 0: no warning waits. */
uint64_t warnings_due(void);

#endif
