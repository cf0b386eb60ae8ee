/* guard: a second process that ends the job's processes if mpiexec is killed.
 *
 * Ranks die with mpiexec (PR_SET_PDEATHSIG). What a rank has started, such as a program behind a shell, does
 * not. The guard sleeps until mpiexec's end of a pipe closes. It then kills the ranks' process groups, every process
 * with the job's name in its environment, and every one with the job's mark.
 *
 * The mark is for daemons, which may have left all else behind: a random number as the soft RLIMIT_LOCKS, which Linux
 * has not looked at since 2.4.25, and which children inherit. A job inside another has that one's mark.
 */
#ifndef CMD_MPIEXEC_LAUNCH_GUARD_H
#define CMD_MPIEXEC_LAUNCH_GUARD_H

#include <sys/types.h>

/* Starts the guard for the job `name` of at most `ranks` ranks. */
int guard_start(const char *name, int ranks);
/* Tells the guard the process (group) of a rank; 0: it has ended. */
void guard_note(int rank, pid_t pid);
/* Ends the guard, when the job is over. */
void guard_stop(void);

/* Sends `signal` to every child of this process. Returns how many there are. */
int guard_sweep_children(int signal);

#endif
