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

static bool is_counted(struct counts counts)
{
    return counts.narrow || counts.wide;
}

struct cut cut_evenly(MPI_Count count, int size)
{
    return (struct cut){.each = count / size, .rest = count % size};
}

MPI_Count cut_length(const struct cut *cut, int rank)
{
    return is_counted(cut->counts) ? count_at(cut->counts, rank) : cut->each + (rank < cut->rest);
}

MPI_Count cut_offset(const struct cut *cut, int rank)
{
    MPI_Count offset = 0;

    if (!is_counted(cut->counts))
        return rank * cut->each + (rank < cut->rest ? rank : cut->rest);
    for (int r = 0; r < rank; r++)
        offset += count_at(cut->counts, r);
    return offset;
}

struct block cut_piece(const struct cut *cut, struct block whole, int rank)
{
    return block_at(whole.at, cut_offset(cut, rank), cut_length(cut, rank), whole.type);
}

struct block cut_pieces(const struct cut *cut, struct block whole, int rank, int end)
{
    MPI_Count from = cut_offset(cut, rank);

    return block_at(whole.at, from, cut_offset(cut, end) - from, whole.type);
}

struct block place_of(const struct places *p, int rank)
{
    if (p->types)
        return (struct block){(char *)(uintptr_t)p->base + count_at(p->displs, rank),
                              count_at(p->counts, rank), p->types[rank]};
    if (is_counted(p->counts))
        return block_at(p->base, count_at(p->displs, rank), count_at(p->counts, rank), p->type);
    return block_at(p->base, rank * p->each, p->each, p->type);
}
