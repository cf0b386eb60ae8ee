#include "coll/coll.h"

#include "coll/dispatch.h"

/* Only the root knows what it gives; its own group knows nothing. */
static int coll_bcast_across(struct coll_call call, struct comm *comm, enum form form, struct info *info,
                             struct request **request)
{
    struct coll_places none = {0};

    if (call.root == MPI_PROC_NULL)
        call.in = call.out = block_empty();
    call.is_irregular = true;
    call.places = &none;
    return dispatch_call(comm, &call, form, info, request);
}

int coll_bcast(void *buffer, MPI_Count count, struct datatype *type, int root, struct comm *comm,
               enum form form, struct info *info, struct request **request)
{
    struct coll_block b = {buffer, count, type};
    struct coll_call call = {.collective = COLL_BCAST, .root = root, .in = b, .out = b};

    if (comm_is_inter(comm))
        return coll_bcast_across(call, comm, form, info, request);
    call.bytes = block_bytes(b);
    return dispatch_call(comm, &call, form, info, request);
}
