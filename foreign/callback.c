#include "foreign/callback.h"

#include "entry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef void any_function(void);

/* The functions that have slots. A slot is written once, before the function that goes with it is handed on. */
struct slots {
    any_function *_Atomic
        at[FOREIGN_SLOTS]; /* written with release under the lock; read with acquire by the slot's function */
};
static struct slots operations, large_operations, comm_handlers, file_handlers, win_handlers,
    session_handlers;
static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the choice of a slot */

/* The function's slot; -1: all are taken. */
static int slot_of(struct slots *slots, any_function *function)
{
    any_function *there = NULL;
    int slot;

    pthread_mutex_lock(&slots_lock);
    for (slot = 0; slot < FOREIGN_SLOTS; slot++) {
        there = atomic_load_explicit(&slots->at[slot], memory_order_relaxed);
        if (!there || there == function)
            break;
    }
    if (slot < FOREIGN_SLOTS && !there)
        atomic_store_explicit(&slots->at[slot], function, memory_order_release);
    pthread_mutex_unlock(&slots_lock);
    return slot < FOREIGN_SLOTS ? slot : -1;
}

static any_function *function_at(struct slots *slots, int slot)
{
    return atomic_load_explicit(&slots->at[slot], memory_order_acquire);
}

static int no_slot(void)
{
    static const char text[] =
        "the program has more than 256 functions of one kind for MPI_Op_create or MPI_X_create_errhandler";
    int code = MPI_ERR_NO_MEM;

    if (real.Add_error_code(MPI_ERR_NO_MEM, &code) == MPI_SUCCESS)
        real.Add_error_string(code, text);
    return error_out(real.Comm_call_errhandler(MPI_COMM_SELF, code) ? MPI_ERR_NO_MEM : code);
}

/* Operations. */

void call_operation(int slot, void *in, void *inout, int *length, MPI_Datatype *type)
{
    F_Datatype out = datatype_out(*type);

    ((F_User_function *)function_at(&operations, slot))(in, inout, length, &out);
}

void call_large_operation(int slot, void *in, void *inout, MPI_Count *length, MPI_Datatype *type)
{
    F_Datatype out = datatype_out(*type);

    ((F_User_function_c *)function_at(&large_operations, slot))(in, inout, length, &out);
}

int foreign_Op_create(F_User_function *user_fn, int commute, F_Op *op)
{
    MPI_Op made = NULL;
    int slot = user_fn ? slot_of(&operations, (any_function *)user_fn) : 0, error;

    if (slot < 0)
        return no_slot();
    error = real.Op_create(user_fn ? operation_slots[slot] : NULL, commute, op ? &made : NULL);
    if (made)
        *op = op_out(made);
    return error_out(error);
}

int foreign_Op_create_c(F_User_function_c *user_fn, int commute, F_Op *op)
{
    MPI_Op made = NULL;
    int slot = user_fn ? slot_of(&large_operations, (any_function *)user_fn) : 0, error;

    if (slot < 0)
        return no_slot();
    error = real.Op_create_c(user_fn ? large_operation_slots[slot] : NULL, commute, op ? &made : NULL);
    if (made)
        *op = op_out(made);
    return error_out(error);
}

/* Error handlers. */

void call_comm_handler(int slot, MPI_Comm *comm, int *code)
{
    F_Comm out = comm_out(*comm);
    int error = error_out(*code);

    ((F_Comm_errhandler_function *)function_at(&comm_handlers, slot))(&out, &error, NULL);
}

void call_file_handler(int slot, MPI_File *file, int *code)
{
    F_File out = file_out(*file);
    int error = error_out(*code);

    ((F_File_errhandler_function *)function_at(&file_handlers, slot))(&out, &error, NULL);
}

void call_win_handler(int slot, MPI_Win *win, int *code)
{
    F_Win out = win_out(*win);
    int error = error_out(*code);

    ((F_Win_errhandler_function *)function_at(&win_handlers, slot))(&out, &error, NULL);
}

void call_session_handler(int slot, MPI_Session *session, int *code)
{
    F_Session out = session_out(*session);
    int error = error_out(*code);

    ((F_Session_errhandler_function *)function_at(&session_handlers, slot))(&out, &error, NULL);
}

static int handler_made(int error, MPI_Errhandler made, F_Errhandler *errhandler)
{
    if (made)
        *errhandler = errhandler_out(made);
    return error_out(error);
}

int foreign_Comm_create_errhandler(F_Comm_errhandler_function *function, F_Errhandler *errhandler)
{
    MPI_Errhandler made = NULL;
    int slot = function ? slot_of(&comm_handlers, (any_function *)function) : 0, error;

    if (slot < 0)
        return no_slot();
    error =
        real.Comm_create_errhandler(function ? comm_handler_slots[slot] : NULL, errhandler ? &made : NULL);
    return handler_made(error, made, errhandler);
}

int foreign_File_create_errhandler(F_File_errhandler_function *function, F_Errhandler *errhandler)
{
    MPI_Errhandler made = NULL;
    int slot = function ? slot_of(&file_handlers, (any_function *)function) : 0, error;

    if (slot < 0)
        return no_slot();
    error =
        real.File_create_errhandler(function ? file_handler_slots[slot] : NULL, errhandler ? &made : NULL);
    return handler_made(error, made, errhandler);
}

int foreign_Win_create_errhandler(F_Win_errhandler_function *function, F_Errhandler *errhandler)
{
    MPI_Errhandler made = NULL;
    int slot = function ? slot_of(&win_handlers, (any_function *)function) : 0, error;

    if (slot < 0)
        return no_slot();
    error = real.Win_create_errhandler(function ? win_handler_slots[slot] : NULL, errhandler ? &made : NULL);
    return handler_made(error, made, errhandler);
}

