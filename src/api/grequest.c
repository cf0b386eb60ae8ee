#include "api/grequest.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* Lives in request->space. */
struct grequest {
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free;
    MPI_Grequest_cancel_function *cancel;
    void *extra_state;
    bool is_freed; /* `free` has been called: once, by whoever comes last */
};

static struct grequest *grequest_of(struct request *r)
{
    return (struct grequest *)(void *)r->space;
}

static int query(struct request *r)
{
    struct grequest *g = grequest_of(r);
    MPI_Status status;
    int error;

    memset(&status, 0, sizeof status);
    status.MPI_SOURCE = MPI_ANY_SOURCE;
    status.MPI_TAG = MPI_ANY_TAG;
    error = g->query ? g->query(g->extra_state, &status) : MPI_SUCCESS;
    status.MPI_ERROR = error;
    status_read(&status, &r->status);
    return error ? fail(error, "the query function of a generalized request returned %d", error)
                 : MPI_SUCCESS;
}

static int call_free(struct grequest *g)
{
    if (g->is_freed)
        return MPI_SUCCESS;
    g->is_freed = true;
    return g->free ? g->free(g->extra_state) : MPI_SUCCESS;
}

/* The error of the last callback counts. */
static void conclude(struct request *r)
{
    struct grequest *g = grequest_of(r);
    int error;

    if (g->is_freed)
        return;
    query(r);
    error = call_free(g);
    r->status.error = error;
    if (error)
        fail(error, "the free function of a generalized request returned %d", error);
    free(r->note);
    r->note = error ? strdup(fail_note()) : NULL;
}

static int cancel(struct request *r)
{
    struct grequest *g = grequest_of(r);
    int error = g->cancel ? g->cancel(g->extra_state, request_is_done(r)) : MPI_SUCCESS;

    return error ? fail(error, "the cancel function of a generalized request returned %d", error)
                 : MPI_SUCCESS;
}

static void release(struct request *r)
{
    call_free(grequest_of(r));
}

static const struct request_ops grequest_ops = {
    .cancel = cancel, .release = release, .query = query, .conclude = conclude};

int api_grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                       MPI_Grequest_cancel_function *cancel_fn, void *extra_state, struct request **request)
{
    int error = request_new(REQUEST_GENERALIZED, &grequest_ops, request);

    if (error)
        return error;
    *grequest_of(*request) = (struct grequest){
        .query = query_fn, .free = free_fn, .cancel = cancel_fn, .extra_state = extra_state};
    (*request)->active = true;
    request_ref(*request); /* MPI_Grequest_complete's */
    return MPI_SUCCESS;
}

int api_grequest_complete(struct request *r)
{
    if (r->kind != REQUEST_GENERALIZED)
        return fail(MPI_ERR_REQUEST, "the request is not of MPI_Grequest_start");
    if (request_is_done(r))
        return fail(MPI_ERR_REQUEST, "the generalized request is complete already");
    request_complete(r, MPI_SUCCESS);
    request_unref(r);
    return MPI_SUCCESS;
}
