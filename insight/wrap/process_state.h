/* process_state: how a process begins and ends, as checks see it: the library below, the board, and what runs beside the program.
 *
 * Checks begin with MPI_Init or the first session, and what is left is looked for in MPI_Finalize or when the last session ends. A
 * process of which only sessions are known has the rank of "mpi://WORLD"; nobody need open one, so nothing waits for others: ranks are
 * compared only where mpiexec has given all of them a board, and without it each tells for itself.
 */
#ifndef INSIGHT_WRAP_PROCESS_STATE_H
#define INSIGHT_WRAP_PROCESS_STATE_H

#include "insight/call/intercept.h"

/* Finds the library below and the board, as far as they can be found before MPI_Init. */
void process_open(void);
/* Says calls that MPI_Init must precede, or that MPI_Finalize has ended. */
void process_check_order(struct intercept *call);

#endif
