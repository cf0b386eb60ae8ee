/* step_store: the schedules of all ranks, those that are alike kept once.
 *
 * Most ranks of an algorithm do the same with ranks that stand in the same relation to them: so many ranks on, or with this bit
 * changed, or one and the same. A schedule is kept with its peers in each of these relations, and a rank whose steps are the same in one
 * of them refers to it. So a million ranks take a few bytes each; where they do not, the store says that it is full.
 */
#ifndef CMD_SIMULATE_STEP_STORE_H
#define CMD_SIMULATE_STEP_STORE_H

#include "coll/sched/schedule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum relation {
    RELATION_DISTANCE, /* (peer - rank) modulo ranks */
    RELATION_BITS,     /* peer ^ rank */
    RELATION_SAME,     /* peer */
    RELATIONS
};

struct stored_step {
    uint64_t bytes; /* of a message; of copies or reductions, those one behind the other together */
    int32_t peer;   /* in the relation */
    uint8_t kind;   /* enum step_kind */
    uint16_t times; /* copies or reductions that this stands for, at most 65535 */
};

struct stored {
    uint64_t hash;
    size_t first; /* in `step` */
    int steps;
    enum relation relation;
};

struct step_store {
    int ranks;
    struct stored_step *step; /* owned, like all below */
    size_t steps, capacity;
    struct stored *stored;
    int count, room;
    int *table; /* of hashes: index + 1 */
    size_t slots;
    int *of_rank; /* index in stored */
};

enum {
    STORE_BYTES = 1 << 30 /* of steps and schedules */
};

bool step_store_open(struct step_store *store, int ranks);
void step_store_close(struct step_store *store);
/* False: the store is full, or memory is out. */
bool step_store_add(struct step_store *store, int rank, const struct schedule *s);

static inline int step_store_peer(const struct step_store *store, enum relation relation, int rank,
                                  int32_t peer)
{
    if (relation == RELATION_DISTANCE)
        return (int)(((int64_t)rank + peer) % store->ranks);
    return relation == RELATION_BITS ? rank ^ peer : peer;
}

#endif
