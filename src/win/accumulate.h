/* accumulate: bodies of the accumulates (MPI-5.0 section 12.3.4). combiner.h says how elements are combined.
 *
 * An operation is complete when its call returns, except through messages, which arrive in order: so operations
 * of one origin are ordered, as accumulate_ordering asks for by default.
 */
#ifndef WIN_ACCUMULATE_H
#define WIN_ACCUMULATE_H

#include "op/op.h"
#include "win/put_get.h"

/* Bodies of MPI_X and MPI_RX; request: NULL for MPI_X. */
int win_accumulate(const void *origin, MPI_Count origin_count, struct datatype *origin_type, int rank,
                   MPI_Aint disp, MPI_Count target_count, struct datatype *target_type, struct op *op,
                   struct win *win, struct request **request);
/* The origin's buffer is not looked at for MPI_NO_OP. */
int win_get_accumulate(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, void *result,
                       MPI_Count result_count, struct datatype *result_type, int rank, MPI_Aint disp,
                       MPI_Count target_count, struct datatype *target_type, struct op *op, struct win *win,
                       struct request **request);
int win_fetch_and_op(const void *origin, void *result, struct datatype *type, int rank, MPI_Aint disp,
                     struct op *op, struct win *win);
int win_compare_and_swap(const void *origin, const void *compare, void *result, struct datatype *type,
                         int rank, MPI_Aint disp, struct win *win);

#endif
