/* MPI_Wait, MPI_Test, MPI_Request_get_status, MPI_Request_free and their forms for several requests (MPI-5.0 section 3.7). */
#include "object/errhandler.h"
#include "object/error.h"
#include "plain/fail.h"
#include "progress/progress.h"
#include "request/request.h"

#include <stdlib.h>

/* NULL for MPI_REQUEST_NULL. */
static int find_request(MPI_Request handle, struct request **r)
{
    *r = NULL;
    if (handle == MPI_REQUEST_NULL)
        return MPI_SUCCESS;
    *r = request_find(handle);
    return *r && !(*r)->freed
               ? MPI_SUCCESS
               : fail(MPI_ERR_REQUEST, "request %p is not a request, or was freed or completed before",
                      (void *)handle);
}

static bool is_active(const struct request *r)
{
    return r && r->active;
}

static bool can_complete(struct request *r)
{
    return !is_active(r) || request_is_done(r);
}

/* The handler of the object that the request works on gets the error. */
static int raise_note(const struct request *r)
{
    if (r->status.error)
        errhandler_blame_object(r->owner);
    if (r->status.error && r->note)
        return fail(r->status.error, "%s", r->note);
    return r->status.error;
}

/* Calls the program's functions, which finish the status of a generalized request that is about to
 * complete. */
static void completion_conclude(struct request *r)
{
    if (is_active(r) && r->ops && r->ops->conclude)
        r->ops->conclude(r);
}

/* The status that a wait or test gives for a request that can complete. */
static const struct status *status_of(const struct request *r)
{
    return is_active(r) ? &r->status : &status_empty;
}

/* An empty status is written completely: its error is MPI_SUCCESS (MPI-5.0 section 3.7.3). Otherwise
 * MPI_ERROR is left alone, except by the array forms when an operation failed (section 3.2.5). */
static void write_status_of(const struct request *r, MPI_Status *status)
{
    status_write(status_of(r), status);
    if (!is_active(r) && status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = MPI_SUCCESS;
}

/* Completes a request that can complete, after its status was written: frees the handle, or makes a
 * persistent request inactive. */
static void completion_complete(struct request *r, MPI_Request *handle)
{
    if (!is_active(r))
        return;
    if (r->persistent) {
        r->active = false;
        return;
    }
    *handle = MPI_REQUEST_NULL;
    request_unref(r);
}

/* The whole completion of one request. */
static int conclude_and_complete(struct request *r, MPI_Request *handle, MPI_Status *status)
{
    int error = MPI_SUCCESS;

    if (!is_active(r)) {
        write_status_of(r, status);
        return MPI_SUCCESS;
    }
    completion_conclude(r);
    status_write(&r->status, status);
    if (r->status.error) {
        error = raise_note(r);
        errhandler_blame_handle(handle, (uint64_t)(uintptr_t)*handle);
        if (error == MPIX_ERR_PROC_FAILED_PENDING) /* it is still pending: p2p/failure.h */
            return error;
    }
    completion_complete(r, handle);
    return error;
}

/* Out of line: what is done already needs none of its registers. */
__attribute__((noinline)) static void wait_until_done(struct request *r)
{
    struct wait w = WAIT_START;

    while (!request_is_done(r))
        progress_wait_for(&w, WAIT_REQUEST, r, 0);
}

int request_wait_handle(MPI_Request *request, MPI_Status *status)
{
    struct request *r;
    int error = find_request(*request, &r);

    if (error)
        return error;
    if (!can_complete(r)) {
        request_spin(r);
        wait_until_done(r);
    }
    return conclude_and_complete(r, request, status);
}

static bool can_complete_all(int count, struct request **all)
{
    for (int i = 0; i < count; i++)
        if (!can_complete(all[i]))
            return false;
    return true;
}

/* For calls that do not wait. */
static void look_for_all(int count, struct request **all)
{
    if (!can_complete_all(count, all))
        progress_poll();
    if (!can_complete_all(count, all))
        progress_look_again();
}

int request_test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct request *r;
    int error = find_request(*request, &r);

    if (error)
        return error;
    look_for_all(1, &r);
    *flag = can_complete(r);
    return *flag ? conclude_and_complete(r, request, status) : MPI_SUCCESS;
}

