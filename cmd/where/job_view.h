/* job_view: all processes of a job on this host, who waits for whom, and what that amounts to. */
#ifndef CMD_WHERE_JOB_VIEW_H
#define CMD_WHERE_JOB_VIEW_H

#include "cmd/where/rank.h"

#include <stdio.h>

enum {
    JOB_RANKS = 1 << 16
};

/* Who is in a communicator in which ranks wait for others. */
struct job_members {
    uint64_t context;
    bool *has; /* by rank, owned */
};

struct job_view {
    char name[TRACED_JOB_SIZE]; /* "": a process that no launcher started */
    int size;                   /* of MPI_COMM_WORLD */
    struct rank_view **rank;    /* by rank; NULL: it has ended, or is on a host that was not asked */
    int present;
    bool *late;          /* by rank, `size` each: whom it waits for */
    bool *blocked;       /* by rank: it can do nothing until others do something */
    struct traced first; /* of those present */
    struct job_members *members;
    int member_lists;
    uint64_t
        asked_ns; /* other hosts were asked then, and what ranks do at that moment is said; 0: they were not */
};

/* The jobs of this user (of all, for root) on this host. The caller frees the array. *refused: processes of this user with this library
 * that may not be read. -1: no memory. */
int job_list(struct job_view **job, int *refused);
/* Looks at all ranks of it that are here. */
void job_look_here(struct job_view *job);
/* Then, who waits for whom, also of ranks that other hosts have told of. False: no memory. */
bool job_conclude(struct job_view *job);
/* Both. */
bool job_look(struct job_view *job);
/* The members of the communicator with this context, as far as they are known; NULL: no memory. */
bool *job_members(struct job_view *job, uint64_t context);
/* Before another look: which of the ranks that were here still are. False: none. */
bool job_refresh(struct job_view *job);

/* Whether a rank waits for that process, perhaps among others. */
static inline bool job_awaits(const struct job_view *job, int rank, int process)
{
    return job->late[(size_t)rank * (size_t)job->size + (size_t)process];
}
/* The ranks that a thread waits for, as far as they are known, as true in `late`; returns how many. */
int job_late(const struct job_view *job, int rank, const struct rank_thread *thread, bool *late);

/* The ranks of a circle in which each waits for the next, in order; returns how many, 0: there is none. */
int job_find_circle(const struct job_view *job, int *circle);
/* The rank that a blocked one waits for in the end, through others that are blocked themselves; -1: none is known. */
int job_find_culprit(const struct job_view *job, int rank);
/* Of a thread in a collective: the rank behind the one that it waits for, through others in the same call. -1: there is a circle. */
int job_find_behind(const struct job_view *job, int process, const struct rank_thread *thread);

/* shares: which part of a second the ranks of a job that are here wait and compute, by samples, for which no stacks are followed. */

enum {
    SHARES_SAMPLES = 20, /* in a second */
    SHARES_SAMPLE_MS = 1000 / SHARES_SAMPLES
};

/* A second begins. */
void shares_begin(struct job_view *job);
/* One of its samples. */
void shares_sample(struct job_view *job);
/* It is over: the ranks' shares are those of it. */
void shares_end(struct job_view *job);

/* view_lines: what was seen of the ranks of a job, as lines for another host, and back.
 *
 * `inkling where --lines JOB` prints them on each host of a job, and the command that asked reads them (far_hosts.h). A line begins
 * with the rank, or "job", and the name of a record; its fields follow in the order of the tables in view_lines.c. Both sides are the
 * same version, which the first line says. Clocks of hosts differ, so times are ages. A rank counts once its last line has come.
 */

/* After job_look_here. */
void view_lines_write(FILE *out, const struct job_view *job);
/* Adds the ranks that are not there yet. came_ns: the clock when the lines had come. False: they are none, or of another version. */
bool view_lines_read(FILE *in, struct job_view *job, uint64_t came_ns);

#endif
