/* report_sender: tells mpiexec what report_tell is given (hint/report.h) where another launcher has started this process for it
 * (mpiexec --hosts).
 *
 * Such a process has no PMI connection to mpiexec. It calls a port of mpiexec's (plain/port_lines.h), whose name is in
 * INKLING_JOB_REPORT, and sends
 *
 *     cmd=rank rank=N       who it is; first
 *     cmd=started           MPI has started, where the job survives deaths
 *     cmd=hint text=...     a line of the report
 *     cmd=stats text=...    what it has counted
 *
 * If mpiexec cannot be reached, a warning says so, and hints are told as where nobody listens.
 *
 * Threads: any may send.
 */

#ifndef BOOT_REPORT_SENDER_H
#define BOOT_REPORT_SENDER_H

/* MPI is being started, in a job that survives deaths. So mpiexec learns of who dies while the others wait for it at a fence. */
void report_sender_call(void);
/* MPI has started; again after it has ended. */
void report_sender_open(void);
/* MPI ends. */
void report_sender_close(void);

#endif
