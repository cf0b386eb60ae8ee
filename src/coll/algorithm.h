/* algorithm: the builders that more than one collective uses; see schedule.h for what a builder is. */
#ifndef COLL_ALGORITHM_H
#define COLL_ALGORITHM_H

#include "coll/schedule.h"

/* Each rank's piece of `all` is in place; afterwards all pieces are there on every rank. */
void allgather_ring(struct schedule *s, struct block all, const struct cut *cut);

/* Combines the `input` of all ranks, in rank order, into `result` on the root, which may be `input`.
 * Elsewhere `result` is not looked at. */
void reduce_tree(struct schedule *s, struct block input, struct block result, int root);

/* Commutative operations only: combines each rank's piece of all ranks' `input` into that rank's `piece`,
 * which must not overlap its input. */
void reduce_scatter_pairwise(struct schedule *s, struct block input, const struct cut *cut,
                             struct block piece);
/* Commutative operations only: leaves this rank's piece of the combined vectors in its place in `result`,
 * which may be `input`. */
void reduce_own_piece(struct schedule *s, struct block input, const struct cut *cut, struct block result);

/* Whether every rank should combine a piece of the vector. */
bool reduce_is_worth_cutting(const struct schedule *s, struct block b);

#endif
