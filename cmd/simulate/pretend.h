/* pretend: the schedules of the library's own builders for a rank of a communicator that does not exist.
 *
 * A builder names its steps (coll/sched/schedule.h) and never looks at data, so those of any rank can be had without the others: a
 * persistent schedule is built for a communicator of so many ranks on so many hosts, which has no processes, and is freed again. Buffers
 * are addresses that nobody touches; only what a builder takes as scratch is memory, and stays untouched.
 */
#ifndef CMD_SIMULATE_PRETEND_H
#define CMD_SIMULATE_PRETEND_H

#include "coll/coll_call.h"
#include "coll/sched/schedule.h"

#include <stdbool.h>
#include <stddef.h>

/* Ranks of a host are one behind the other; the first hosts have one more where they do not divide. */
struct pretended {
    int ranks, hosts;
    struct comm *comm; /* owned */
};

/* A call of a collective by all ranks. */
struct pretended_call {
    const struct choice_list *list;
    int algorithm;
    size_t bytes; /* of the vector; of a block where there are blocks; both as the program counts them */
};

bool pretend_world(struct pretended *world, int ranks, int hosts);
void pretend_end(struct pretended *world);
int pretend_host(const struct pretended *world, int rank);
/* The first rank of a host; of `hosts`: the number of ranks. */
int pretend_first(const struct pretended *world, int host);

/* Bytes as the rules count them: those of the largest buffer of a rank. */
size_t pretend_rule_bytes(const struct pretended *world, const struct pretended_call *call);
/* The algorithm that the library chooses; messages alone. */
int pretend_choice(const struct pretended *world, const struct choice_list *list, size_t bytes);
/* Whether the algorithm is one of messages, and may be taken. */
bool pretend_is_possible(const struct pretended *world, const struct pretended_call *call);

/* The schedule of a rank: its steps are s->step[0 .. s->steps - 1]. NULL: its buffers need more memory than there is. To be freed with
 * schedule_free before the next one is built. */
struct schedule *pretend_build(struct pretended *world, const struct pretended_call *call, int rank);

#endif
