/* wrap: libinkling_insight.so, which looks at every MPI call of a program and says what is wrong with it.
 *
 * It stands before any library with the ABI of MPI-5.0, by LD_PRELOAD, and uses the standard's C interface only. Each MPI_ and
 * PMPI_ name is a generated wrapper (gen/insight.py): it puts its arguments into an array, asks the checks of its family
 * (checks.txt) before and after, and calls the next function of its own name. So a PMPI tool of the program works, above or
 * below: above, in the executable, it calls the PMPI_ wrappers; below, in a library, the MPI_ wrappers call it. What the tool
 * calls then, and what MPI calls itself, in a callback of the program, is passed on unseen. The checks' own calls go to the PMPI_
 * functions, past the tool.
 *
 * Ranks of a host share a board (board.h): the messages under way, the collectives that have begun, who waits for what, and the
 * findings (finding.h). mpiexec prints them at the end of the job; under another launcher the last rank does, or, where there are
 * several boards, rank 0 (board_gather.h). A check never waits for another rank and never changes who waits for whom, but where all are in
 * one collective call anyway: MPI_Init, MPI_Finalize, and calls that make windows and communicators of sessions. Objects are known
 * by handle (tracked.h).
 *
 * Threads: one lock, call_lock.h, is held while checks run, and never while the library below does.
 */
#ifndef INSIGHT_WRAP_WRAP_H
#define INSIGHT_WRAP_WRAP_H

#include "insight/call/intercept.h"

/* False: the call is passed on unseen. */
bool wrap_begin(struct intercept *call);
/* Returns the error for the program. */
int wrap_end(struct intercept *call, int error);

#endif
