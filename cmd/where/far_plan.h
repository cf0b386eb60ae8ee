/* far_plan: how the other hosts of a job can be asked.
 *
 * Nothing listens for that: the launcher that has started the job starts `inkling where --lines JOB` on its hosts, with the rights of
 * who asks, and its output is read (view_lines.h). mpiexec says launcher and hosts in INKLING_JOB_HOSTS, in the environment of the
 * launcher and of the ranks: "NAME LAUNCHER HOST:SLOTS,HOST:SLOTS", where NAME is the job's. Of ranks that srun has started without
 * mpiexec, Slurm says it. inkling must have the same path on all hosts.
 */
#ifndef CMD_WHERE_FAR_PLAN_H
#define CMD_WHERE_FAR_PLAN_H

#include "cmd/where/traced.h"

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
