/* far_hosts: asks the other hosts of a job once (far_plan.h). */
#ifndef CMD_WHERE_FAR_HOSTS_H
#define CMD_WHERE_FAR_HOSTS_H

#include "cmd/where/job_view.h"

struct far_hosts;

/* Begins to ask the hosts of a job some of whose ranks are not here; NULL: all are, or it is not known how. */
struct far_hosts *far_hosts_begin(struct job_view *job);
/* The same of a job that mpiexec process `number` has started elsewhere only. */
struct far_hosts *far_hosts_begin_of(int number, struct job_view *job);
/* Waits for the answers, adds the ranks, and says on standard error which host did not answer. */
void far_hosts_end(struct far_hosts *hosts, struct job_view *job);

#endif
