/* foreign: programs that were built for Open MPI or MPICH run on Inkling as they are.
 *
 * For each of the two there is a folder with libraries that have the other one's sonames and symbols (libmpi.so.40 ..., libmpich.so.12
 * ...). They translate: handles, constants, statuses, user functions. Below them is Inkling by the standard ABI alone, or any other
 * library that has it: load.c opens libmpi_abi.so.1 and fills `real` with its procedures. It is opened RTLD_LOCAL, since its names are
 * the same as those of the foreign ABI.
 *
 * gen/foreign.py makes most of it from api/ and foreign/facts: abi.h (types, constants and handles of the ABI), data.c (predefined handles),
 * entry.[ch] (the procedures) and real.h. All files here are compiled once for each ABI. Names: MPI_Comm is Inkling's, F_Comm the
 * program's; foreign_Send is the function that the program knows as PMPI_Send. MPI_Send is a weak name of it, so that a tool of the
 * program's may have its own. Functions that end in _in turn what the program passes into what Inkling takes, _out the reverse.
 *
 * The libraries of the C++ bindings stand upon that of C (cxx/cxx.h, cxx/objects.h); gen/cxx_binding.py makes the methods.
 *
 * Nothing here has a lock in the way of a message. Handles carry what is needed to turn them round (abi.h). A status carries Inkling's.
 * A procedure that the ABI has and api/ does not is a symbol that says so and returns MPI_ERR_UNSUPPORTED_OPERATION. */
#ifndef FOREIGN_FOREIGN_H
#define FOREIGN_FOREIGN_H

#include "foreign/standard.h"

#include "plain/where_table.h"

#include "real.h"

#include "abi.h"

/* Constants: whatever is not negative is no constant. */
static inline int rank_in(int rank)
{
    return rank >= 0 ? rank : rank_constant_in(rank);
}
static inline int rank_out(int rank)
{
    return rank >= 0 ? rank : rank_constant_out(rank);
}
static inline int tag_in(int tag)
{
    return tag >= 0 ? tag : tag_constant_in(tag);
}
static inline int tag_out(int tag)
{
    return tag >= 0 ? tag : tag_constant_out(tag);
}

/* Error classes and codes. Those that are added at run time follow the last one of each ABI. */
static inline int error_out(int error)
{
    if (error == MPI_SUCCESS)
        return error;
    return error > MPI_ERR_LASTCODE ? error - MPI_ERR_LASTCODE + FOREIGN_ERR_LASTCODE
                                    : error_constant_out(error);
}
static inline int error_in(int error)
{
    if (error > FOREIGN_ERR_LASTCODE)
        return error - FOREIGN_ERR_LASTCODE + MPI_ERR_LASTCODE;
    return error_constant_in(error);
}

/* What a procedure returns, when nothing is left to do for it: a handler of the C++ bindings, which may throw, runs there (handler.c). */
int call_failed(int error) __attribute__((cold));
static inline int call_ended(int error)
{
    return error == MPI_SUCCESS ? error : call_failed(error);
}

/* MPI::ERRORS_THROW_EXCEPTIONS of the C++ bindings, which is no handle of Inkling's: a handler for each kind of object is made for it (handler.c). */
#define HANDLER_THROWS ((MPI_Errhandler)(intptr_t)1)
MPI_Errhandler comm_handler_in(F_Errhandler errhandler);
MPI_Errhandler win_handler_in(F_Errhandler errhandler);
MPI_Errhandler file_handler_in(F_Errhandler errhandler);
/* Of what MPI_X_get_errhandler has returned. */
F_Errhandler handler_out(MPI_Errhandler errhandler);
void handlers_end(void); /* before MPI_Finalize: frees the handlers that were made for it */
/* The operation is freed (callback.c); NULL: it is not. */
void operation_freed(MPI_Op op);

/* Attribute keys. Those made at run time are positive, with bit 30 set; where predefined ones may be too, they get bit 31 as well. */
static inline int keyval_out(int keyval)
{
#ifndef FOREIGN_HAS_POINTERS
    if (keyval >> 30 == 1)
        return keyval | INT32_MIN;
#endif
    return keyval_constant_out(keyval);
}
static inline int keyval_in(int keyval)
{
#ifndef FOREIGN_HAS_POINTERS
    if (handle_is_run_time(keyval))
        return keyval & INT32_MAX;
#endif
    return keyval_constant_in(keyval);
}

/* Addresses. MPI_BOTTOM is NULL in each ABI. */
static inline void *buffer_in(const void *buffer)
{
    return buffer == FOREIGN_IN_PLACE ? MPI_IN_PLACE : (void *)(uintptr_t)buffer;
}
static inline int *weights_in(const int *weights)
{
    if (weights == FOREIGN_UNWEIGHTED)
        return MPI_UNWEIGHTED;
    return weights == FOREIGN_WEIGHTS_EMPTY ? MPI_WEIGHTS_EMPTY : (int *)(uintptr_t)weights;
}
static inline MPI_T_pvar_handle pvar_handle_in(MPI_T_pvar_handle handle)
{
    return (void *)handle == FOREIGN_T_PVAR_ALL_HANDLES ? MPI_T_PVAR_ALL_HANDLES : handle;
}

