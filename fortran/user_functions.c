#include "user_functions.h"

#include "slots.h"
#include "visible.h"

#include <stdatomic.h>
#include <stdlib.h>

/* The Fortran functions of one kind. A slot is taken once, by the thread that stores the function first (acquire and release:
 * what the program has written before it passes a function is seen by who finds that in a slot), and stays. */
struct slots {
    _Atomic(fortran_function *) function[SLOTS];
};

static struct slots operations, large_operations, comm_handlers, file_handlers, win_handlers,
    session_handlers;

/* The slot of a function; -1 when all are taken by others. */
static int slot_of(struct slots *slots, fortran_function *function)
{
    for (int i = 0; i < SLOTS; i++) {
        fortran_function *there = NULL;

        if (atomic_compare_exchange_strong_explicit(&slots->function[i], &there, function,
                                                    memory_order_acq_rel, memory_order_acquire) ||
            there == function)
            return i;
    }
    return -1;
}

static int raise_no_slot(void)
{
    return fortran_raise(MPI_ERR_NO_MEM,
                         "a Fortran program passes more than 256 distinct user functions of one kind");
}

static fortran_function *slot_function(struct slots *slots, int slot)
{
    return atomic_load_explicit(&slots->function[slot], memory_order_acquire);
}

void call_operation(int slot, void *in, void *inout, int *length, MPI_Datatype *type)
{
    void (*function)(void *, void *, int *, int *) =
        (void (*)(void *, void *, int *, int *))slot_function(&operations, slot);
    int handle = PMPI_Type_toint(*type);

    function(in, inout, length, &handle);
}

void call_large_operation(int slot, void *in, void *inout, MPI_Count *length, MPI_Datatype *type)
{
    void (*function)(void *, void *, MPI_Count *, int *) =
        (void (*)(void *, void *, MPI_Count *, int *))slot_function(&large_operations, slot);
    int handle = PMPI_Type_toint(*type);

    function(in, inout, length, &handle);
}

/* An error handler gets the handle and the code, and may change neither. */
static void call_handler(struct slots *slots, int slot, int handle, int *code)
{
    void (*function)(int *, int *) = (void (*)(int *, int *))slot_function(slots, slot);

    function(&handle, code);
}

void call_comm_handler(int slot, MPI_Comm *comm, int *code)
{
    call_handler(&comm_handlers, slot, PMPI_Comm_toint(*comm), code);
}

void call_file_handler(int slot, MPI_File *file, int *code)
{
    call_handler(&file_handlers, slot, PMPI_File_toint(*file), code);
}

void call_win_handler(int slot, MPI_Win *win, int *code)
{
    call_handler(&win_handlers, slot, PMPI_Win_toint(*win), code);
}

void call_session_handler(int slot, MPI_Session *session, int *code)
{
    call_handler(&session_handlers, slot, PMPI_Session_toint(*session), code);
}

int fortran_op_create(fortran_function *function, const int *commute, int *op)
{
    int slot = slot_of(&operations, function), error;
    MPI_Op made;

    if (slot < 0)
        return raise_no_slot();
    error = MPI_Op_create(operation_slots[slot], logical_in(*commute), &made);
    if (!error)
        *op = PMPI_Op_toint(made);
    return error;
}

int fortran_op_create_large(fortran_function *function, const int *commute, int *op)
{
    int slot = slot_of(&large_operations, function), error;
    MPI_Op made;

    if (slot < 0)
        return raise_no_slot();
    error = MPI_Op_create_c(large_operation_slots[slot], logical_in(*commute), &made);
    if (!error)
        *op = PMPI_Op_toint(made);
    return error;
}

static int handler_out(int error, const MPI_Errhandler *made, int *errhandler)
{
    if (!error)
        *errhandler = PMPI_Errhandler_toint(*made);
    return error;
}

int fortran_comm_create_errhandler(fortran_function *function, int *errhandler)
{
    int slot = slot_of(&comm_handlers, function);
    MPI_Errhandler made = MPI_ERRHANDLER_NULL;

    if (slot < 0)
        return raise_no_slot();
    return handler_out(MPI_Comm_create_errhandler(comm_handler_slots[slot], &made), &made, errhandler);
}

int fortran_file_create_errhandler(fortran_function *function, int *errhandler)
{
    int slot = slot_of(&file_handlers, function);
    MPI_Errhandler made = MPI_ERRHANDLER_NULL;

    if (slot < 0)
        return raise_no_slot();
    return handler_out(MPI_File_create_errhandler(file_handler_slots[slot], &made), &made, errhandler);
}

