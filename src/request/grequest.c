/* Generalized requests (MPI-5.0 section 13.2). */
#include "request/request.h"

#include "plain/fail.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* In request->space. */
struct grequest {
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free;
    MPI_Grequest_cancel_function *cancel;
    void *extra_state;
    /* MPI_Request_free and MPI_Grequest_complete each subtract one: the last calls `free`. acq_rel: it sees
     * what the other wrote before. */
    _Atomic int awaited;
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

static int call_free(struct request *r)
{
    struct grequest *g = grequest_of(r);
    int error = g->free ? g->free(g->extra_state) : MPI_SUCCESS;

    return error ? fail(error, "the free function of a generalized request returned %d", error) : MPI_SUCCESS;
}

/* The error of the last callback that failed is kept. */
static void grequest_conclude(struct request *r)
{
    int failed = query(r), error = MPI_SUCCESS;

    free(r->note);
    r->note = failed ? strdup(fail_note()) : NULL;
    error = call_free(r);
    if (error) {
        free(r->note);
        r->note = strdup(fail_note());
    }
    r->status.error = error ? error : failed;
}

static int count_end(struct request *r)
{
    bool is_last = atomic_fetch_sub_explicit(&grequest_of(r)->awaited, 1, memory_order_acq_rel) == 1;

    return is_last ? call_free(r) : MPI_SUCCESS;
}

static int grequest_cancel(struct request *r)
{
    struct grequest *g = grequest_of(r);
    int error = g->cancel ? g->cancel(g->extra_state, request_is_done(r)) : MPI_SUCCESS;

    return error ? fail(error, "the cancel function of a generalized request returned %d", error)
                 : MPI_SUCCESS;
}

static const struct request_ops grequest_ops = {
    .cancel = grequest_cancel, .give_up = count_end, .query = query, .conclude = grequest_conclude};

int grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                   MPI_Grequest_cancel_function *cancel_fn, void *extra_state, struct request **request)
{
    int error = request_new(REQUEST_GENERALIZED, &grequest_ops, request);

    if (error)
        return error;
    *grequest_of(*request) = (struct grequest){
        .query = query_fn, .free = free_fn, .cancel = cancel_fn, .extra_state = extra_state, .awaited = 2};
    (*request)->active = true;
    request_ref(*request); /* for MPI_Grequest_complete */
    return MPI_SUCCESS;
}

int grequest_complete(struct request *r)
{
    int error;

    if (r->kind != REQUEST_GENERALIZED)
        return fail(MPI_ERR_REQUEST, "the request is not of MPI_Grequest_start");
    if (request_is_done(r))
        return fail(MPI_ERR_REQUEST, "the generalized request is complete already");
    request_complete(r, MPI_SUCCESS);
    error = count_end(r);
    request_unref(r);
    return error;
}
