#include "coll/coll.h"

#include "coll/dispatch.h"

int coll_bcast(void *buffer, MPI_Count count, struct datatype *type, int root, struct comm *comm,
               enum form form, struct request **request)
{
    struct coll_block b = {buffer, count, type};
    struct coll_call call = {.collective = COLL_BCAST, .root = root, .in = b, .out = b};

    if (!comm_is_inter(comm))
        call.bytes = block_bytes(b);
    return dispatch_call(comm, &call, form, request);
}
