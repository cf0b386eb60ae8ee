#include "coll/coll.h"

#include "coll/dispatch.h"

int coll_barrier(struct comm *comm, enum form form, struct info *info, struct request **request)
{
    struct coll_call call = {.collective = COLL_BARRIER, .in = block_empty(), .out = block_empty()};

    return dispatch_call(comm, &call, form, info, request);
}
