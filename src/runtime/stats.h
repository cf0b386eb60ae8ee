/* stats: what this process has counted, told to mpiexec at the end of MPI, if --stats asks for it (INKLING_STATS).
 *
 * A line is numbers with blanks between them: nanoseconds since MPI started, and the words of the process
 * (metric/metric.h), in their order.
 */
#ifndef RUNTIME_STATS_H
#define RUNTIME_STATS_H

/* MPI starts; again after it has ended. One thread is in MPI. */
void stats_begin(void);
/* MPI ends, or the job does. */
void stats_report(void);

#endif
