/* packed: the blocks of several ranks one behind the other, which travel together: along a binomial tree of the members of a team, or in
 * few long messages straight between them and its root. For many ranks with few bytes each, and for algorithms of two levels.
 *
 * Every member knows how long the part of each one is. `all` has the parts of the positions from the root on, and round to it; only the
 * root's is looked at. `mine` may be of another type.
 *
 * Where the ranks do not know how long each other's blocks are, each travels in a *slot* of SLOT_BYTES, behind its length. What does not
 * fit goes straight to the rank that it is for, which sees that in the slot.
 */
#ifndef COLL_ALGO_PACKED_H
#define COLL_ALGO_PACKED_H

#include "coll/algo/host_groups.h"
#include "coll/sched/schedule.h"

struct packed {
    struct datatype *type;
    MPI_Count each;         /* items of each position, or ... */
    const MPI_Count *first; /* ... where those of each begin, and the last end */
};

/* Items of so many positions from `root` on. */
MPI_Count packed_upto(const struct schedule *s, const struct packed *p, int root, int positions);
void packed_gather(struct schedule *s, const struct packed *p, struct coll_block mine, struct coll_block all,
                   int root);
void packed_scatter(struct schedule *s, const struct packed *p, struct coll_block all, struct coll_block mine,
                    int root);

/* The hosts as positions, where each rank has so many items. */
struct packed packed_of_hosts(struct schedule *s, const struct host_groups *hosts, struct datatype *type,
                              MPI_Count each);
/* Between a root and all ranks, whose parts are of as many bytes, by way of the leaders of these hosts; NULL: in one team. */
void packed_gather_by(struct schedule *s, const struct host_groups *hosts, MPI_Count each,
                      struct coll_block mine, struct coll_block all, int root);
void packed_scatter_by(struct schedule *s, const struct host_groups *hosts, MPI_Count each,
                       struct coll_block all, struct coll_block mine, int root);
/* The ranks whose parts these leave in `all`, in this order. */
const int *packed_order(struct schedule *s, const struct host_groups *hosts, int root);

/* Copies to or from the places of `ranks` ranks in this order, of which each has as many bytes. */
void packed_put(struct schedule *s, const struct places *from, const int *order, int ranks,
                struct coll_block packed);
void packed_take(struct schedule *s, struct coll_block packed, const int *order, int ranks,
                 const struct places *to);

enum {
    SLOT_BYTES = 128,
    SLOT_MOST = SLOT_BYTES - 8 /* bytes of a block */
};

static inline struct coll_block packed_slot(struct coll_block slots, int number)
{
    return block_slice(slots, (MPI_Count)number * SLOT_BYTES, SLOT_BYTES);
}
static inline bool packed_slot_holds(struct coll_block block)
{
    return block_bytes(block) <= SLOT_MOST;
}
/* Empty slots; without memory the job ends, since ranks would wait for each other. */
struct coll_block packed_slots(struct schedule *s, int count);
/* Fills a slot for schedule_unpack. Of a block that does not fit only the length is there. */
void packed_slot_put(struct schedule *s, struct coll_block block, struct coll_block slot);

#endif
