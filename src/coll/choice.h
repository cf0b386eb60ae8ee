/* choice: which algorithm a collective takes. Pure data, printed by `inkling coll`.
 *
 * choice_algorithms lists what there is for each collective; choice_rules says what is taken: the first rule
 * of the collective that fits and whose algorithm is possible. A process row of the hint table for each
 * collective, inkling_allreduce=tree ..., takes another one wherever that is possible. All ranks must choose
 * the same, so everything that a choice looks at is the same on all of them.
 */
#ifndef COLL_CHOICE_H
#define COLL_CHOICE_H

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
    TRAIT_SHM = 64          /* ranks that share memory, see shm_coll.h and direct.h */
};

struct choice_algorithm {
    enum collective collective;
    enum algorithm algorithm;
    unsigned needs;
    const char *text;
};

struct choice_rule {
    enum collective collective;
    enum algorithm algorithm;
    size_t from_bytes, to_bytes; /* both included */
    int from_ranks, to_ranks;
};

extern const struct choice_algorithm choice_algorithms[];
extern const struct choice_rule choice_rules[];
extern const int choice_algorithm_count, choice_rule_count;

/* bytes: of data in the largest buffer of a rank, the vector or all blocks together; gather: of one block. */
enum algorithm choice_make(enum collective collective, size_t bytes, int ranks, unsigned traits);

/* For ranks of one host: the bytes below which a collective uses mailboxes, at most `most` + 1; 0: never.
 */
size_t choice_shm_limit(enum collective collective, int ranks, size_t most);

/* Whether ranks of one host copy between their buffers, where mailboxes are not used. */
bool choice_is_single_copy(enum collective collective, size_t bytes, int ranks);

/* Whether no rank ends it before all have begun it. */
bool choice_synchronizes(enum collective collective);

const char *choice_collective_name(enum collective collective);
const char *choice_algorithm_name(enum algorithm algorithm);
/* The tables for people. */
void choice_print(FILE *out);

#endif
