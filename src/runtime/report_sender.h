/* report_sender: tells mpiexec what report_tell is given (hint/report.h) where another launcher has started this process for it
 * (mpiexec --hosts).
 *
 * Such a process has no PMI connection to mpiexec. It calls a port of mpiexec's (plain/port_lines.h), whose name is in
 * INKLING_JOB_REPORT, and sends
 *
 *     cmd=rank rank=N       who it is; first
 *     cmd=hint text=...     a line of the report
 *     cmd=stats text=...    what it has counted
 *
 * If mpiexec cannot be reached, a warning says so, and hints are told as where nobody listens.
 *
 * Threads: any may send.
 */
#ifndef RUNTIME_REPORT_SENDER_H
#define RUNTIME_REPORT_SENDER_H

#include <stdbool.h>

/* MPI starts; again after it has ended. */
void report_sender_open(void);
/* MPI ends. */
void report_sender_close(void);

#endif
