/* request: an operation that may not be complete yet (MPI-5.0 section 3.7).
 *
 * A request is *active* from its start until a wait or test completes it. request_complete sets `done` once,
 * after status and error are written; the waiter reads it with acquire. The wait that completes a request
 * frees it or, if it is persistent, makes it inactive.
 *
 * References: one for the user's handle, and one for the operation while it is in flight (held by p2p, coll,
 * ...).
 */
#ifndef REQUEST_REQUEST_H
#define REQUEST_REQUEST_H

#include "base/list.h"
#include "datatype/datatype.h"
#include "object/object.h"
#include "plain/fail.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum request_kind {
    REQUEST_SEND,
    REQUEST_RECV,
    REQUEST_COLL,
    REQUEST_COMM,
    REQUEST_GENERALIZED,
    REQUEST_PARTITIONED,
    REQUEST_FILE,
    REQUEST_MULTI /* ends when other requests have: see p2p/multi_request.h */
};

/* The status of the operation; goes into MPI_Status. */
struct status {
    int source, tag;
    int error;
    bool cancelled;
    MPI_Count bytes; /* received */
};

struct request;

/* NULL: the operation has nothing to do there. */
struct request_ops {
    int (*start)(struct request *r);    /* persistent: makes it active again. Returns an error class */
    int (*cancel)(struct request *r);   /* requests it; at completion status.cancelled has the outcome */
    void (*release)(struct request *r); /* the last reference is gone: frees what the operation owns */
    void (*spin)(struct request *r);    /* a wait begins: polls for this operation alone, for a moment */
    /* These run the program's callbacks, without locks. */
    int (*give_up)(struct request *r);   /* MPI_Request_free: nobody will wait for it */
    int (*query)(struct request *r);     /* writes status before it is read */
    void (*conclude)(struct request *r); /* the same, once, when a wait or test is about to complete r */
};

enum {
    REQUEST_SPACE = 160
};

struct request {
    struct object object;
    const struct request_ops *ops;
    _Atomic bool done; /* release by request_complete; acquire by request_is_done */
    uint8_t kind;      /* enum request_kind */
    bool immortal;     /* request_done_send() */
    bool persistent;
    bool active; /* started, and not yet completed by a wait or test */
    bool freed;  /* the user freed the handle while the operation was in flight; its number is still used on
                  * the wire */
    union {      /* where the program has called from, for inkling where alone: return addresses */
        const void *posted;
        struct request_places *places; /* persistent; NULL: no memory */
    };
    struct status status;
    struct object *owner; /* the comm (or other object) whose error handler gets errors of this request */
    char *note;           /* of status.error, owned; NULL: none */
    _Alignas(16) unsigned char space[REQUEST_SPACE];
};

struct request_places {
    const void *made, *started; /* started: NULL until it was */
};

extern struct pool request_pool;
/* The request of a handle; NULL: no live request has it. Any value is safe. */
static inline struct request *request_find(MPI_Request handle)
{
    return (struct request *)pool_find(&request_pool, object_word(handle));
}
extern const struct status status_empty; /* MPI-5.0 section 3.7.3: source ANY, tag ANY, error 0, count 0 */

int request_new(enum request_kind kind, const struct request_ops *ops, struct request **r);
/* The same inline, for messages. `space` holds what its last user left there. */
static inline int request_take(enum request_kind kind, const struct request_ops *ops, struct request **r)
{
    struct request *new = *r = pool_take(&request_pool); /* NULL: the compiler sees that r is set */

    if (!new)
        return fail(MPI_ERR_NO_MEM, "no memory for a request");
    memset(&new->object + 1, 0, offsetof(struct request, space) - sizeof new->object);
    new->kind = (uint8_t)kind;
    new->ops = ops;
    new->status = status_empty;
    return MPI_SUCCESS;
}

/* The handle of r for the program, which has called for it from there. What all share is done, and is not written to. */
static inline MPI_Request request_hand_out(struct request *r, const void *caller)
{
    if (!r->immortal)
        r->posted = caller;
    return (MPI_Request)(uintptr_t)object_handle(&r->object);
}
/* The same of a persistent request. */
MPI_Request request_hand_out_persistent(struct request *r, const void *caller);

static inline void request_ref(struct request *r)
{
    if (!r->immortal)
        object_ref(&r->object);
}
void request_release(struct request *r); /* the last reference is gone */
static inline void request_unref(struct request *r)
{
    if (!r->immortal && object_unref(&r->object))
        request_release(r);
}

/* Keeps the calling thread's note for an error with which request_complete will be called. */
void request_note(struct request *r, int error);

/* The operation is finished, and its status is final except for the error. MPIX_ERR_PROC_FAILED_PENDING: it is not, but whoever waits
 * gets that error now (p2p/failure.h). When error is not 0, the request
 * keeps the calling thread's note, unless it has one already. */
