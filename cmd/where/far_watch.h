/* far_watch: the other hosts of a job tell of their ranks in each second (far_plan.h). What they say comes through pipes and is taken without
 * waiting; what a host has said last counts for some seconds. */
#ifndef CMD_WHERE_FAR_WATCH_H
#define CMD_WHERE_FAR_WATCH_H

#include "cmd/where/job_view.h"

#include <stdio.h>

struct far_watch;

/* Asks the hosts of a job some of whose ranks are not here; NULL: all are, or it is not known how. */
struct far_watch *far_watch_begin(const struct job_view *job);
/* The same of a job that mpiexec process `number` has started elsewhere only. */
struct far_watch *far_watch_begin_of(int number);
/* Waits until all ranks are known, but not for long. */
void far_watch_await(struct far_watch *w, struct job_view *job);
/* Takes what has come. */
void far_watch_take(struct far_watch *w);
/* Whether hosts may say more. */
bool far_watch_goes_on(const struct far_watch *w);
/* After job_look_here: the ranks of other hosts are those of which they have told last. */
void far_watch_add(struct far_watch *w, struct job_view *job);
/* Which hosts do not tell. */
void far_watch_say_silent(const struct far_watch *w, FILE *out);
void far_watch_end(struct far_watch *w);

#endif
