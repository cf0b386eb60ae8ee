/* keeper: tells what was found where no rank can any more, because they were killed and Inkling's mpiexec did not start them.
 *
 * The leader of a board (board_gather.h) starts a process that waits until all ranks that have the board have ended. It has no part in
 * MPI and does not belong to the program: it is nobody's child, in a session of its own, with standard error alone, or, where nobody reads that
 * any more, the file inkling-check.HOST.txt.
 */
#ifndef INSIGHT_FINDINGS_KEEPER_H
#define INSIGHT_FINDINGS_KEEPER_H

/* The ranks have put their process ids on the board. */
void keeper_start(void);

#endif
