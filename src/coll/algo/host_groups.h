/* host_groups: which ranks of a communicator are near each other, for algorithms of two levels.
 *
 * The layout is worked out on first use and kept with the communicator. Hosts are in the order of their first ranks, and so are the ranks
 * of each. Where these are one behind the other on every host, the hosts are *in order*.
 */
#ifndef COLL_ALGO_HOSTS_H
#define COLL_ALGO_HOSTS_H

#include "coll/sched/schedule.h"

/* The ranks of host h are at first[h] to first[h + 1] - 1 of the order by hosts. */
struct host_groups {
    int count; /* 1: not worth two levels */
    int mine;
    const int *member; /* the ranks in that order; NULL: it is theirs, the hosts are in order */
    int first[];
};

static inline int host_groups_at(const struct host_groups *hosts, int place)
{
    return hosts->member ? hosts->member[place] : place;
}

static inline int host_groups_size(const struct host_groups *hosts, int host)
{
    return hosts->first[host + 1] - hosts->first[host];
}

/* What the processes of a host have in common, for a process of this job. */
uint64_t host_groups_key(int process);

/* Whether all hosts have as many ranks. */
bool host_groups_are_equal(const struct host_groups *hosts);

/* The layout, of one host if comm is not on several, has one rank on each, or memory is out. */
const struct host_groups *host_groups_of(struct comm *comm);
/* Whether there are several; one compare where the job has but one host. */
bool host_groups_are_several(struct comm *comm);

/* The host of a rank. */
int host_groups_find(const struct host_groups *hosts, int rank);
/* This process's host as a team. */
struct schedule_team host_groups_local(const struct host_groups *hosts, int rank);
/* The position in it of its leader: `root` if that is in it, else the first. */
int host_groups_speaker(const struct host_groups *hosts, int root);
/* The hosts' leaders as a team, in the order of hosts: the first rank of each, but `root` (-1: none) for its
 * own. `me` is -1 for others. Members go with the schedule. */
struct schedule_team host_groups_leaders(struct schedule *s, const struct host_groups *hosts, int root);
/* The hosts' last ranks, in the same way. */
struct schedule_team host_groups_lasts(struct schedule *s, const struct host_groups *hosts);

/* Counterparts: routes of two levels on which every rank speaks to other hosts, for what each rank has for each other one.
 *
 * What the ranks of a host have for a rank at position q of some host is brought together by one of them: that at position q modulo their
 * number. So each rank gets one message from each other host, and sends each about as many as it has hosts, whatever the number of ranks. */
struct counterparts {
    const struct host_groups *hosts;
    struct schedule_team local;
    const int *to;    /* all ranks, by the position that speaks to them, then by host */
    const int *begin; /* where those of each position begin, and the last end */
};

/* The first step of a schedule: makes room for a message from each host and one to each of those ranks at once. In memory of the schedule; without it the job ends, since ranks would wait for each other. */
struct counterparts host_counterparts_of(struct schedule *s);
/* The ranks that this one speaks to. */
static inline int host_counterparts_count(const struct counterparts *c)
{
    return c->begin[c->local.me + 1] - c->begin[c->local.me];
}
/* The i-th of them. */
static inline int host_counterparts_at(const struct counterparts *c, int i)
{
    return c->to[c->begin[c->local.me] + i];
}
/* The ranks that speak to this one, one of each host: as a team. */
struct schedule_team host_counterparts_before(struct schedule *s, const struct counterparts *c);

#endif
