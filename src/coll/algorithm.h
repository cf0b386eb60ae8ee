/* algorithm: the building blocks that more than one collective uses; see step.h for how they treat errors. */
#ifndef COLL_ALGORITHM_H
#define COLL_ALGORITHM_H

#include "base/counts.h"
#include "coll/step.h"

/* How a vector is cut into one piece for each rank, in rank order. */
struct cut {
    struct counts counts; /* lengths of the pieces, in items, when given */
    MPI_Count each, rest; /* otherwise: `each` items, and one more for the first `rest` ranks */
};
struct cut cut_evenly(MPI_Count count, int size);
MPI_Count cut_length(const struct cut *cut, int rank);
MPI_Count cut_offset(const struct cut *cut, int rank);
/* The piece of `rank` in the vector that `whole` starts. */
struct block cut_piece(const struct cut *cut, struct block whole, int rank);

/* Each rank's piece of `all` is in place; afterwards all pieces are there on every rank. */
void allgather_ring(struct coll *c, struct block all, const struct cut *cut);

/* Combines the `input` of all ranks, in rank order, into `result` on the root, which may be `input`.
 * Elsewhere `result` is not looked at. */
void reduce_tree(struct coll *c, struct block input, struct block result, const struct op *op, int root);

/* Commutative operations only: combines each rank's piece of all ranks' `input` into that rank's `piece`,
 * which must not overlap its input. */
void reduce_scatter_pairwise(struct coll *c, struct block input, const struct cut *cut, struct block piece,
                             const struct op *op);
/* Commutative operations only: leaves this rank's piece of the combined vectors in its place in `result`,
 * which may be `input`. */
void reduce_own_piece(struct coll *c, struct block input, const struct cut *cut, struct block result,
                      const struct op *op);

/* Whether every rank should combine a piece of the vector. */
bool reduce_is_worth_cutting(const struct coll *c, struct block b, const struct op *op);

#endif