static inline void request_complete(struct request *r, int error)
{
    r->status.error = error;
    if (__builtin_expect(error != 0, 0))
        request_note(r, error);
    atomic_store_explicit(&r->done, true, memory_order_release); /* pairs with request_is_done */
    progress_tell();
}

/* A complete request that all eager sends share. Its handle is valid, freeing it has no effect, and its
 * status is that of a finished send. */
struct request *request_done_send(void);
/* Set before the program's first call: handles tell operations apart, for a tool that goes by them. */
extern bool request_is_never_shared;
/* What a send that is complete gives the program: that request, or one of its own where none is shared, while there is memory. */
struct request *request_of_done_send(void);

/* The same for the nonblocking collectives of one communicator, whose error handler gets errors of their use.
 * The taker gives it back in the end, though handles may be left; another communicator may get it then. NULL:
 * no memory. */
struct request *request_done_take(struct object *owner);
void request_done_give(struct request *r);

static inline bool request_is_done(struct request *r)
{
    return atomic_load_explicit(&r->done, memory_order_acquire);
}

/* Called before a wait for it. */
static inline void request_spin(struct request *r)
{
    if (r->ops && r->ops->spin && !request_is_done(r))
        r->ops->spin(r);
}

/* Bodies of MPI_Start, which the program has called there, and MPI_Cancel. */
int request_start(struct request *r, const void *caller);
int request_cancel(struct request *r);
/* The request is persistent and not active. It is active then: where it cannot be started, it is complete with the error. */
void request_start_or_complete(struct request *r, const void *caller);

/* Waits until it is done. Returns status.error. */
int request_wait(struct request *r);

/* struct status <-> MPI_Status (MPI_internal: [0..1] bytes, [2] cancelled). `out` may be MPI_STATUS_IGNORE.
 */
void status_write(const struct status *s, MPI_Status *out);
void status_read(const MPI_Status *in, struct status *s);

/* Bodies of the wait, test and free procedures (MPI-5.0 section 3.7). They take the standard's
 * types, since they work on arrays of handles and statuses.
 *
 * Errors: MPI_Wait and MPI_Test return the error of a failed operation. The array forms that complete several
 * return MPI_ERR_IN_STATUS, with the class of each operation in its status' MPI_ERROR. Inactive and null
 * requests count as complete with an empty status.
 */

int request_wait_handle(MPI_Request *request, MPI_Status *status);
int request_test(MPI_Request *request, int *flag, MPI_Status *status);
int request_waitany(int count, MPI_Request *requests, int *index, MPI_Status *status);
int request_testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status);
int request_waitall(int count, MPI_Request *requests, MPI_Status *statuses);
int request_testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses);
int request_waitsome(int count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses);
int request_testsome(int count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses);
int request_get_status(MPI_Request request, int *flag, MPI_Status *status);
int request_get_status_any(int count, const MPI_Request *requests, int *index, int *flag, MPI_Status *status);
int request_get_status_all(int count, const MPI_Request *requests, int *flag, MPI_Status *statuses);
int request_get_status_some(int count, const MPI_Request *requests, int *outcount, int *indices,
                            MPI_Status *statuses);
int request_free(MPI_Request *request);

/* Body of MPI_Startall. Starts all requests or, on an error, none. What then keeps one from starting, as a lack of memory, is
 * the error of its operation, which a wait tells. caller: as of request_hand_out. */
int request_startall(int count, MPI_Request *requests, const void *caller);

/* Bodies of MPI_Grequest_start and MPI_Grequest_complete (MPI-5.0 section 13.2). The wait, test and
 * get_status procedures call the program's functions through request_ops.query and request_ops.conclude. */

int grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                   MPI_Grequest_cancel_function *cancel_fn, void *extra_state, struct request **request);
int grequest_complete(struct request *r);

/* status: bodies of the procedures on MPI_Status (MPI-5.0 sections 3.2.5, 3.8.4, 5.1.11, 13.3). */

int status_get_count(const MPI_Status *status, struct datatype *type, MPI_Count *count);
int status_get_elements(const MPI_Status *status, struct datatype *type, MPI_Count *count);
int status_test_cancelled(const MPI_Status *status, int *flag);
int status_get_source(const MPI_Status *status, int *source);
int status_get_tag(const MPI_Status *status, int *tag);
int status_get_error(const MPI_Status *status, int *error);
int status_set_source(MPI_Status *status, int source);
int status_set_tag(MPI_Status *status, int tag);
int status_set_error(MPI_Status *status, int error);
int status_set_cancelled(MPI_Status *status, int flag);
int status_set_elements(MPI_Status *status, struct datatype *type, MPI_Count count);

/* mark: where the program has called for a request, as told by what lies between the two (plain/where_table.h). */

/* The program has called for the request of this handle, or started it, from there. Any value is safe. Returns what
 * MPI_Request_toint does; 0: there is no such request. */
int request_mark(uint64_t handle, const void *caller);

#endif
