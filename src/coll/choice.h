/* choice: which algorithm a collective takes. Pure data, printed by `inkling coll`.
 *
 * For each collective a list, in the collective's own file, has the algorithms that there are and the rules that choose one: the
 * first rule that fits and whose algorithm is possible. A row of the hint table for each collective, inkling_allreduce=tree ..., of
 * the communicator or else of the process, takes another one wherever that is possible; then come the rules of a file (hint/coll_rules.h). All ranks must choose the same, so
 * everything that a choice looks at is the same on all of them.
 *
 * Where ranks outnumber cores, wake-ups cost more than messages: stars have the fewest. The rules are tuned by bench/coll.c and
 * bench/forms.c. Those for more than 64 ranks are what inkling simulate finds on 100 Gbit/s (docs/SCALE.md), and not measured. Those for 17 to 64 ranks are from two cores, but where mailboxes are only a little slower than a star they are used,
 * since a star gets slower than they are where each rank has a core.
 */
#ifndef COLL_CHOICE_H
#define COLL_CHOICE_H

#include "comm/comm.h"
#include "hint/hint.h"

#include <stdbool.h>
#include <stddef.h>

/* In the order of their rows in the hint table. */
enum collective {
    COLL_BARRIER,
    COLL_BCAST,
    COLL_REDUCE,
    COLL_ALLREDUCE,
    COLL_ALLGATHER,
    COLL_ALLTOALL,
    COLL_REDUCE_SCATTER,
    COLL_GATHER,
    COLL_SCATTER,
    COLL_SCAN, /* and exscan */
    COLL_COUNT
};

/* What a call has, and what an algorithm needs: bits. */
enum trait {
    TRAIT_COMMUTATIVE = 1,
    TRAIT_ITEMS = 2,         /* at least one item for each rank */
    TRAIT_EQUAL = 4,         /* blocks of the same size */
    TRAIT_OUT_OF_PLACE = 8,  /* not in place */
    TRAIT_EVEN = 16,         /* an even number of ranks */
    TRAIT_HOSTS = 32,        /* ranks on several hosts, on some of them more than one */
    TRAIT_MAILBOX = 64,      /* the data fits into mailboxes that the ranks share, see shm_coll.h */
    TRAIT_SINGLE_COPY = 128, /* the ranks may copy between each other's buffers, see single_copy.h */
    TRAIT_TREE =
        256, /* all ranks on one host, whose mailboxes along a tree hold the data, see shm/host_tree.h */
    TRAIT_IN_ORDER = 512, /* the ranks of each host are one behind the other */
    TRAIT_SHM = TRAIT_MAILBOX | TRAIT_SINGLE_COPY
};

struct schedule;
struct coll_call;
struct shm_run;

/* Names the steps of a call, see sched/schedule.h. */
typedef void coll_build(struct schedule *s, const struct coll_call *call);
/* The same of a call in shared memory, see shm/engine.h. */
typedef void shm_plan(struct shm_run *run);

struct choice_algorithm {
    const char *word; /* in the hint row */
    unsigned needs;
    const char *text;
    coll_build *build; /* by messages, or ... */
    shm_plan *plan;    /* ... in memory that the ranks share: it needs one of TRAIT_SHM */
};

struct choice_rule {
    int algorithm;               /* its index in the list */
    size_t from_bytes, to_bytes; /* both included */
    int from_ranks, to_ranks;
};

struct choice_list {
    const char *name;
    enum collective collective;
    const struct choice_algorithm
        *algorithm; /* the first one is that of mailboxes, the last one is always possible */
    int algorithms;
    const struct choice_rule *rule;
    int rules;
    coll_build *inter; /* between two groups; NULL: as in one */
};

/* Each in the file of its name. */
extern const struct choice_list barrier_list, bcast_list, reduce_list, allreduce_list, allgather_list,
    alltoall_list, reduce_scatter_list, gather_list, scatter_list, scan_list;
extern const struct choice_list *const choice_lists[COLL_COUNT];

enum {
    KIB = 1024,
    MIB = 1024 * 1024
};

struct rules;

/* What a choice looks at besides the call: how many ranks and hosts, and which rules. */
struct choice_place {
    int ranks, hosts;          /* of the communicator; hosts: used with rules only */
    const struct rules *rules; /* of a file; NULL: none */
};

/* bytes: of data in the largest buffer of a rank, the vector or all blocks together; gather: of one block. h: the
 * communicator's hints. */
const struct choice_algorithm *choice_make(const struct hints *h, const struct choice_list *list,
                                           size_t bytes, struct choice_place place, unsigned traits);
/* The bytes below which it answers mailboxes, whatever traits a call has besides; 0: not even for an empty call. */
size_t choice_mailbox_below(const struct hints *h, const struct choice_list *list, struct choice_place place,
                            unsigned traits);

/* Whether no rank ends it before all have begun it. */
bool choice_synchronizes(enum collective collective);

/* Of the calls on comm, an intracommunicator or the whole of an intercommunicator; h: of the call. The same on all ranks. */
struct choice_place choice_place_of(struct comm *comm, const struct hints *h);
/* Has the ranks of a world of several hosts agree on their rules, at the first call of it that may wait. Until then the built-in
 * ones are in force on it. may_wait: the same on all ranks. */
void choice_place_agree(struct comm *comm, bool may_wait);

#endif
