/* algorithm: the builders of the collectives, and those that more than one of them uses, see schedule.h.
 * s->rank and s->size are those of the team that the schedule is in. */
#ifndef COLL_ALGO_ALGORITHM_H
#define COLL_ALGO_ALGORITHM_H

#include "coll/coll_call.h"
#include "coll/sched/schedule.h"

coll_build algo_barrier, algo_bcast, algo_gather, algo_scatter, algo_allgather, algo_alltoall, algo_reduce,
    algo_allreduce, algo_reduce_scatter, algo_scan;

/* Copies a rank's own block, unless it is in its place. A block of another type may begin elsewhere. */
void algo_keep(struct schedule *s, struct coll_block from, struct coll_block to);

void bcast_tree(struct schedule *s, struct coll_block b, int root);

/* Sends each rank's block `mine`, which may lie elsewhere, to all others; it is put into its own place as
 * well. */
void allgather_ring(struct schedule *s, struct coll_block mine, const struct places *all);

/* Combines the `input` of all ranks, in rank order, into `result` on the root, which may be `input`.
 * Elsewhere `result` is not looked at. */
void reduce_tree(struct schedule *s, struct coll_block input, struct coll_block result, int root);
/* The same; all messages go to the root at once. */
void reduce_star(struct schedule *s, struct coll_block input, struct coll_block result, int root);

/* Combines the vectors of all ranks, in rank order: `mine` is this one's, `others` begin with those of the
 * others and are used up. `result` may be `mine`. */
void reduce_vectors(struct schedule *s, struct coll_block mine, const struct vectors *others,
                    struct coll_block result);
/* Where the vector of rank `r` is in `others`, or what this rank receives of it. */
struct coll_block reduce_vector_of(const struct schedule *s, const struct vectors *others, int r,
                                   MPI_Count count);

/* Commutative operations only: combines each rank's piece of all ranks' inputs into that rank's `piece`,
 * which must not overlap its input. */
void reduce_scatter_pairwise(struct schedule *s, const struct places *input, struct coll_block piece);
/* Commutative operations only: leaves this rank's piece of the combined vectors in its place in `result`,
 * whose base may be that of `input`. */
void reduce_own_piece(struct schedule *s, const struct places *input, const struct places *result);

#endif
