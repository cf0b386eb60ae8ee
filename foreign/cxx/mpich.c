/* The functions of MPICH's C++ bindings that are not in its headers, as far as they are more than gen/cxx_binding.py makes. By the names that
 * g++ gives them. What headers have of the bindings looks at what a procedure returns, and calls Call_errhandler here for an error. */
#include "foreign/cxx/objects.h"

#include <stddef.h>
#include <stdint.h>

extern const void *const exception_table[] __asm__("_ZTVN3MPI9ExceptionE");

EXPORTED void init(void) __asm__("_ZN3MPI4InitEv");
void init(void)
{
    MPI_Init(NULL, NULL);
}

EXPORTED int init_thread(int required) __asm__("_ZN3MPI11Init_threadEi");
int init_thread(int required)
{
    int provided = required;

    MPI_Init_thread(NULL, NULL, required, &provided);
    return provided;
}

/* MPI::MPIR_CXX_InitDatatypeNames(): there is nothing to prepare. */
EXPORTED void prepare(void) __asm__("_ZN3MPI26MPIR_CXX_InitDatatypeNamesEv");
void prepare(void)
{
}

extern const void *const nullcomm_table[] __asm__("_ZTVN3MPI8NullcommE");
EXPORTED struct cxx_Comm *clone_null(const struct cxx_Comm *comm) __asm__("_ZNK3MPI8Nullcomm5CloneEv");
struct cxx_Comm *clone_null(const struct cxx_Comm *comm)
{
    struct cxx_Comm *copy = cxx_new(sizeof *copy);

    *copy = (struct cxx_Comm){nullcomm_table + 2, comm->handle};
    return copy;
}

EXPORTED void *alloc_mem(MPI_Aint size,
                         const struct cxx_Info *info) __asm__("_ZN3MPI9Alloc_memElRKNS_4InfoE");
void *alloc_mem(MPI_Aint size, const struct cxx_Info *info)
{
    void *memory = NULL;
    int error = MPI_Alloc_mem(size, info->handle, &memory);

    if (error)
        cxx_failed(error);
    return memory;
}

EXPORTED void pcontrol(int level, ...) __asm__("_ZN3MPI8PcontrolEiz");
void pcontrol(int level, ...)
{
    MPI_Pcontrol(level);
}

/* Errors. */

struct exception {
    const void *functions;
    int code;
    char string[MPI_MAX_ERROR_STRING];
};
_Static_assert(sizeof(struct exception) == 528, "the headers' own");

static void end_exception(void *exception)
{
    (void)exception;
}

/* For MPI::ERRORS_THROW_EXCEPTIONS C procedures only return. Any other handler is given back. */
static void throw_or_free(MPI_Errhandler handler, int code)
{
    extern const struct cxx_Errhandler throwing __asm__("_ZN3MPI23ERRORS_THROW_EXCEPTIONSE");
    struct exception exception = {exception_table + 2, code, ""};
    int length;

    if (handler != throwing.handle) {
        MPI_Errhandler_free(&handler);
        return;
    }
    MPI_Error_string(code, exception.string, &length);
    cxx_throw(&exception, sizeof exception, end_exception);
}

EXPORTED void call_comm_handler(const struct cxx_Comm *comm,
                                int code) __asm__("_ZNK3MPI4Comm15Call_errhandlerEi");
void call_comm_handler(const struct cxx_Comm *comm, int code)
{
    MPI_Errhandler handler;

    if (inkling_cxx_was_handled(CXX_COMM, (uint64_t)(uintptr_t)comm->handle, code))
        return;
    if (MPI_Comm_get_errhandler(comm->handle, &handler))
        return;
    throw_or_free(handler, code);
    MPI_Comm_call_errhandler(comm->handle, code);
}

EXPORTED void call_win_handler(const struct cxx_Win *win,
                               int code) __asm__("_ZNK3MPI3Win15Call_errhandlerEi");
void call_win_handler(const struct cxx_Win *win, int code)
{
    MPI_Errhandler handler;

    if (inkling_cxx_was_handled(CXX_WIN, (uint64_t)(uintptr_t)win->handle, code))
        return;
    if (MPI_Win_get_errhandler(win->handle, &handler))
        return;
    throw_or_free(handler, code);
    MPI_Win_call_errhandler(win->handle, code);
}