enum {
    FEW = 128
};

/* The requests of an array of handles; in `few` if they fit. */
static int find_all(int count, const MPI_Request *handles, struct request **few, struct request ***all)
{
    struct request **list = count > FEW ? malloc((size_t)count * sizeof *list) : few;

    if (!list)
        return fail(MPI_ERR_NO_MEM, "no memory to look at %d requests", count);
    for (int i = 0; i < count; i++) {
        int error = find_request(handles[i], &list[i]);

        if (error) {
            if (list != few)
                free(list);
            return error;
        }
    }
    *all = list;
    return MPI_SUCCESS;
}

static void free_all(struct request **few, struct request **all)
{
    if (all != few)
        free(all);
}

/* The index of an active request that can complete; MPI_UNDEFINED: none is active; -1: none can yet. */
static int find_any(int count, struct request **all)
{
    int found = MPI_UNDEFINED;

    for (int i = 0; i < count; i++) {
        if (!is_active(all[i]))
            continue;
        if (request_is_done(all[i]))
            return i;
        found = -1;
    }
    return found;
}

/* The same, after a poll if need be. */
static int find_any_polled(int count, struct request **all)
{
    int found = find_any(count, all);

    if (found != -1)
        return found;
    progress_poll();
    found = find_any(count, all);
    return found == -1 && progress_look_again() ? find_any(count, all) : found;
}

static int complete_any(int index, struct request **all, MPI_Request *handles, MPI_Status *status)
{
    if (index != MPI_UNDEFINED)
        return conclude_and_complete(all[index], &handles[index], status);
    write_status_of(NULL, status);
    return MPI_SUCCESS;
}

int request_waitany(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
    struct request *few[FEW], **all;
    struct wait w = WAIT_START;
    int error = find_all(count, requests, few, &all);

    if (error)
        return error;
    while ((*index = find_any(count, all)) == -1)
        progress_wait_for(&w, WAIT_ANY_REQUEST, all, (uint64_t)count);
    error = complete_any(*index, all, requests, status);
    free_all(few, all);
    return error;
}

int request_testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
    struct request *few[FEW], **all;
    int error = find_all(count, requests, few, &all);

    if (error)
        return error;
    *index = find_any_polled(count, all);
    *flag = *index != -1;
    if (*flag)
        error = complete_any(*index, all, requests, status);
    else
        *index = MPI_UNDEFINED;
    free_all(few, all);
    return error;
}

/* The error of an array form; the handler of the first failed request's object gets it. */
static int in_status(const struct request *failed, int position, int count)
{
    int error = failed->status.error;
    const char *name = error_name(error);

    errhandler_blame_object(failed->owner);
    if (!name)
        return fail(MPI_ERR_IN_STATUS, "the first is of request %d of %d: error %d", position, count, error);
    return fail(MPI_ERR_IN_STATUS, "the first is of request %d of %d: %s%s%s", position, count, name,
                failed->note ? ": " : "", failed->note ? failed->note : "");
}

/* with_error: one of the completed operations failed; MPI_ERROR of all statuses is set then. */
static void complete_one(struct request *r, MPI_Request *handle, MPI_Status *status, bool with_error)
{
    if (status != MPI_STATUS_IGNORE) {
        write_status_of(r, status);
        if (with_error)
            status->MPI_ERROR = status_of(r)->error;
    }
    if (with_error && is_active(r) && r->status.error == MPIX_ERR_PROC_FAILED_PENDING)
        return;
    completion_complete(r, handle);
}

