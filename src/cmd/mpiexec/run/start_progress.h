/* start_progress: tells a user at a terminal how far a job is that starts slowly.
 *
 * After FIRST_S seconds, and then after twice as long each time, a line on standard error says how many ranks were started;
 * or, once one of them has begun MPI_Init, which ones it waits for. It says nothing in the background, where a terminal
 * may stop who writes (stty tostop), and nothing to a file.
 */
#ifndef CMD_MPIEXEC_RUN_START_PROGRESS_H
#define CMD_MPIEXEC_RUN_START_PROGRESS_H

#include "cmd/mpiexec/job.h"

/* The first rank is about to be started. */
void start_progress_begin(void);
/* So many are started. */
void start_progress_started(const struct job *job, int count);
/* Tells what is due at the time `now`. Returns when to look again, in nanoseconds of the clock; 0: never. */
uint64_t start_progress_look(const struct job *job, uint64_t now);

#endif
