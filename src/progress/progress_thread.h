/* progress_thread: makes progress while the program computes (process row inkling_progress_thread).
 *
 * The thread sleeps until a peer rings, and then takes in what has come: so nonblocking collectives and large
 * messages go on at a process that is not in MPI. While a thread of the program waits in MPI, that one polls,
 * and this one only looks now and then whether it still does: peers need not ring for it then.
 *
 * Locks must be on. Operations of the program (MPI_Op_create) may be called in this thread.
 */
#ifndef PROGRESS_PROGRESS_THREAD_H
#define PROGRESS_PROGRESS_THREAD_H

/* Both by one thread at a time. Stopping what does not run does nothing. */
int progress_thread_start(void);
void progress_thread_stop(void);

#endif
