/* hint_report: tells what became of the communicators' hints, if the user wants to know (hint/report.h): of each
 * communicator when it is freed, of all others in MPI_Finalize. */
#ifndef COMM_MAKE_HINT_REPORT_H
#define COMM_MAKE_HINT_REPORT_H

#include "comm/comm.h"

/* comm is about to be freed. */
void hint_report_comm(struct comm *comm);
/* MPI is about to end. */
void hint_report_rest(void);

#endif
