/* host_groups: which ranks of a communicator are near each other, for algorithms of two levels.
 *
 * Only communicators whose ranks of each host are one behind the other count as being on several hosts. The
 * layout is worked out on first use and kept with the communicator.
 */
#ifndef COLL_ALGO_HOSTS_H
#define COLL_ALGO_HOSTS_H

#include "coll/sched/schedule.h"

/* The ranks of host h are first[h] to first[h + 1] - 1. */
struct host_groups {
    int count; /* 1: not worth two levels */
    int mine;
    int first[];
};

/* What the processes of a host have in common, for a process of this job. */
uint64_t host_groups_key(int process);

/* The layout, of one host if comm is not on several in the sense above or memory is out. */
const struct host_groups *host_groups_of(struct comm *comm);
/* Whether there are several; one compare where the job has but one host. */
bool host_groups_are_several(struct comm *comm);

/* The host of a rank. */
int host_groups_find(const struct host_groups *hosts, int rank);
/* This process's host as a team. */
struct schedule_team host_groups_local(const struct host_groups *hosts, int rank);
/* The hosts' leaders as a team, in the order of hosts: the first rank of each, but `root` (-1: none) for its
 * own. `me` is -1 for others. Members go with the schedule. */
struct schedule_team host_groups_leaders(struct schedule *s, const struct host_groups *hosts, int root);

#endif
