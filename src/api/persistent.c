#include "api/persistent.h"

#include "api/call.h"
#include "api/handle.h"
#include "base/fail.h"

static int find_startable(MPI_Request handle, int i, struct request **r)
{
    *r = handle_find_request(handle);
    if (!*r)
        return fail(MPI_ERR_REQUEST, "request %d, %p, is null, not a request, or was freed", i,
                    (void *)handle);
    if (!(*r)->persistent || (*r)->active)
        return fail(MPI_ERR_REQUEST, "request %d is %s", i,
                    (*r)->active ? "active already" : "not persistent");
    return MPI_SUCCESS;
}

/* Looks at all of them before it starts one. The error's handler is that of the request which it is about. */
int api_startall(int count, MPI_Request *requests)
{
    struct request *r = NULL;
    int error = MPI_SUCCESS;

    for (int i = 0; i < count && !error; i++)
        error = find_startable(requests[i], i, &r);
    for (int i = 0; i < count && !error; i++) {
        error = find_startable(requests[i], i, &r);
        if (!error)
            error = request_start(r);
    }
    if (error)
        call_blame(r ? r->owner : NULL);
    return error;
}

int api_mrecv(void *buf, MPI_Count count, struct datatype *type, struct matched *matched,
              struct status *status)
{
    struct request *r;
    int error = p2p_imrecv(buf, count, type, matched, &r);

    if (error)
        return error;
    error = request_wait(r);
    if (error)
        call_blame(r->owner);
    *status = r->status;
    request_unref(r);
    return error;
}

int api_parrived(MPI_Request request, int partition, int *flag)
{
    struct request *r = handle_find_request(request);

    if (request == MPI_REQUEST_NULL) {
        *flag = 1;
        return MPI_SUCCESS;
    }
    if (!r)
        return fail(MPI_ERR_REQUEST, "request %p is not a request, or was freed", (void *)request);
    return p2p_parrived(r, partition, flag);
}
