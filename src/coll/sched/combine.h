/* combine: reductions of blocks that may lie in a device's memory. */
#ifndef COLL_SCHED_COMBINE_H
#define COLL_SCHED_COMBINE_H

#include "coll/sched/block.h"
#include "op/op.h"

/* to[i] = from[i] op to[i], for as many items as both have; `kinds`: which memory they may be in. What only a
 * device reaches is combined in copies of the host. */
int combine(const struct op *op, struct coll_block from, struct coll_block to, int64_t kinds);

#endif
