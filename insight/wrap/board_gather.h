/* board_gather: which ranks have one board, and how the findings of several boards come together.
 *
 * Under Inkling's mpiexec all ranks have the board that it made. Under another launcher the lowest rank of each host makes one, and
 * leads those who have it. What ranks of one board do is compared; where there are several, the leaders add up the findings along
 * a tree in MPI_Finalize, over communicators that the program never sees, and rank 0 of MPI_COMM_WORLD tells them all.
 */
#ifndef INSIGHT_WRAP_BOARD_GATHER_H
#define INSIGHT_WRAP_BOARD_GATHER_H

#include "insight/call/intercept.h"

/* In MPI_Init; collective over MPI_COMM_WORLD. */
void board_gather_open(void);
/* For the first session of a process; nobody else need open one. */
void board_gather_open_alone(void);
/* In MPI_Finalize, before the library below ends; collective over MPI_COMM_WORLD if there are several boards, else nothing. The
 * caller does not have the lock. */
void board_gather_findings(struct intercept *call);

#endif
