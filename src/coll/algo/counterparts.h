/* counterparts: routes of two levels on which every rank speaks to other hosts, for what each rank has for each other one.
 *
 * What the ranks of a host have for a rank at position q of some host is brought together by one of them: that at position q modulo their
 * number. So each rank gets one message from each other host, and sends each about as many as it has hosts, whatever the number of ranks.
 */
#ifndef COLL_ALGO_COUNTERPARTS_H
#define COLL_ALGO_COUNTERPARTS_H

#include "coll/algo/host_groups.h"
#include "coll/sched/schedule.h"

struct counterparts {
    const struct host_groups *hosts;
    struct schedule_team local;
    const int *to;    /* all ranks, by the position that speaks to them, then by host */
    const int *begin; /* where those of each position begin, and the last end */
};

/* The first step of a schedule: makes room for a message from each host and one to each of those ranks at once. In memory of the schedule; without it the job ends, since ranks would wait for each other. */
struct counterparts counterparts_of(struct schedule *s);
/* The ranks that this one speaks to. */
static inline int counterparts_count(const struct counterparts *c)
{
    return c->begin[c->local.me + 1] - c->begin[c->local.me];
}
/* The i-th of them. */
static inline int counterparts_at(const struct counterparts *c, int i)
{
    return c->to[c->begin[c->local.me] + i];
}
/* The ranks that speak to this one, one of each host: as a team. */
struct schedule_team counterparts_before(struct schedule *s, const struct counterparts *c);

#endif
