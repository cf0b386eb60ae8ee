/* plan: what the random test of windows does, the same on all ranks, and what memory then holds.
 *
 * A window's memory is in SLOTS slots a rank, of SLOT bytes. Until it is filled anew a slot has one predefined
 * datatype. In each round a slot has one use, so that the outcome is known:
 *
 *     READ     everybody may read it
 *     OWN      one origin alone: accumulates of all kinds, which keep their order
 *     PLACE    one origin alone: puts and gets that do not overlap, or with a flush between them
 *     COMMON   everybody accumulates by one operation that commutes
 *     TICKETS  everybody adds 1 to its first elements and fetches them: each value is given once
 *     COUNTER  everybody, under an exclusive lock, gets its first element, adds 1 and puts it
 *
 * Every rank makes the whole plan and applies it to a copy of all memories in the plan's order. */
#ifndef TESTS_ONESIDED_PLAN_H
#define TESTS_ONESIDED_PLAN_H

#include "check.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    RANKS = 8,
    SLOTS = 12,
    SLOT = 192,
    BYTES = SLOTS * SLOT,
    OPERATIONS = 160, /* of a round */
    PER_SLOT = 48,    /* elements that an operation moves, at most */
    TICKETS_MAX = 4 * OPERATIONS
};

enum sync {
    FENCE,
    PSCW,
    LOCK,
    LOCK_EXCLUSIVE,
    LOCK_ALL,
    SYNCS
};

enum use {
    READ,
    OWN,
    PLACE,
    COMMON,
    TICKETS,
    COUNTER,
    USES
};

enum kind {
    PUT,
    GET,
    ACCUMULATE,
    GET_ACCUMULATE,
    FETCH_AND_OP,
    COMPARE_AND_SWAP,
    INCREMENT /* get, add 1, put */
};

struct item_type {
    MPI_Datatype type;
    int bytes;
    bool is_signed, is_real;
};
enum {
    TYPES = 10
};
extern struct item_type item_types[TYPES];

struct operation {
    enum kind kind;
    int origin, target, slot;
    int first, count, step; /* elements at the target */
    int type;
    MPI_Op op;
    int origin_layout; /* of the origin's buffers: 0 dense, 1 a vector, 2 indexed backwards */
    bool is_request, is_large, flush_first;
    bool is_absolute; /* at displacement 0, if the window is dynamic */
    enum use use;
    unsigned char data[SLOT]; /* what it brings, dense */
    unsigned char compare[8]; /* of compare and swap */
    unsigned char want[SLOT]; /* what it fetches, dense, if that is known */
    bool is_known;
};

struct slot {
    int type;
    /* of the round: */
    enum use use;
    int owner; /* of OWN and PLACE */
    MPI_Op op; /* of COMMON */
    uint64_t touched;
    int tickets;
};

struct model {
    int ranks;
    bool is_ordered, fetches_with_no_op;
    struct slot slot[RANKS][SLOTS];
    unsigned char memory[RANKS][BYTES];
    unsigned char before[RANKS][BYTES]; /* the round */
};

struct plan {
    enum sync sync;
    int variant; /* of the synchronisation */
    int count;
    bool reaches[RANKS][RANKS]; /* of PSCW: origin, target */
    bool has_tickets;
    int ticket_target, ticket_slot; /* the round's only slot of tickets */
    struct operation operation[OPERATIONS];
};

/* The same numbers on all ranks. */
void plan_seed(uint64_t seed);
int draw(int below);

/* New types and contents, as the model's memory says afterwards; units: of each rank's displacements. */
void plan_fill(struct model *m, const int units[RANKS]);
/* At most `most` operations. without_locks: the window promised no_locks. */
void plan_round(struct plan *p, struct model *m, int most, bool without_locks);

#endif
