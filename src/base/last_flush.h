/* last_flush: writes what the runtimes of C, C++ (std::cout), Fortran and Python hold of the program's output, before the process is ended because another
 * one failed.
 *
 * mpiexec ends ranks with SIGTERM, and with SIGKILL a moment later. Where a program leaves SIGTERM alone, a handler flushes and
 * then lets the signal end the process as it would have. A program's own handler stays. No function of the program runs: atexit's
 * might not end.
 *
 * A handler may interrupt a thread in the middle of fwrite or malloc. So it looks where the thread is. Outside of the
 * runtimes' text the thread holds nothing of theirs; nor does it in a system call that waits and writes nothing. Elsewhere the
 * handler returns, and a timer sends the signal again a moment later. Other threads run on, and give their locks back. If that
 * takes too long, the process is ended without.
 */
#ifndef BASE_LAST_FLUSH_H
#define BASE_LAST_FLUSH_H

/* Gets ready for SIGTERM, unless the program did. */
void last_flush_prepare(void);
/* Flushes at once. The process must end then; it is killed if that takes too long. */
void last_flush_now(void);

#endif
