#include "coll/sched/block.h"

#include "plain/fail.h"

#include <string.h>

enum {
    PORTION_BYTES = 128 * 1024
};

int block_of_all(const void *base, MPI_Count each, int ranks, struct datatype *type, struct coll_block *all)
{
    MPI_Count count = 0, bytes;

    if (type->size &&
        (__builtin_mul_overflow(each, ranks, &count) || __builtin_mul_overflow(count, type->size, &bytes)))
        return fail(MPI_ERR_COUNT, "%d blocks of %lld items are more bytes than can be counted", ranks,
                    (long long)each);
    *all = block_at(base, 0, count, type);
    return MPI_SUCCESS;
}

struct coll_block block_of_root(const void *base, MPI_Count each, int ranks, struct datatype *type)
{
    return block_of(base, type->size ? (MPI_Count)((uint64_t)each * (uint64_t)ranks) : 0, type);
}

struct coll_block block_slice(struct coll_block block, MPI_Count first, MPI_Count count)
{
    MPI_Count rest = block.count > first ? block.count - first : 0;

    return block_at(block.at, first, rest < count ? rest : count, block.type);
}

MPI_Count block_portion(const struct datatype *type)
{
    if (type->size == 0)
        return INT64_MAX;
    return type->size < PORTION_BYTES ? PORTION_BYTES / type->size : 1;
}

/* Data outside of its item's bounds, as at addresses that are absolute, has no gaps. */
int block_memory(const struct datatype *type, MPI_Count count, MPI_Count *begin, size_t *bytes)
{
    MPI_Count before = type->true_lb - type->lb,
              behind = type->lb + type->extent - type->true_lb - type->true_extent;
    int error = datatype_span(type, count, begin, bytes);

    if (error || !*bytes || before < 0 || behind < 0)
        return error;
    *begin -= before;
    *bytes += (size_t)(before + behind);
    return MPI_SUCCESS;
}

struct coll_block block_empty(void)
{
    return (struct coll_block){NULL, 0, datatype_predefined(MPI_BYTE)};
}

static MPI_Count sum_before(struct counts counts, int rank)
{
    uint64_t sum = 0; /* wraps for more items without data than can be counted */

    for (int r = 0; r < rank; r++)
        sum += (uint64_t)counts_at(counts, r);
    return (MPI_Count)sum;
}

/* Items without data may be more than can be counted. */
static MPI_Count wrapping(int ranks, MPI_Count each)
{
    return (MPI_Count)((uint64_t)ranks * (uint64_t)each);
}

MPI_Count block_place_count(const struct places *p, int rank)
{
    return counts_given(p->counts) ? counts_at(p->counts, rank) : p->each + (rank < p->rest);
}

struct coll_block block_place_of(const struct places *p, int rank)
{
    if (p->types)
        return (struct coll_block){layout_at(p->base, counts_at(p->displs, rank)), counts_at(p->counts, rank),
                                   p->types[rank]};
    if (counts_given(p->counts))
        return block_at(p->base,
                        counts_given(p->displs) ? counts_at(p->displs, rank) : sum_before(p->counts, rank),
                        counts_at(p->counts, rank), p->type);
    return block_at(p->base, wrapping(rank, p->each) + (rank < p->rest ? rank : p->rest),
                    p->each + (rank < p->rest), p->type);
}

MPI_Count block_places_count(const struct places *p, int size)
{
    return counts_given(p->counts) ? sum_before(p->counts, size) : wrapping(size, p->each) + p->rest;
}

struct places block_places_evenly(struct coll_block whole, int size)
{
    return (struct places){
        .base = whole.at, .type = whole.type, .each = whole.count / size, .rest = whole.count % size};
}

struct places block_places_in(const struct places *places, const void *base)
{
    struct places moved = *places;

    moved.base = base;
    return moved;
}

/* A multiple of the alignment of what is kept behind them. */
static size_t counts_bytes(struct counts counts, int size)
{
    size_t each = counts.wide ? sizeof *counts.wide : sizeof *counts.narrow;

    return counts_given(counts) ? ((size_t)size * each + sizeof(int64_t) - 1) & ~(sizeof(int64_t) - 1) : 0;
}

size_t block_places_bytes(const struct places *places, int size)
{
    return counts_bytes(places->counts, size) + counts_bytes(places->displs, size);
}

static void *counts_keep(struct counts *counts, int size, void *memory)
{
    if (counts->wide)
        counts->wide = memcpy(memory, counts->wide, (size_t)size * sizeof *counts->wide);
    else if (counts->narrow)
        counts->narrow = memcpy(memory, counts->narrow, (size_t)size * sizeof *counts->narrow);
    return (unsigned char *)memory + counts_bytes(*counts, size);
}

void *block_places_keep(struct places *places, int size, void *memory)
{
    return counts_keep(&places->displs, size, counts_keep(&places->counts, size, memory));
}
