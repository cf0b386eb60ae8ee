#include "coll/algorithm.h"

struct cut cut_evenly(MPI_Count count, int size)
{
    return (struct cut){.each = count / size, .rest = count % size};
}

static bool is_counted(const struct cut *cut)
{
    return cut->counts.narrow || cut->counts.wide;
}

MPI_Count cut_length(const struct cut *cut, int rank)
{
    return is_counted(cut) ? count_at(cut->counts, rank) : cut->each + (rank < cut->rest);
}

MPI_Count cut_offset(const struct cut *cut, int rank)
{
    MPI_Count offset = 0;

    if (!is_counted(cut))
        return rank * cut->each + (rank < cut->rest ? rank : cut->rest);
    for (int r = 0; r < rank; r++)
        offset += count_at(cut->counts, r);
    return offset;
}

struct block cut_piece(const struct cut *cut, struct block whole, int rank)
{
    return block_at(whole.at, cut_offset(cut, rank), cut_length(cut, rank), whole.type);
}
