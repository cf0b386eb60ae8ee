/* hint_report: reports how the communicators' hints were used, if the user asks for it (hint/report.h): for
 * each communicator when it is freed, for all others in MPI_Finalize. */
#ifndef COMM_MAKE_HINT_REPORT_H
#define COMM_MAKE_HINT_REPORT_H

#include "comm/comm.h"

/* Call it before comm is freed. */
void hint_report_comm(struct comm *comm);
/* Call it before MPI ends. */
void hint_report_rest(void);

#endif
