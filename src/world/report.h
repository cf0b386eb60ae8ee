/* report: tells what became of the communicators' hints, if the user wants to know (hint/report.h): of each
 * communicator when it is freed, of all others in MPI_Finalize. */
#ifndef WORLD_REPORT_H
#define WORLD_REPORT_H

#include "comm/comm.h"

/* comm is about to be freed. */
void report_comm(struct comm *comm);
/* MPI is about to end. */
void report_rest(void);

#endif