static MPI_Status *status_at(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* All can complete. */
static int complete_all(int count, struct request **all, MPI_Request *handles, MPI_Status *statuses)
{
    int failed = -1, error;

    for (int i = 0; i < count; i++) {
        completion_conclude(all[i]);
        if (status_of(all[i])->error && failed < 0)
            failed = i;
    }
    error = failed < 0 ? MPI_SUCCESS : in_status(all[failed], failed, count);
    for (int i = 0; i < count; i++)
        complete_one(all[i], &handles[i], status_at(statuses, i), error);
    return error;
}

int request_waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    struct request *few[FEW], **all;
    int error = find_all(count, requests, few, &all);

    if (error)
        return error;
    for (int i = 0; i < count; i++)
        if (!can_complete(all[i]))
            wait_until_done(all[i]);
    error = complete_all(count, all, requests, statuses);
    free_all(few, all);
    return error;
}

int request_testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    struct request *few[FEW], **all;
    int error = find_all(count, requests, few, &all);

    if (error)
        return error;
    look_for_all(count, all);
    *flag = can_complete_all(count, all);
    if (*flag)
        error = complete_all(count, all, requests, statuses);
    free_all(few, all);
    return error;
}

static bool any_is_active(int count, struct request **all)
{
    for (int i = 0; i < count; i++)
        if (is_active(all[i]))
            return true;
    return false;
}

/* Completes every active request that is done, in order; returns how many. */
static int complete_some(int count, struct request **all, MPI_Request *handles, int *indices,
                         MPI_Status *statuses, int *error)
{
    int done = 0, failed = -1;

    for (int i = 0; i < count; i++) {
        struct request *r = all[i];

        if (!is_active(r) || !request_is_done(r))
            continue;
        indices[done++] = i;
        completion_conclude(r);
        if (failed < 0 && r->status.error)
            failed = i;
    }
    *error = failed < 0 ? MPI_SUCCESS : in_status(all[failed], failed, count);
    for (int k = 0; k < done; k++)
        complete_one(all[indices[k]], &handles[indices[k]], status_at(statuses, k), *error);
    return done;
}

int request_waitsome(int count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses)
{
    struct request *few[FEW], **all;
    struct wait w = WAIT_START;
    int error = find_all(count, requests, few, &all);

    if (error)
        return error;
    *outcount = MPI_UNDEFINED;
    if (any_is_active(count, all))
        while ((*outcount = complete_some(count, all, requests, indices, statuses, &error)) == 0)
            progress_wait_for(&w, WAIT_ANY_REQUEST, all, (uint64_t)count);
    free_all(few, all);
    return error;
}

/* Polls even if one request is done, so that the others make progress. */
static void look_for_some(int count, struct request **all)
{
    progress_poll();
    if (find_any(count, all) == -1)
        progress_look_again();
}

int request_testsome(int count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses)
{
    struct request *few[FEW], **all;
    int error = find_all(count, requests, few, &all);

    if (error)
        return error;
    *outcount = MPI_UNDEFINED;
    if (any_is_active(count, all)) {
        look_for_some(count, all);
        *outcount = complete_some(count, all, requests, indices, statuses, &error);
    }
    free_all(few, all);
    return error;
}

/* The status of a request that can complete, as a wait would give it; the request does not change. Returns
 * the error of the operation. */
static int peek(struct request *r, MPI_Status *status)
{
    int error = MPI_SUCCESS;

    if (is_active(r) && r->ops && r->ops->query)
        error = r->ops->query(r);
    write_status_of(r, status);
    return error || !is_active(r) ? error : raise_note(r);
}

static void set_error(MPI_Status *status, int error)
{
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = error;
}

int request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct request *r;
    int error = find_request(request, &r);

    if (error)
        return error;
    look_for_all(1, &r);
    *flag = can_complete(r);
    return *flag ? peek(r, status) : MPI_SUCCESS;
}

int request_get_status_any(int count, const MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
    struct request *few[FEW], **all;
    int error = find_all(count, requests, few, &all);

    if (error)
        return error;
    *index = find_any_polled(count, all);
    *flag = *index != -1;
    if (*flag)
        error = peek(*index == MPI_UNDEFINED ? NULL : all[*index], status);
    else
        *index = MPI_UNDEFINED;
    free_all(few, all);
    return error;
}

