/* put_get: bodies of MPI_Put and MPI_Get and of MPI_Rput and MPI_Rget (MPI-5.0 sections 12.3.1, 12.3.2 and
 * 12.3.5). `request` is NULL where none is wanted. Each takes the path that win.h describes; on the first two
 * the operation is complete when the call returns. */
#ifndef WIN_PUT_GET_H
#define WIN_PUT_GET_H

#include "request/request.h"
#include "win/target.h"

/* Finishes a call: *request becomes a request that is complete. A NULL request is fine. */
int win_finish(struct request **request);

int win_put(const void *origin, MPI_Count origin_count, struct datatype *origin_type, int rank, MPI_Aint disp,
            MPI_Count target_count, struct datatype *target_type, struct win *win, struct request **request);
int win_get(void *origin, MPI_Count origin_count, struct datatype *origin_type, int rank, MPI_Aint disp,
            MPI_Count target_count, struct datatype *target_type, struct win *win, struct request **request);

#endif