EXPORTED void call_file_handler(const struct cxx_File *file,
                                int code) __asm__("_ZNK3MPI4File15Call_errhandlerEi");
void call_file_handler(const struct cxx_File *file, int code)
{
    MPI_Errhandler handler;

    if (inkling_cxx_was_handled(CXX_FILE, (uint64_t)(uintptr_t)file->handle, code))
        return;
    if (MPI_File_get_errhandler(file->handle, &handler))
        return;
    throw_or_free(handler, code);
    MPI_File_call_errhandler(file->handle, code);
}

EXPORTED void call_world_handler(int code) __asm__("_ZN3MPI23MPIR_Call_world_errhandEi");
void call_world_handler(int code)
{
    call_comm_handler(&(struct cxx_Comm){intracomm_table + 2, MPI_COMM_WORLD}, code);
}

void cxx_failed_on_comm(const struct cxx_Comm *comm, int error)
{
    call_comm_handler(comm, error);
}

void cxx_failed_on_win(const struct cxx_Win *win, int error)
{
    call_win_handler(win, error);
}

void cxx_failed_on_file(const struct cxx_File *file, int error)
{
    call_file_handler(file, error);
}

void cxx_failed(int error)
{
    call_world_handler(error);
}

/* Reductions. */

static const struct cxx_calls calls = {cxx_operation, cxx_handler, NULL};

static __attribute__((constructor)) void say_calls(void)
{
    inkling_cxx_calls(&calls);
}

EXPORTED void op_init(struct cxx_Op *op, cxx_function *function,
                      bool is_commutative) __asm__("_ZN3MPI2Op4InitEPFvPKvPviRKNS_8DatatypeEEb");
void op_init(struct cxx_Op *op, cxx_function *function, bool is_commutative)
{
    int error =
        MPI_Op_create((MPI_User_function *)(cxx_function *)cxx_operation, is_commutative, &op->handle);

    if (error)
        cxx_failed(error);
    else
        inkling_cxx_operation(op->handle, function);
}

/* Attributes. Functions that copy nothing and delete nothing are the same for each class. */

EXPORTED int
comm_keyval(cxx_function *copy, cxx_function *delete,
            void *extra_state) __asm__("_ZN3MPI4Comm13Create_keyvalEPFiRKS0_iPvS3_S3_RbEPFiRS0_iS3_S3_ES3_");
int comm_keyval(cxx_function *copy, cxx_function *delete, void *extra_state)
{
    int keyval = MPI_KEYVAL_INVALID,
        error = cxx_comm_keyval(&(struct cxx_keyval){copy, delete, NULL, NULL, extra_state}, &keyval);

    if (error)
        cxx_failed(error);
    return keyval;
}

EXPORTED int type_keyval(cxx_function *copy, cxx_function *delete, void *extra_state) __asm__(
    "_ZN3MPI8Datatype13Create_keyvalEPFiRKS0_iPvS3_S3_RbEPFiRS0_iS3_S3_ES3_");
int type_keyval(cxx_function *copy, cxx_function *delete, void *extra_state)
{
    int keyval = MPI_KEYVAL_INVALID,
        error = cxx_type_keyval(&(struct cxx_keyval){copy, delete, NULL, NULL, extra_state}, &keyval);

    if (error)
        cxx_failed(error);
    return keyval;
}

EXPORTED int
win_keyval(cxx_function *copy, cxx_function *delete,
           void *extra_state) __asm__("_ZN3MPI3Win13Create_keyvalEPFiRKS0_iPvS3_S3_RbEPFiRS0_iS3_S3_ES3_");
int win_keyval(cxx_function *copy, cxx_function *delete, void *extra_state)
{
    int keyval = MPI_KEYVAL_INVALID,
        error = cxx_win_keyval(&(struct cxx_keyval){copy, delete, NULL, NULL, extra_state}, &keyval);

    if (error)
        cxx_failed(error);
    return keyval;
}

#define NULL_COPY "12NULL_COPY_FNERKS0_iPvS3_S3_Rb"
EXPORTED int copy_none(const void *object, int keyval, void *extra_state, void *in, void *out,
                       bool *flag) __asm__("_ZN3MPI4Comm" NULL_COPY);
EXPORTED int copy_no_type(const void *object, int keyval, void *extra_state, void *in, void *out,
                          bool *flag) __asm__("_ZN3MPI8Datatype" NULL_COPY)
    __attribute__((alias("_ZN3MPI4Comm" NULL_COPY)));
