#include "coll/block.h"

enum {
    PORTION_BYTES = 128 * 1024
};

struct block block_slice(struct block block, MPI_Count first, MPI_Count count)
{
    MPI_Count rest = block.count > first ? block.count - first : 0;

    return block_at(block.at, first, rest < count ? rest : count, block.type);
}

MPI_Count block_portion(const struct datatype *type)
{
    return type->size < PORTION_BYTES ? PORTION_BYTES / (type->size ? type->size : 1) : 1;
}

struct block block_empty(void)
{
    return (struct block){NULL, 0, datatype_predefined(MPI_BYTE)};
}

static bool is_given(struct counts counts)
{
    return counts.narrow || counts.wide;
}

static MPI_Count sum_before(struct counts counts, int rank)
{
    MPI_Count sum = 0;

    for (int r = 0; r < rank; r++)
        sum += count_at(counts, r);
    return sum;
}

struct block place_of(const struct places *p, int rank)
{
    if (p->types)
        return (struct block){(char *)(uintptr_t)p->base + count_at(p->displs, rank),
                              count_at(p->counts, rank), p->types[rank]};
    if (is_given(p->counts))
        return block_at(p->base,
                        is_given(p->displs) ? count_at(p->displs, rank) : sum_before(p->counts, rank),
                        count_at(p->counts, rank), p->type);
    return block_at(p->base, rank * p->each + (rank < p->rest ? rank : p->rest), p->each + (rank < p->rest),
                    p->type);
}

MPI_Count places_count(const struct places *p, int size)
{
    return is_given(p->counts) ? sum_before(p->counts, size) : size * p->each + p->rest;
}

struct places places_evenly(struct block whole, int size)
{
    return (struct places){
        .base = whole.at, .type = whole.type, .each = whole.count / size, .rest = whole.count % size};
}

struct places places_in(const struct places *places, const void *base)
{
    struct places moved = *places;

    moved.base = base;
    return moved;
}