int fortran_win_create_errhandler(fortran_function *function, int *errhandler)
{
    int slot = slot_of(&win_handlers, function);
    MPI_Errhandler made = MPI_ERRHANDLER_NULL;

    if (slot < 0)
        return raise_no_slot();
    return handler_out(MPI_Win_create_errhandler(win_handler_slots[slot], &made), &made, errhandler);
}

int fortran_session_create_errhandler(fortran_function *function, int *errhandler)
{
    int slot = slot_of(&session_handlers, function);
    MPI_Errhandler made = MPI_ERRHANDLER_NULL;

    if (slot < 0)
        return raise_no_slot();
    return handler_out(MPI_Session_create_errhandler(session_handler_slots[slot], &made), &made, errhandler);
}

struct extra_state extra_state_of(const MPI_Aint *variable)
{
    return (struct extra_state){.value = *variable, .variable = (void *)(intptr_t)variable};
}

struct extra_state extra_state_of_default(const int *variable)
{
    return (struct extra_state){
        .value = *variable, .variable = (void *)(intptr_t)variable, .is_default_integer = true};
}

/* A variable that no function changes is never written: it may be a constant. */
void extra_state_put(struct extra_state *state, MPI_Aint value)
{
    if (value == state->value)
        return;
    state->value = value;
    if (state->is_default_integer)
        *(int *)state->variable = (int)value;
    else
        *(MPI_Aint *)state->variable = value;
}

/* A generalized request's functions. Freed behind its free function, which C calls last. */
struct grequest_functions {
    void (*query)(MPI_Aint *state, MPI_Status *status, int *error);
    void (*free)(MPI_Aint *state, int *error);
    void (*cancel)(MPI_Aint *state, int *complete, int *error);
    struct extra_state state;
};

static int grequest_query(void *extra_state, MPI_Status *status)
{
    struct grequest_functions *functions = extra_state;
    MPI_Aint state = functions->state.value;
    int error = MPI_SUCCESS;

    functions->query(&state, status, &error);
    extra_state_put(&functions->state, state);
    return error;
}

static int grequest_free(void *extra_state)
{
    struct grequest_functions *functions = extra_state;
    MPI_Aint state = functions->state.value;
    int error = MPI_SUCCESS;

    functions->free(&state, &error);
    extra_state_put(&functions->state, state);
    free(functions);
    return error;
}

static int grequest_cancel(void *extra_state, int complete)
{
    struct grequest_functions *functions = extra_state;
    MPI_Aint state = functions->state.value;
    int error = MPI_SUCCESS, logical = logical_out(complete);

    functions->cancel(&state, &logical, &error);
    extra_state_put(&functions->state, state);
    return error;
}

int fortran_grequest_start(fortran_function *query, fortran_function *free_function, fortran_function *cancel,
                           const MPI_Aint *state, int *request, const void *caller)
{
    struct grequest_functions *functions = malloc(sizeof *functions);
    MPI_Request made;
    int error;

    if (!functions)
        return fortran_raise(MPI_ERR_NO_MEM, "no memory for the functions of a generalized request");
    functions->query = (void (*)(MPI_Aint *, MPI_Status *, int *))query;
    functions->free = (void (*)(MPI_Aint *, int *))free_function;
    functions->cancel = (void (*)(MPI_Aint *, int *, int *))cancel;
    functions->state = extra_state_of(state);
    error = MPI_Grequest_start(grequest_query, grequest_free, grequest_cancel, functions, &made);
    if (error)
        free(functions);
    else
        *request = request_posted(made, caller);
    return error;
}

/* A data representation's functions. A representation is never taken back, so these stay as well, in a list. */
struct datarep_functions {
    fortran_function *read, *write, *extent;
    struct extra_state state;
    struct datarep_functions *next;
};

static _Atomic(struct datarep_functions *)
    datarep_list; /* new ones come first: compare and exchange, release */

static int datarep_extent(MPI_Datatype type, MPI_Aint *extent, void *extra_state)
{
    struct datarep_functions *functions = extra_state;
    void (*function)(int *, MPI_Aint *, MPI_Aint *, int *) =
        (void (*)(int *, MPI_Aint *, MPI_Aint *, int *))functions->extent;
    MPI_Aint state = functions->state.value;
    int handle = PMPI_Type_toint(type), error = MPI_SUCCESS;

    function(&handle, extent, &state, &error);
    extra_state_put(&functions->state, state);
    return error;
}

