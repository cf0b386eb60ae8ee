/* The functions of Open MPI's C++ bindings that are not in its headers, as far as they are more than gen/cxx_binding.py makes. By the names
 * that g++ gives them. The handlers of errors run in the C procedures: nobody looks at what these return. */
#include "foreign/cxx/objects.h"

#include <stddef.h>

extern const void *const comm_table[] __asm__("_ZTVN3MPI4CommE");

/* MPI::Comm::Comm(), of a whole object and of a part of one. */
EXPORTED void comm_make(struct cxx_Comm *comm) __asm__("_ZN3MPI4CommC2Ev");
EXPORTED void comm_make_whole(struct cxx_Comm *comm) __asm__("_ZN3MPI4CommC1Ev")
    __attribute__((alias("_ZN3MPI4CommC2Ev")));
void comm_make(struct cxx_Comm *comm)
{
    *comm = (struct cxx_Comm){comm_table + 2, MPI_COMM_NULL};
}

/* MPI::Comm::Comm(const MPI::Comm_Null &) */
EXPORTED void comm_copy(struct cxx_Comm *comm,
                        const struct cxx_Comm *from) __asm__("_ZN3MPI4CommC2ERKNS_9Comm_NullE");
EXPORTED void comm_copy_whole(struct cxx_Comm *comm,
                              const struct cxx_Comm *from) __asm__("_ZN3MPI4CommC1ERKNS_9Comm_NullE")
    __attribute__((alias("_ZN3MPI4CommC2ERKNS_9Comm_NullE")));
void comm_copy(struct cxx_Comm *comm, const struct cxx_Comm *from)
{
    *comm = (struct cxx_Comm){comm_table + 2, from->handle};
}

/* MPI::Intracomm::Intracomm(MPI_Comm) */
EXPORTED void intracomm_make(struct cxx_Comm *comm,
                             MPI_Comm handle) __asm__("_ZN3MPI9IntracommC2EP19ompi_communicator_t");
EXPORTED void intracomm_make_whole(struct cxx_Comm *comm,
                                   MPI_Comm handle) __asm__("_ZN3MPI9IntracommC1EP19ompi_communicator_t")
    __attribute__((alias("_ZN3MPI9IntracommC2EP19ompi_communicator_t")));
void intracomm_make(struct cxx_Comm *comm, MPI_Comm handle)
{
    *comm = (struct cxx_Comm){intracomm_table + 2, handle};
}

/* MPI::InitializeIntercepts(), which MPI::Init calls in the headers: there is nothing to prepare. */
EXPORTED void prepare(void) __asm__("_ZN3MPI20InitializeInterceptsEv");
void prepare(void)
{
}

void cxx_failed_on_comm(const struct cxx_Comm *comm, int error)
{
    (void)comm, (void)error;
}

void cxx_failed_on_win(const struct cxx_Win *win, int error)
{
    (void)win, (void)error;
}

void cxx_failed_on_file(const struct cxx_File *file, int error)
{
    (void)file, (void)error;
}

void cxx_failed(int error)
{
    (void)error;
}

/* Reductions: headers make an operation of this one, and say by ompi_op_set_cxx_callback what it is to call. */
EXPORTED void ompi_mpi_cxx_op_intercept(void *in, void *inout, int *length, void *type,
                                        cxx_function *function);
void ompi_mpi_cxx_op_intercept(void *in, void *inout, int *length, void *type, cxx_function *function)
{
    cxx_operation(in, inout, length, type, function);
}

/* Attributes. */

EXPORTED int comm_keyval(cxx_function *c_copy, cxx_function *c_delete, cxx_function *copy,
                         cxx_function *delete, void *extra_state,
                         int *keyval) __asm__("_ZN3MPI4Comm16do_create_keyvalEPFiP19ompi_communicator_tiPvS3_"
                                              "S3_PiEPFiS2_iS3_S3_EPFiRKS0_iS3_S3_S3_"
                                              "RbEPFiRS0_iS3_S3_ES3_Ri");
int comm_keyval(cxx_function *c_copy, cxx_function *c_delete, cxx_function *copy, cxx_function *delete,
                void *extra_state, int *keyval)
{
    return cxx_comm_keyval(&(struct cxx_keyval){copy, delete, c_copy, c_delete, extra_state}, keyval);
}

EXPORTED int type_keyval(cxx_function *c_copy, cxx_function *c_delete, cxx_function *copy,
                         cxx_function *delete, void *extra_state,
                         int *keyval) __asm__("_ZN3MPI8Datatype16do_create_keyvalEPFiP15ompi_datatype_tiPvS3_"
                                              "S3_PiEPFiS2_iS3_S3_EPFiRKS0_iS3_PKvS3_"
                                              "RbEPFiRS0_iS3_S3_ES3_Ri");
int type_keyval(cxx_function *c_copy, cxx_function *c_delete, cxx_function *copy, cxx_function *delete,
                void *extra_state, int *keyval)
{
    return cxx_type_keyval(&(struct cxx_keyval){copy, delete, c_copy, c_delete, extra_state}, keyval);
}

EXPORTED int win_keyval(cxx_function *c_copy, cxx_function *c_delete, cxx_function *copy,
                        cxx_function *delete, void *extra_state,
                        int *keyval) __asm__("_ZN3MPI3Win16do_create_keyvalEPFiP10ompi_win_tiPvS3_S3_"
                                             "PiEPFiS2_iS3_S3_EPFiRKS0_iS3_S3_S3_RbEPFiRS0_"
                                             "iS3_S3_ES3_Ri");
