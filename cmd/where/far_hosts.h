/* far_hosts: asks the other hosts of a job once, as a plan says. */
#ifndef CMD_WHERE_FAR_HOSTS_H
#define CMD_WHERE_FAR_HOSTS_H

#include "cmd/where/job_view.h"
#include "cmd/where/traced.h"

#include <stdio.h>

struct far_hosts;

/* Begins to ask the hosts of a job some of whose ranks are not here; NULL: all are, or it is not known how. */
struct far_hosts *far_hosts_begin(struct job_view *job);
/* The same of a job that mpiexec process `number` has started elsewhere only. */
struct far_hosts *far_hosts_begin_of(int number, struct job_view *job);
/* Waits for the answers, adds the ranks, and says on standard error which host did not answer. */
void far_hosts_end(struct far_hosts *hosts, struct job_view *job);

/* far_watch: the other hosts of a job tell of their ranks in each second. What they say comes through pipes and is taken without
 * waiting; what a host has said last counts for some seconds. */

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

/* far_plan: how the other hosts of a job can be asked.
 *
 * Nothing listens for that: the launcher that has started the job starts `inkling where --lines JOB` on its hosts, with the rights of
 * who asks, and its output is read (view_lines, in job_view.h). mpiexec says launcher and hosts in INKLING_JOB_HOSTS, in the environment of the
 * launcher and of the ranks: "NAME LAUNCHER HOST:SLOTS,HOST:SLOTS", where NAME is the job's. Of ranks that srun has started without
 * mpiexec, Slurm says it. inkling must have the same path on all hosts.
 */

enum {
    FAR_LIST = 1 << 16
};

struct far_plan {
    char launcher[32], job[TRACED_JOB_SIZE], slurm_job[32], nodes[16];
    char hosts[FAR_LIST]; /* separated by commas */
    const char *next;     /* in it: not asked yet */
};

/* What the environment of one of its processes says of the job. False: nothing. */
bool far_plan_make(struct far_plan *p, pid_t pid, const char *job);
/* The same of a job that mpiexec process `number` has started elsewhere only. */
bool far_plan_find(struct far_plan *p, int number);
/* The hosts of the next question. False: all have been asked. */
bool far_plan_next(struct far_plan *p, char *host, size_t room);
/* Starts the command that asks, which writes to `out` and `err`. goes_on: again in each second, until nobody reads. Returns its process;
 * 0: it cannot start. */
pid_t far_plan_ask(struct far_plan *p, char *host, bool goes_on, int out, int err);
/* Whether each line of a question that goes on begins with a number of the host that says it, and ": ". */
bool far_plan_has_labels(const struct far_plan *p);

#endif
