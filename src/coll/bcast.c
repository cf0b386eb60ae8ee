#include "coll/coll.h"

#include "coll/dispatch.h"

int coll_bcast(void *buffer, MPI_Count count, struct datatype *type, int root, struct comm *comm,
               enum form form, struct request **request)
{
    struct coll_block b = {buffer, count, type};
    struct coll_places none = {0};
    struct coll_call call = {.collective = COLL_BCAST, .root = root, .in = b, .out = b, .places = &none};

    if (root == MPI_PROC_NULL)
        call.in = call.out = block_empty();
    call.is_irregular = comm_is_inter(comm);
    if (!call.is_irregular)
        call.bytes = block_bytes(b);
    return dispatch_call(comm, &call, form, request);
}