int foreign_Session_create_errhandler(F_Session_errhandler_function *function, F_Errhandler *errhandler)
{
    MPI_Errhandler made = NULL;
    int slot = function ? slot_of(&session_handlers, (any_function *)function) : 0, error;

    if (slot < 0)
        return no_slot();
    error = real.Session_create_errhandler(function ? session_handler_slots[slot] : NULL,
                                           errhandler ? &made : NULL);
    return handler_made(error, made, errhandler);
}

/* Generalized requests. */

struct grequest {
    F_Grequest_query_function *query;
    F_Grequest_free_function *free;
    F_Grequest_cancel_function *cancel;
    void *extra_state;
};

static int grequest_query(void *state, MPI_Status *status)
{
    struct grequest *grequest = state;
    F_Status out;
    int error;

    memset(&out, 0, sizeof out);
    status_out(status, &out);
    error = grequest->query(grequest->extra_state, &out);
    status_in(&out, status);
    return error_in(error);
}

static int grequest_free(void *state)
{
    struct grequest *grequest = state;
    int error = grequest->free ? grequest->free(grequest->extra_state) : 0;

    free(grequest);
    return error_in(error);
}

static int grequest_cancel(void *state, int complete)
{
    struct grequest *grequest = state;

    return grequest->cancel ? error_in(grequest->cancel(grequest->extra_state, complete)) : MPI_SUCCESS;
}

int foreign_Grequest_start(F_Grequest_query_function *query_fn, F_Grequest_free_function *free_fn,
                           F_Grequest_cancel_function *cancel_fn, void *extra_state, F_Request *request,
                           const void *caller)
{
    struct grequest *grequest = malloc(sizeof *grequest);
    MPI_Request made = NULL;
    int error;

    if (!grequest)
        foreign_fail("no memory for a generalized request");
    *grequest = (struct grequest){query_fn, free_fn, cancel_fn, extra_state};
    error = real.Grequest_start(query_fn ? grequest_query : NULL, grequest_free, grequest_cancel, grequest,
                                request ? &made : NULL);
    if (made) {
        request_mark(made, caller);
        *request = grequest_out(made);
    } else {
        free(grequest);
    }
    return error_out(error);
}

/* Data representations, which are never freed. */

struct datarep {
    F_Datarep_conversion_function *read, *write;
    F_Datarep_conversion_function_c *read_large, *write_large;
    F_Datarep_extent_function *extent;
    void *extra_state;
};

static int datarep_read(void *userbuf, MPI_Datatype type, int count, void *filebuf, MPI_Offset position,
                        void *state)
{
    struct datarep *datarep = state;

    return error_in(
        datarep->read(userbuf, datatype_out(type), count, filebuf, position, datarep->extra_state));
}

static int datarep_write(void *userbuf, MPI_Datatype type, int count, void *filebuf, MPI_Offset position,
                         void *state)
{
    struct datarep *datarep = state;

    return error_in(
        datarep->write(userbuf, datatype_out(type), count, filebuf, position, datarep->extra_state));
}

static int datarep_read_large(void *userbuf, MPI_Datatype type, MPI_Count count, void *filebuf,
                              MPI_Offset position, void *state)
{
    struct datarep *datarep = state;

    return error_in(
        datarep->read_large(userbuf, datatype_out(type), count, filebuf, position, datarep->extra_state));
}

static int datarep_write_large(void *userbuf, MPI_Datatype type, MPI_Count count, void *filebuf,
                               MPI_Offset position, void *state)
{
    struct datarep *datarep = state;

    return error_in(
        datarep->write_large(userbuf, datatype_out(type), count, filebuf, position, datarep->extra_state));
}

static int datarep_extent(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    struct datarep *datarep = state;

    return error_in(datarep->extent(datatype_out(type), extent, datarep->extra_state));
}

static struct datarep *datarep_new(const struct datarep *from)
{
    struct datarep *datarep = malloc(sizeof *datarep);

    if (!datarep)
        foreign_fail("no memory for a data representation");
    *datarep = *from;
    return datarep;
}

int foreign_Register_datarep(const char *name, F_Datarep_conversion_function *read,
                             F_Datarep_conversion_function *write, F_Datarep_extent_function *extent,
                             void *extra_state)
{
    struct datarep *datarep = datarep_new(
        &(struct datarep){.read = read, .write = write, .extent = extent, .extra_state = extra_state});
    int error = real.Register_datarep(name, read ? datarep_read : MPI_CONVERSION_FN_NULL,
                                      write ? datarep_write : MPI_CONVERSION_FN_NULL,
                                      extent ? datarep_extent : NULL, datarep);

    if (error)
        free(datarep);
    return error_out(error);
}

int foreign_Register_datarep_c(const char *name, F_Datarep_conversion_function_c *read,
                               F_Datarep_conversion_function_c *write, F_Datarep_extent_function *extent,
                               void *extra_state)
{
    struct datarep *datarep = datarep_new(&(struct datarep){
        .read_large = read, .write_large = write, .extent = extent, .extra_state = extra_state});
    int error = real.Register_datarep_c(name, read ? datarep_read_large : MPI_CONVERSION_FN_NULL_C,
                                        write ? datarep_write_large : MPI_CONVERSION_FN_NULL_C,
                                        extent ? datarep_extent : NULL, datarep);

    if (error)
        free(datarep);
    return error_out(error);
}
