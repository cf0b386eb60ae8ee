/* guard: a second process that ends the job's processes should mpiexec be killed.
 *
 * Ranks die with mpiexec by themselves (PR_SET_PDEATHSIG), but what a rank has started, say a program behind
 * a shell, does not. The guard sleeps until mpiexec's end of a pipe closes, and then kills the ranks' process
 * groups and whoever has the job's name in its environment.
 */
#ifndef CMD_MPIEXEC_LAUNCH_GUARD_H
#define CMD_MPIEXEC_LAUNCH_GUARD_H

#include <sys/types.h>

/* Starts the guard for the job `name` of at most `ranks` ranks. */
int guard_start(const char *name, int ranks);
/* Tells which process (group) rank has; 0: it has ended. */
void guard_note(int rank, pid_t pid);
/* Ends the guard: the job is over. */
void guard_stop(void);

/* Sends `signal` to every child of this process; returns how many there are. */
int guard_sweep_children(int signal);

#endif
