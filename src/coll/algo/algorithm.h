/* algorithm: what the builders of more than one collective use, see schedule.h. s->rank and s->size are those of the team that the
 * schedule is in. */
#ifndef COLL_ALGO_ALGORITHM_H
#define COLL_ALGO_ALGORITHM_H

#include "coll/coll_call.h"
#include "coll/sched/schedule.h"

/* Along a binomial tree. */
void tree_bcast(struct schedule *s, struct coll_block b, int root);
/* Combines the `input` of all ranks, in rank order, into `result` on the root, which may be `input`.
 * Elsewhere `result` is not looked at. */
void tree_reduce(struct schedule *s, struct coll_block input, struct coll_block result, int root);

/* The same as tree_reduce; all messages go to the root at once. */
void star_reduce(struct schedule *s, struct coll_block input, struct coll_block result, int root);
/* Combines the vectors of all ranks, in rank order: `mine` is this one's, `others` begin with those of the
 * others and are used up. `result` may be `mine`. */
void star_combine(struct schedule *s, struct coll_block mine, const struct vectors *others,
                  struct coll_block result);
/* Where the vector of rank `r` is in `others`, or what this rank receives of it. */
struct coll_block star_vector_of(const struct schedule *s, const struct vectors *others, int r,
                                 MPI_Count count);

/* Messages without data: of one byte, so that an empty one tells that its sender has failed (schedule.h). */
void star_signal(struct schedule *s, int rank);
void star_listen(struct schedule *s, int rank);
/* The center hears from all others; all others hear from it. */
void star_hear(struct schedule *s, int center);
void star_tell(struct schedule *s, int center);

/* Commutative operations only: combines each rank's piece of all ranks' inputs into that rank's `piece`,
 * which must not overlap its input. */
void pieces_pairwise(struct schedule *s, const struct places *input, struct coll_block piece);
/* The same in log2(ranks) rounds; each hands on the sums for half of the ranks that are left. */
void pieces_bruck(struct schedule *s, const struct places *input, struct coll_block piece);
/* Commutative operations only: leaves this rank's piece of the combined vectors in its place in `result`,
 * whose base may be that of `input`. */
void pieces_own(struct schedule *s, const struct places *input, const struct places *result);
/* Sends each rank's block `mine`, which may lie elsewhere, to all others round a ring; it is put into its own place as
 * well. */
void pieces_gather(struct schedule *s, struct coll_block mine, const struct places *all);

/* Between two groups (MPI-5.0 section 6.2.3) messages go over comm_whole(), the intracommunicator of both; the groups are teams of
 * it. Where they exchange combined data, each combines its own on its rank 0, these two swap, and hand on to their groups. The call is
 * as coll.h describes it. `root` is MPI_ROOT, MPI_PROC_NULL, or a rank of the remote group; a rank whose root is MPI_PROC_NULL has no
 * buffers and no types. */
void inter_enter_local(struct schedule *s);
/* This process is not in it. */
void inter_enter_remote(struct schedule *s);
/* What the local group has together: on its rank 0, in memory of the schedule. */
struct coll_block inter_combine_local(struct schedule *s, struct coll_block input);

#endif
