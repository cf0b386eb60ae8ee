/* choice: which algorithm a collective takes. Pure data, printed by `inkling coll`.
 *
 * For each collective choice_lists has the algorithms that there are and the rules that choose one: the first
 * rule that fits and whose algorithm is possible. A row of the hint table for each collective,
 * inkling_allreduce=tree ..., of the communicator or else of the process, takes another one wherever that is possible.
 * All ranks must choose the same, so everything that a choice looks at is the same on all of them.
 */
#ifndef COLL_CHOICE_H
#define COLL_CHOICE_H

#include "hint/hint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

enum algorithm {
    ALGORITHM_STAR,
    ALGORITHM_TREE,
    ALGORITHM_DISSEMINATION,
    ALGORITHM_SCATTER,
    ALGORITHM_PIPELINE,
    ALGORITHM_DOUBLING,
    ALGORITHM_PIECES,
    ALGORITHM_RING,
    ALGORITHM_BRUCK,
    ALGORITHM_NEIGHBOUR,
    ALGORITHM_PAIRWISE,
    ALGORITHM_LINEAR,
    ALGORITHM_HOSTS,
    ALGORITHM_SHM,
    ALGORITHM_SINGLE_COPY,
    ALGORITHM_COUNT
};

/* What a call has, and what an algorithm needs: bits. */
enum trait {
    TRAIT_COMMUTATIVE = 1,
    TRAIT_ITEMS = 2,        /* at least one item for each rank */
    TRAIT_EQUAL = 4,        /* blocks of the same size */
    TRAIT_OUT_OF_PLACE = 8, /* not in place */
    TRAIT_EVEN = 16,        /* an even number of ranks */
    TRAIT_HOSTS = 32,       /* ranks on several hosts, those of each host one behind the other */
    TRAIT_MAILBOX = 64,     /* the data fits into mailboxes that the ranks share, see shm_coll.h */
    TRAIT_DIRECT = 128,     /* the ranks may copy between each other's buffers, see direct.h */
    TRAIT_SHM = TRAIT_MAILBOX | TRAIT_DIRECT
};

struct choice_algorithm {
    enum algorithm algorithm;
    unsigned needs;
    const char *text;
};

struct choice_rule {
    enum algorithm algorithm;
    size_t from_bytes, to_bytes; /* both included */
    int from_ranks, to_ranks;
};

struct choice_list {
    const char *name;
    const struct choice_algorithm *algorithm; /* in the order of the choices of its hint row */
    int algorithms;
    const struct choice_rule *rule;
    int rules;
};

extern const struct choice_list choice_lists[COLL_COUNT];

/* bytes: of data in the largest buffer of a rank, the vector or all blocks together; gather: of one block. h: the
 * communicator's hints. */
enum algorithm choice_make(const struct hints *h, enum collective collective, size_t bytes, int ranks,
                           unsigned traits);
/* The bytes below which it answers this algorithm; 0: not even for an empty call. */
size_t choice_bytes_below(const struct hints *h, enum collective collective, enum algorithm algorithm,
                          int ranks, unsigned traits);

/* Whether no rank ends it before all have begun it. */
bool choice_synchronizes(enum collective collective);

const char *choice_algorithm_name(enum algorithm algorithm);
/* The tables for people. */
void choice_print(FILE *out);
/* {"rules": [...], "algorithms": [...]}; a bound that is null is none. */
void choice_print_json(FILE *out);

#endif
