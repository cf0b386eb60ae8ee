#include "coll/coll.h"

#include "base/fail.h"
#include "coll/dispatch.h"

/* leaves_out: exscan, whose results leave out the own vector. */
static inline int coll_scan_of(bool leaves_out, const void *sendbuf, struct coll_block result, struct op *op,
                               struct comm *comm, enum form form, struct info *info, struct request **request)
{
    struct coll_call call = {.collective = COLL_SCAN,
                             .root = leaves_out,
                             .in = sendbuf == MPI_IN_PLACE ? result
                                                           : block_of(sendbuf, result.count, result.type),
                             .out = result,
                             .bytes = block_bytes(result),
                             .op = op};
    int error;

    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "scans are for intracommunicators: two groups have no order");
    error = op_check_items(op, result.count, result.type);
    return error ? error : dispatch_call(comm, &call, form, info, request);
}

int coll_scan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
              struct comm *comm, enum form form, struct info *info, struct request **request)
{
    return coll_scan_of(false, sendbuf, block_of(recvbuf, count, type), op, comm, form, info, request);
}

int coll_exscan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                struct comm *comm, enum form form, struct info *info, struct request **request)
{
    return coll_scan_of(true, sendbuf, block_of(recvbuf, count, type), op, comm, form, info, request);
}
