/* progress_thread: makes progress while the program computes (process row inkling_progress_thread).
 *
 * The thread sleeps until a peer wakes it, and then polls: so nonblocking collectives and large messages go
 * on in a process that is not in MPI. While a thread of the program waits in MPI, that thread polls, and this
 * one only checks now and then that it still does: peers need not wake it then.
 *
 * Locks must be enabled. Operations of the program (MPI_Op_create) may run in this thread.
 */
#ifndef PROGRESS_PROGRESS_THREAD_H
#define PROGRESS_PROGRESS_THREAD_H

/* One thread at a time calls these. Stopping has no effect when the thread does not run. */
int progress_thread_start(void);
void progress_thread_stop(void);

#endif