/* Statuses. What the call has not written keeps the value of STATUS_ROOM, and is left alone in the program's. */
#define STATUS_ROOM ((MPI_Status){.MPI_SOURCE = INT32_MIN, .MPI_ERROR = INT32_MIN})
static inline MPI_Status *status_room(const F_Status *status, MPI_Status *room)
{
    return status == FOREIGN_STATUS_IGNORE ? MPI_STATUS_IGNORE : room;
}
static inline void status_out(const MPI_Status *status, F_Status *out)
{
    if (out == FOREIGN_STATUS_IGNORE || !out)
        return;
    if (status->MPI_ERROR != INT32_MIN)
        out->MPI_ERROR = error_out(status->MPI_ERROR);
    if (status->MPI_SOURCE == INT32_MIN)
        return;
    out->MPI_SOURCE = rank_out(status->MPI_SOURCE);
    out->MPI_TAG = tag_out(status->MPI_TAG);
    status_words_out(status, out);
}
static inline MPI_Status *status_in(const F_Status *status, MPI_Status *in)
{
    if (status == FOREIGN_STATUS_IGNORE || !status)
        return MPI_STATUS_IGNORE;
    memset(in, 0, sizeof *in);
    in->MPI_SOURCE = rank_in(status->MPI_SOURCE);
    in->MPI_TAG = tag_in(status->MPI_TAG);
    in->MPI_ERROR = error_in(status->MPI_ERROR);
    status_words_in(status, in);
    return in;
}
/* Behind a call that changes a status which status_in has read. */
static inline void status_back(const MPI_Status *status, F_Status *out)
{
    if (out != FOREIGN_STATUS_IGNORE)
        status_out(status, out);
}

/* The program has called for the request, or started it, from there (plain/where_table.h). */
static inline void request_mark(MPI_Request request, const void *caller)
{
    where_mark((uint64_t)(uintptr_t)request, caller);
}
static inline F_Request request_posted(MPI_Request request, const void *caller)
{
    request_mark(request, caller);
    return request_out(request);
}
/* For the library of Fortran procedures, which calls this one. Returns 0. */
FOREIGN_EXPORTED int inkling_posted(F_Request request, const void *caller);

/* Arrays (array.c). Those of up to FOREIGN_NEAR elements are on the stack. Without memory the job ends. */
enum {
    FOREIGN_NEAR = 16
};

struct request_array {
    MPI_Request *now, *was; /* what the call sees, and what it was */
    int64_t count;
    MPI_Request near[2 * FOREIGN_NEAR];
};
MPI_Request *requests_in(struct request_array *array, const F_Request *request, int64_t count);
void requests_out(struct request_array *array, F_Request *request); /* frees as well */
void requests_free(struct request_array *array);
void requests_started(const struct request_array *array, const void *caller);

struct status_array {
    MPI_Status *room;
    F_Status *out;
    int64_t count;
    MPI_Status near[FOREIGN_NEAR];
};
MPI_Status *statuses_room(struct status_array *array, F_Status *out, int64_t count);
void statuses_out(struct status_array *array); /* frees as well */

struct scratch {
    void *block; /* of malloc; NULL: none */
    void *near[FOREIGN_NEAR];
};
void *scratch_take(struct scratch *scratch, size_t size);
void scratch_free(struct scratch *scratch);
/* With is_kept the array is all from malloc, for kept_add. */
MPI_Datatype *types_in(struct scratch *scratch, const F_Datatype *type, int64_t count, bool is_kept);
void types_out(const MPI_Datatype *type, F_Datatype *out, int64_t count);
int *array_in(struct scratch *scratch, const int *value, int64_t count, int (*convert)(int));
void array_out(int *value, int64_t count, int (*convert)(int), int error);
int64_t sum_of(const int *value, int64_t count);

/* A text, cut to what the ABI's programs have room for. `length` may be NULL. */
void text_out(const char *from, char *text, size_t room, int *length, int error);

/* How many processes a collective of this communicator sends to; neighbors: 0 those that it sends to, 1 those that it receives from. */
int peers_of(MPI_Comm comm);
int neighbors_of(MPI_Comm comm, int receives);

/* Arrays that Inkling may read until a request completes (kept.c). kept_drop: this request is over. */
void kept_add(struct scratch *scratch, MPI_Request request, int error);
void kept_drop_slow(MPI_Request request);
extern _Atomic int kept_count;
static inline void kept_drop(MPI_Request request)
{
    /* relaxed: who completes a request has its handle from the call that kept for it, so sees at least that call's count */
    if (__atomic_load_n((int *)&kept_count, __ATOMIC_RELAXED))
        kept_drop_slow(request);
}

/* Brings the program's copy of MPI_LASTUSEDCODE up to date, once it has one (attribute.c). */
void last_code_out(void);

/* Says once for each name that it is not supported. */
int unsupported(const char *name);
/* Ends the process: "inkling: TEXT". */
_Noreturn void foreign_fail(const char *text);

#endif