static int convert(struct datarep_functions *functions, fortran_function *conversion, void *user,
                   MPI_Datatype type, int count, void *file, MPI_Offset position)
{
    void (*function)(void *, int *, int *, void *, MPI_Offset *, MPI_Aint *, int *) =
        (void (*)(void *, int *, int *, void *, MPI_Offset *, MPI_Aint *, int *))conversion;
    MPI_Aint state = functions->state.value;
    int handle = PMPI_Type_toint(type), error = MPI_SUCCESS;

    function(user, &handle, &count, file, &position, &state, &error);
    extra_state_put(&functions->state, state);
    return error;
}

static int convert_large(struct datarep_functions *functions, fortran_function *conversion, void *user,
                         MPI_Datatype type, MPI_Count count, void *file, MPI_Offset position)
{
    void (*function)(void *, int *, MPI_Count *, void *, MPI_Offset *, MPI_Aint *, int *) =
        (void (*)(void *, int *, MPI_Count *, void *, MPI_Offset *, MPI_Aint *, int *))conversion;
    MPI_Aint state = functions->state.value;
    int handle = PMPI_Type_toint(type), error = MPI_SUCCESS;

    function(user, &handle, &count, file, &position, &state, &error);
    extra_state_put(&functions->state, state);
    return error;
}

static int datarep_read(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position,
                        void *state)
{
    return convert(state, ((struct datarep_functions *)state)->read, user, type, count, file, position);
}

static int datarep_write(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position,
                         void *state)
{
    return convert(state, ((struct datarep_functions *)state)->write, user, type, count, file, position);
}

static int datarep_read_large(void *user, MPI_Datatype type, MPI_Count count, void *file, MPI_Offset position,
                              void *state)
{
    return convert_large(state, ((struct datarep_functions *)state)->read, user, type, count, file, position);
}

static int datarep_write_large(void *user, MPI_Datatype type, MPI_Count count, void *file,
                               MPI_Offset position, void *state)
{
    return convert_large(state, ((struct datarep_functions *)state)->write, user, type, count, file,
                         position);
}

/* The predefined function that converts nothing. A program passes it, and C its own; none calls it. */
EXPORTED void mpi_conversion_fn_null_(void);
EXPORTED void mpi_conversion_fn_null_c_(void);

void mpi_conversion_fn_null_(void)
{
}

void mpi_conversion_fn_null_c_(void)
{
}

static struct datarep_functions *datarep_functions_new(fortran_function *read, fortran_function *write,
                                                       fortran_function *extent, const MPI_Aint *state)
{
    struct datarep_functions *functions = malloc(sizeof *functions);

    if (!functions)
        return NULL;
    *functions = (struct datarep_functions){
        .read = read, .write = write, .extent = extent, .state = extra_state_of(state)};
    functions->next = atomic_load_explicit(&datarep_list, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&datarep_list, &functions->next, functions,
                                                  memory_order_release, memory_order_relaxed))
        ;
    return functions;
}

int fortran_register_datarep(const char *name, fortran_function *read, fortran_function *write,
                             fortran_function *extent, const MPI_Aint *state, size_t name_length)
{
    struct datarep_functions *functions = datarep_functions_new(read, write, extent, state);
    struct scratch scratch;
    char *name_in;
    int error;

    scratch_start(&scratch);
    name_in = text_in(&scratch, name, name_length);
    if (!functions || !name_in)
        return scratch_fail(&scratch);
    error = MPI_Register_datarep(
        name_in, read == mpi_conversion_fn_null_ ? MPI_CONVERSION_FN_NULL : datarep_read,
        write == mpi_conversion_fn_null_ ? MPI_CONVERSION_FN_NULL : datarep_write, datarep_extent, functions);
    scratch_free(&scratch);
    return error;
}

int fortran_register_datarep_large(const char *name, fortran_function *read, fortran_function *write,
                                   fortran_function *extent, const MPI_Aint *state, size_t name_length)
{
    struct datarep_functions *functions = datarep_functions_new(read, write, extent, state);
    struct scratch scratch;
    char *name_in;
    int error;

    scratch_start(&scratch);
    name_in = text_in(&scratch, name, name_length);
    if (!functions || !name_in)
        return scratch_fail(&scratch);
    error = MPI_Register_datarep_c(
        name_in, read == mpi_conversion_fn_null_c_ ? MPI_CONVERSION_FN_NULL_C : datarep_read_large,
        write == mpi_conversion_fn_null_c_ ? MPI_CONVERSION_FN_NULL_C : datarep_write_large, datarep_extent,
        functions);
    scratch_free(&scratch);
    return error;
}