EXPORTED int copy_no_win(const void *object, int keyval, void *extra_state, void *in, void *out,
                         bool *flag) __asm__("_ZN3MPI3Win" NULL_COPY)
    __attribute__((alias("_ZN3MPI4Comm" NULL_COPY)));
int copy_none(const void *object, int keyval, void *extra_state, void *in, void *out, bool *flag)
{
    (void)object, (void)keyval, (void)extra_state, (void)in, (void)out;
    *flag = false;
    return MPI_SUCCESS;
}

#define NULL_DELETE "14NULL_DELETE_FNERS0_iPvS2_"
EXPORTED int delete_none(void *object, int keyval, void *value,
                         void *extra_state) __asm__("_ZN3MPI4Comm" NULL_DELETE);
EXPORTED int delete_no_type(void *object, int keyval, void *value,
                            void *extra_state) __asm__("_ZN3MPI8Datatype" NULL_DELETE)
    __attribute__((alias("_ZN3MPI4Comm" NULL_DELETE)));
EXPORTED int delete_no_win(void *object, int keyval, void *value,
                           void *extra_state) __asm__("_ZN3MPI3Win" NULL_DELETE)
    __attribute__((alias("_ZN3MPI4Comm" NULL_DELETE)));
int delete_none(void *object, int keyval, void *value, void *extra_state)
{
    (void)object, (void)keyval, (void)value, (void)extra_state;
    return MPI_SUCCESS;
}

/* Data representations, with offsets of type long or long long. */

EXPORTED void datarep(
    const char *name, cxx_function *read, cxx_function *write, cxx_function *extent,
    void *
        extra_state) __asm__("_ZN3MPI16Register_datarepEPKcPFiPvRNS_8DatatypeEiS2_lS2_ES6_PFiRKS3_RlS2_ES2_");
EXPORTED void datarep_of_long_long(
    const char *name, cxx_function *read, cxx_function *write, cxx_function *extent,
    void
        *extra_state) __asm__("_ZN3MPI16Register_datarepEPKcPFiPvRNS_8DatatypeEiS2_xS2_ES6_PFiRKS3_RlS2_ES2_")
    __attribute__((alias("_ZN3MPI16Register_datarepEPKcPFiPvRNS_8DatatypeEiS2_lS2_ES6_PFiRKS3_RlS2_ES2_")));
void datarep(const char *name, cxx_function *read, cxx_function *write, cxx_function *extent,
             void *extra_state)
{
    int error = cxx_datarep(name, &(struct cxx_datarep){read, write, extent, extra_state, false});

    if (error)
        cxx_failed(error);
}

/* Requests of the program's. */

struct grequest {
    cxx_function *query, *free, *cancel;
    void *extra_state;
};

static int query(void *state, MPI_Status *status)
{
    const struct grequest *g = state;

    return cxx_query(g->query, g->extra_state, status);
}

static int give_up(void *state)
{
    const struct grequest *g = state;
    int error = ((int (*)(void *))g->free)(g->extra_state);

    cxx_delete(state);
    return error;
}

static int cancel(void *state, int complete)
{
    const struct grequest *g = state;

    return ((int (*)(void *, bool))g->cancel)(g->extra_state, complete != 0);
}

/* A method of an object in these headers, which it leaves alone. */
EXPORTED struct cxx_Request *
grequest_start(struct cxx_Request *out, const struct cxx_Request *self, cxx_function *query_function,
               cxx_function *free_function, cxx_function *cancel_function,
               void *extra_state) __asm__("_ZN3MPI8Grequest5StartEPFiPvRNS_6StatusEEPFiS1_EPFiS1_bES1_");
struct cxx_Request *grequest_start(struct cxx_Request *out, const struct cxx_Request *self,
                                   cxx_function *query_function, cxx_function *free_function,
                                   cxx_function *cancel_function, void *extra_state)
{
    struct grequest *g = cxx_new(sizeof *g);
    int error;

    (void)self;
    *g = (struct grequest){query_function, free_function, cancel_function, extra_state};
    *out = (struct cxx_Request){request_table + 2, MPI_REQUEST_NULL};
    error = MPI_Grequest_start(query, give_up, cancel, g, &out->handle);
    if (error)
        cxx_delete(g);
    if (error)
        cxx_failed(error);
    return out;
}
