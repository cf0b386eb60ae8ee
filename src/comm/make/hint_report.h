/* hint_report: reports how hints were used, if the user asks for it (hint/report.h): for each communicator or
 * other object of several ranks when it is freed, for those that are left in MPI_Finalize. */
#ifndef COMM_MAKE_HINT_REPORT_H
#define COMM_MAKE_HINT_REPORT_H

#include "comm/comm.h"

/* The hints of an object that this process has as `rank` of `size`; title: its name, or what it is. All of them have
 * effects where they are in force. Call it before the object is freed. */
void hint_report_object(const char *title, int rank, int size, struct hints *h);
/* One more line about such an object. */
void hint_report_fact(const char *title, int rank, int size, const char *fact);
/* Call it before comm is freed. */
void hint_report_comm(struct comm *comm);
/* Call it before MPI ends. */
void hint_report_rest(void);
/* What hint_report_rest calls to report windows that were not freed; set with the first one, any thread. */
void hint_report_windows_by(void (*report)(void));

#endif