int win_keyval(cxx_function *c_copy, cxx_function *c_delete, cxx_function *copy, cxx_function *delete,
               void *extra_state, int *keyval)
{
    return cxx_win_keyval(&(struct cxx_keyval){copy, delete, c_copy, c_delete, extra_state}, keyval);
}

/* Data representations. A conversion function in C, of the last three, is MPI_CONVERSION_FN_NULL. */

EXPORTED void datarep(
    const char *name, cxx_function *read, cxx_function *write, cxx_function *extent,
    void *
        extra_state) __asm__("_ZN3MPI16Register_datarepEPKcPFvPvRNS_8DatatypeEiS2_xS2_ES6_PFvRKS3_RlS2_ES2_");
void datarep(const char *name, cxx_function *read, cxx_function *write, cxx_function *extent,
             void *extra_state)
{
    cxx_datarep(name, &(struct cxx_datarep){read, write, extent, extra_state, true});
}

EXPORTED void
datarep_that_reads(const char *name, cxx_function *read, cxx_function *none, cxx_function *extent,
                   void *extra_state) __asm__("_ZN3MPI16Register_datarepEPKcPFvPvRNS_8DatatypeEiS2_xS2_"
                                              "EPFiS2_P15ompi_datatype_tiS2_xS2_EPFvRKS3_RlS2_ES2_");
void datarep_that_reads(const char *name, cxx_function *read, cxx_function *none, cxx_function *extent,
                        void *extra_state)
{
    (void)none;
    cxx_datarep(name, &(struct cxx_datarep){read, NULL, extent, extra_state, true});
}

EXPORTED void
datarep_that_writes(const char *name, cxx_function *none, cxx_function *write, cxx_function *extent,
                    void *extra_state) __asm__("_ZN3MPI16Register_datarepEPKcPFiPvP15ompi_datatype_tiS2_xS2_"
                                               "EPFvS2_RNS_8DatatypeEiS2_xS2_EPFvRKS7_RlS2_ES2_");
void datarep_that_writes(const char *name, cxx_function *none, cxx_function *write, cxx_function *extent,
                         void *extra_state)
{
    (void)none;
    cxx_datarep(name, &(struct cxx_datarep){NULL, write, extent, extra_state, true});
}

EXPORTED void
datarep_of_extents(const char *name, cxx_function *none, cxx_function *no, cxx_function *extent,
                   void *extra_state) __asm__("_ZN3MPI16Register_datarepEPKcPFiPvP15ompi_datatype_tiS2_xS2_"
                                              "ES6_PFvRKNS_8DatatypeERlS2_ES2_");
void datarep_of_extents(const char *name, cxx_function *none, cxx_function *no, cxx_function *extent,
                        void *extra_state)
{
    (void)none, (void)no;
    cxx_datarep(name, &(struct cxx_datarep){NULL, NULL, extent, extra_state, true});
}

/* Requests of the program's: headers pass functions of this library, and as the state what the program has made for them. */
struct grequest {
    void *extra_state;
    cxx_function *query, *free, *cancel;
};

EXPORTED int ompi_mpi_cxx_grequest_query_fn_intercept(void *state, MPI_Status *status);
int ompi_mpi_cxx_grequest_query_fn_intercept(void *state, MPI_Status *status)
{
    const struct grequest *g = state;

    return cxx_query(g->query, g->extra_state, status);
}

EXPORTED int ompi_mpi_cxx_grequest_free_fn_intercept(void *state);
int ompi_mpi_cxx_grequest_free_fn_intercept(void *state)
{
    const struct grequest *g = state;
    int error = ((int (*)(void *))g->free)(g->extra_state);

    cxx_delete(state);
    return error;
}

EXPORTED int ompi_mpi_cxx_grequest_cancel_fn_intercept(void *state, int complete);
int ompi_mpi_cxx_grequest_cancel_fn_intercept(void *state, int complete)
{
    const struct grequest *g = state;

    return ((int (*)(void *, bool))g->cancel)(g->extra_state, complete != 0);
}

/* Exceptions. Debian's build throws none: it says so in a line. MPI::mpi_errno has the error's code in each case. */

extern void *operator_new_array(size_t size) __asm__("_Znam") __attribute__((weak));
extern void operator_delete_array(void *memory) __asm__("_ZdaPv") __attribute__((weak));
extern int mpi_errno __asm__("_ZN3MPI9mpi_errnoE");

EXPORTED extern const char exception_name[] __asm__("_ZTSN3MPI9ExceptionE");
const char exception_name[] __attribute__((weak)) = "N3MPI9ExceptionE";
extern const void *const class_table[] __asm__("_ZTVN10__cxxabiv117__class_type_infoE") __attribute__((weak));
EXPORTED extern const void *const exception_type[2] __asm__("_ZTIN3MPI9ExceptionE");
const void *const exception_type[2] __attribute__((weak)) = {&class_table[2], exception_name};

struct exception {
    int code;
    char *string; /* of operator new[] */
    int class;
};

static void end_exception(void *exception)
{
    if (operator_delete_array)
        operator_delete_array(((struct exception *)exception)->string);
}

static void raise_exception(int code)
{
    struct exception exception = {code, NULL, MPI_ERR_UNKNOWN};
    int length;

    mpi_errno = code;
    exception.string = operator_new_array ? operator_new_array(MPI_MAX_ERROR_STRING) : "";
    MPI_Error_class(code, &exception.class);
    if (operator_new_array)
        MPI_Error_string(code, exception.string, &length);
    cxx_throw(&exception, sizeof exception, end_exception);
}

static const struct cxx_calls calls = {ompi_mpi_cxx_op_intercept, cxx_handler, raise_exception};

static __attribute__((constructor)) void say_calls(void)
{
    inkling_cxx_calls(&calls);
}
