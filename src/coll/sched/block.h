/* block: runs of items in memory, and where the ranks' parts of a buffer are. */
#ifndef COLL_SCHED_BLOCK_H
#define COLL_SCHED_BLOCK_H

#include "base/counts.h"
#include "datatype/datatype.h"

#include <stdbool.h>
#include <stddef.h>

struct coll_block {
    void *at;
    MPI_Count count;
    struct datatype *type;
};

/* The block that the arguments of a call describe. */
static inline struct coll_block block_of(const void *at, MPI_Count count, struct datatype *type)
{
    return (struct coll_block){layout_at(at, 0), count, type};
}

/* The block that `displacement` items behind `base` starts. One without items may be said to be anywhere. */
static inline struct coll_block block_at(const void *base, MPI_Count displacement, MPI_Count count,
                                         struct datatype *type)
{
    return (struct coll_block){layout_at(base, (MPI_Count)((uint64_t)displacement * (uint64_t)type->extent)),
                               count, type};
}

/* The blocks of all ranks, one behind the other; none where items have no data. MPI_ERR_COUNT: too many. */
int block_of_all(const void *base, MPI_Count each, int ranks, struct datatype *type, struct coll_block *all);
/* The same where nobody needs to know: where they are too many, they are as many as can be counted. */
struct coll_block block_of_root(const void *base, MPI_Count each, int ranks, struct datatype *type);

/* At most `count` items of a block from its item `first` on. */
struct coll_block block_slice(struct coll_block block, MPI_Count first, MPI_Count count);
/* How many items of a type are moved and combined at a time, so that they stay in a core's cache. */
MPI_Count block_portion(const struct datatype *type);

/* Bytes of data in a block, for choosing an algorithm: the same on all ranks, whatever their datatypes. */
static inline size_t block_bytes(struct coll_block block)
{
    return (size_t)block.count * (size_t)block.type->size;
}

/* Copies between blocks of equal length, whatever their types and which of these kinds of memory holds them. */
static inline int block_copy(struct coll_block from, struct coll_block to, int64_t kinds)
{
    return datatype_copy_kinds(from.at, from.count, from.type, to.at, to.count, to.type, kinds);
}

/* Bytes of memory that an operation may touch which works on count items, and where they begin, relative to
 * the items' address: users' functions copy whole items, with the gaps before and behind their data. */
int block_memory(const struct datatype *type, MPI_Count count, MPI_Count *begin, size_t *bytes);

/* A block without data, as barriers send it. */
struct coll_block block_empty(void);

/* Vectors of the same length, each in memory of its own: items of one may lie between those of others where a
 * type has wide gaps, so they cannot be one block. */
struct vectors {
    struct coll_block first; /* no items: there is no memory, or there are none */
    MPI_Count apart;         /* bytes from each to the next */
};

/* The first `count` items of a vector. */
static inline struct coll_block block_vector_at(const struct vectors *v, int number, MPI_Count count)
{
    return (struct coll_block){layout_at(v->first.at, number * v->apart), v->first.count ? count : 0,
                               v->first.type};
}

/* Where each rank's items are in a buffer that holds those of all. Given are one of
 *   each, rest     blocks of `each` items in rank order, the first `rest` of them one longer,
 *   counts         blocks of these lengths, in rank order,
 *   counts, displs and their places: in items, or in bytes where
 *   types          each has a datatype of its own. */
struct places {
    const void *base;
    struct datatype *type;
    MPI_Count each, rest;
    struct counts counts, displs;
    struct datatype *const *types;
};

struct coll_block block_place_of(const struct places *places, int rank);
/* Its items alone: where counts are given, block_place_of adds up those before. */
MPI_Count block_place_count(const struct places *places, int rank);
/* Items of the first `size` ranks together. */
MPI_Count block_places_count(const struct places *places, int size);
/* In the vector that `whole` is, a piece for each of `size` ranks. */
struct places block_places_evenly(struct coll_block whole, int size);
/* The same places in another buffer. */
struct places block_places_in(const struct places *places, const void *base);
/* Bytes of the arrays of counts and displacements for `size` ranks. */
size_t block_places_bytes(const struct places *places, int size);
/* Copies these arrays to `memory`, aligned as int64_t, and refers to the copies from now on. Returns the memory behind them. */
void *block_places_keep(struct places *places, int size, void *memory);

#endif
