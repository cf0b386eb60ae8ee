/* inter_coll: the builders for intercommunicators (MPI-5.0 section 6.2.3).
 *
 * Messages go over comm_whole(), the intracommunicator of both groups; the two groups are teams of it
 * (schedule.h). Where the groups exchange combined data, each combines its own on its rank 0, these two swap,
 * and hand on to their groups. Arguments are as in coll.h; a rank whose root is MPI_PROC_NULL has no buffers
 * and no types.
 */
#ifndef COLL_ALGO_INTER_H
#define COLL_ALGO_INTER_H

#include "coll/sched/schedule.h"

/* Who takes part in which way is in `root`: MPI_ROOT, MPI_PROC_NULL, or a rank of the remote group. */
int inter_coll_bcast(struct coll_block b, int root, struct comm *comm, enum form form,
                     struct request **request);
/* mine: of each rank of one group; places: on the root in the other one, by remote rank. */
int inter_coll_gather(struct coll_block mine, const struct places *places, int root, struct comm *comm,
                      enum form form, struct request **request);
int inter_coll_scatter(const struct places *places, struct coll_block mine, int root, struct comm *comm,
                       enum form form, struct request **request);
int inter_coll_reduce(struct coll_block input, struct coll_block result, struct op *op, int root,
                      struct comm *comm, enum form form, struct request **request);

/* Of and for both groups. */
int inter_coll_allgather(struct coll_block mine, const struct places *in, struct comm *comm, enum form form,
                         struct request **request);
int inter_coll_alltoall(const struct places *out, const struct places *in, struct comm *comm, enum form form,
                        struct request **request);
int inter_coll_allreduce(struct coll_block input, struct coll_block result, struct op *op, struct comm *comm,
                         enum form form, struct request **request);
/* input: pieces by local rank, as many items in all as in the other group. */
int inter_coll_reduce_scatter(const struct places *input, struct coll_block piece, struct op *op,
                              struct comm *comm, enum form form, struct request **request);

#endif