/* Peeks at the requests of `indices` (NULL: all). If one has failed, MPI_ERROR of all statuses is set. */
static int peek_at(int count, struct request **all, const int *indices, MPI_Status *statuses)
{
    int failed = -1;

    for (int k = 0; k < count && failed < 0; k++) {
        int i = indices ? indices[k] : k;

        if (peek(all[i], status_at(statuses, k)))
            failed = i;
    }
    if (failed < 0)
        return MPI_SUCCESS;
    for (int k = 0; k < count; k++)
        set_error(status_at(statuses, k), peek(all[indices ? indices[k] : k], status_at(statuses, k)));
    return in_status(all[failed], failed, count);
}

int request_get_status_all(int count, const MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    struct request *few[FEW], **all;
    int error = find_all(count, requests, few, &all);

    if (error)
        return error;
    look_for_all(count, all);
    *flag = can_complete_all(count, all);
    if (*flag)
        error = peek_at(count, all, NULL, statuses);
    free_all(few, all);
    return error;
}

int request_get_status_some(int count, const MPI_Request *requests, int *outcount, int *indices,
                            MPI_Status *statuses)
{
    struct request *few[FEW], **all;
    int done = 0, error = find_all(count, requests, few, &all);

    if (error)
        return error;
    *outcount = MPI_UNDEFINED;
    if (any_is_active(count, all)) {
        look_for_some(count, all);
        for (int i = 0; i < count; i++)
            if (is_active(all[i]) && request_is_done(all[i]))
                indices[done++] = i;
        *outcount = done;
        error = peek_at(done, all, indices, statuses);
    }
    free_all(few, all);
    return error;
}

/* An operation in flight goes on; its own reference keeps the memory. */
int request_free(MPI_Request *request)
{
    struct request *r;
    int error = find_request(*request, &r);

    if (error)
        return error;
    if (!r)
        return fail(MPI_ERR_REQUEST, "MPI_REQUEST_NULL cannot be freed");
    if ((r->kind == REQUEST_PARTITIONED || r->kind == REQUEST_COLL) && r->active)
        return fail(MPI_ERR_REQUEST, "an active %s request cannot be freed: complete it first",
                    r->kind == REQUEST_COLL ? "collective" : "partitioned");
    if (!r->immortal)
        r->freed = true;
    error = r->ops && r->ops->give_up ? r->ops->give_up(r) : MPI_SUCCESS;
    if (error)
        errhandler_blame_handle(request, (uint64_t)(uintptr_t)*request);
    *request = MPI_REQUEST_NULL;
    request_unref(r);
    return error;
}

static int find_startable(MPI_Request handle, int i, struct request **r)
{
    *r = request_find(handle);
    if (!*r)
        return fail(MPI_ERR_REQUEST, "request %d, %p, is null, not a request, or was freed", i,
                    (void *)handle);
    if (!(*r)->persistent || (*r)->active)
        return fail(MPI_ERR_REQUEST, "request %d is %s", i,
                    (*r)->active ? "active already, or given twice" : "not persistent");
    return MPI_SUCCESS;
}

/* Each request that was found is marked active meanwhile, so that one which is given twice is noticed. The handler of the
 * request with the error gets it. */
static int check_startable(int count, const MPI_Request *requests)
{
    struct request *r = NULL;
    int error = MPI_SUCCESS, found = 0;

    while (found < count && !error) {
        error = find_startable(requests[found], found, &r);
        if (!error) {
            r->active = true;
            found++;
        }
    }
    if (error)
        errhandler_blame_object(r ? r->owner : NULL);
    while (found > 0)
        request_find(requests[--found])->active = false;
    return error;
}

int request_startall(int count, MPI_Request *requests, const void *caller)
{
    int error = check_startable(count, requests);

    for (int i = 0; i < count && !error; i++)
        request_start_or_complete(request_find(requests[i]), caller);
    return error;
}
