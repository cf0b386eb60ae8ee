#include "coll/algo/algorithm.h"

/* Step i: to the i-th rank behind, from the i-th before. All ranks start the same steps together, as many as
 * the limit of a round allows, so the steps overlap and cannot block each other. */
static void alltoall_pairwise(struct schedule *s, const struct places *out, const struct places *in)
{
    for (int i = 1; i < s->size; i++) {
        int to = (s->rank + i) % s->size, from = (s->rank - i + s->size) % s->size;

        schedule_recv(s, block_place_of(in, from), from);
        schedule_send(s, block_place_of(out, to), to);
    }
    schedule_copy(s, block_place_of(out, s->rank), block_place_of(in, s->rank));
}

/* Memory for the largest part that goes to another rank. */
static struct coll_block largest_scratch(struct schedule *s, const struct places *both)
{
    struct coll_block largest = {NULL, 0, NULL};

    for (int r = 0; r < s->size; r++) {
        struct coll_block b = block_place_of(both, r);
        MPI_Count bytes = b.count * b.type->size;

        if (r != s->rank && bytes > largest.count)
            largest.count = bytes;
    }
    return schedule_scratch(s, largest.count, datatype_predefined(MPI_BYTE));
}

/* Swaps with one rank after the other, lower ranks first: then the pair with the smallest sum of ranks that
 * is left can always go on. One part of extra memory. */
static void alltoall_in_place(struct schedule *s, const struct places *both)
{
    struct coll_block spare = largest_scratch(s, both);

    for (int r = 0; r < s->size; r++) {
        struct coll_block theirs = block_place_of(both, r);
        struct coll_block mine = block_slice(spare, 0, theirs.count * theirs.type->size);

        if (r == s->rank)
            continue;
        if (mine.count)
            schedule_copy(s, theirs, mine);
        schedule_exchange(s, mine, r, theirs, r);
    }
}

/* Blocks of a round: those whose number has this bit. Packs them, or puts back what has come. */
static MPI_Count bruck_copy(struct schedule *s, int bit, struct coll_block blocks, MPI_Count each,
                            struct coll_block packed, bool is_out)
{
    MPI_Count at = 0;

    for (int i = bit; i < s->size; i++) {
        struct coll_block block = block_slice(blocks, i * each, each), place = block_slice(packed, at, each);

        if (!(i & bit))
            continue;
        schedule_copy(s, is_out ? block : place, is_out ? place : block);
        at += each;
    }
    return at;
}

/* Block i is the one for the i-th rank behind. In round k all blocks with bit k of i set travel 2^k ranks on,
 * so that each arrives after as many rounds as it has bits. Half the blocks travel at a time. */
static void alltoall_bruck(struct schedule *s, const struct places *out, const struct places *in)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE);
    MPI_Count each = in->each * in->type->size;
    struct coll_block blocks = schedule_scratch(s, each * s->size, byte);
    struct coll_block going = schedule_scratch(s, each * s->size, byte),
                      come = schedule_scratch(s, each * s->size, byte);

    if (s->error)
        each = 0;
    for (int i = 0; i < s->size; i++)
        schedule_copy(s, block_place_of(out, (s->rank + i) % s->size), block_slice(blocks, i * each, each));
    for (int bit = 1; bit < s->size; bit *= 2) {
        MPI_Count bytes = bruck_copy(s, bit, blocks, each, going, true);

        schedule_exchange(s, block_slice(going, 0, bytes), (s->rank + bit) % s->size,
                          block_slice(come, 0, bytes), (s->rank - bit + s->size) % s->size);
        bruck_copy(s, bit, blocks, each, come, false);
    }
    for (int i = 0; i < s->size; i++)
        schedule_copy(s, block_slice(blocks, i * each, each),
                      block_place_of(in, (s->rank - i + s->size) % s->size));
}

void algo_alltoall(struct schedule *s, const struct coll_call *call, enum algorithm algorithm)
{
    const struct coll_places *places = call->places;

    if (algorithm == ALGORITHM_BRUCK)
        alltoall_bruck(s, &places->from, &places->to);
    else if (places->is_in_place)
        alltoall_in_place(s, &places->to);
    else
        alltoall_pairwise(s, &places->from, &places->to);
}
