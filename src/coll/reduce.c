#include "coll/coll.h"

#include "coll/dispatch.h"

int coll_reduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                int root, struct comm *comm, enum form form, struct info *info, struct request **request)
{
    struct coll_call call = {.collective = COLL_REDUCE,
                             .root = root,
                             .in = block_of(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type),
                             .out = {recvbuf, count, type},
                             .op = op};
    int error = root == MPI_PROC_NULL ? MPI_SUCCESS : op_check_items(op, count, type);

    if (error)
        return error;
    if (!comm_is_inter(comm))
        call.bytes = block_bytes(call.out);
    return dispatch_call(comm, &call, form, info, request);
}
