#include "foreign/callback.h"

#include "entry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct slots operations, large_operations;
static pthread_mutex_t slots_lock =
    PTHREAD_MUTEX_INITIALIZER; /* guards the choice of a slot, and `cxx_operations` */

int slot_of(struct slots *slots, any_function *function, bool is_cxx)
{
    any_function *there = NULL;
    int slot;

    pthread_mutex_lock(&slots_lock);
    for (slot = 0; slot < FOREIGN_SLOTS; slot++) {
        there = atomic_load_explicit(&slots->at[slot], memory_order_relaxed);
        if (!there || (there == function && slots->is_cxx[slot] == is_cxx))
            break;
    }
    if (slot < FOREIGN_SLOTS && !there) {
        slots->is_cxx[slot] = is_cxx;
        atomic_store_explicit(&slots->at[slot], function, memory_order_release);
    }
    pthread_mutex_unlock(&slots_lock);
    return slot < FOREIGN_SLOTS ? slot : -1;
}

any_function *function_at(struct slots *slots, int slot)
{
    return atomic_load_explicit(&slots->at[slot], memory_order_acquire);
}

int no_slot(void)
{
    static const char text[] =
        "the program has more than 256 functions of one kind for MPI_Op_create or MPI_X_create_errhandler";
    int code = MPI_ERR_NO_MEM;

    if (real.Add_error_code(MPI_ERR_NO_MEM, &code) == MPI_SUCCESS)
        real.Add_error_string(code, text);
    return call_failed(real.Comm_call_errhandler(MPI_COMM_SELF, code) ? MPI_ERR_NO_MEM : code);
}

/* The C++ bindings. Their library is loaded after this one, and calls inkling_cxx_calls before the program does anything. */

static const struct cxx_calls *_Atomic cxx; /* written with release; read with acquire by cxx_calls */

void inkling_cxx_calls(const struct cxx_calls *calls)
{
    atomic_store_explicit(&cxx, calls, memory_order_release);
}

const struct cxx_calls *cxx_calls(void)
{
    return atomic_load_explicit(&cxx, memory_order_acquire);
}

/* Operations. */

/* An operation of the C++ bindings is made of cxx_calls()->operation, and then gets the program's function. So it has a slot of its own
 * until it is freed: the bindings have no procedure that calls it after it has returned. */
struct cxx_operation {
    MPI_Op op;                 /* NULL: none */
    cxx_function *function;    /* written before the operation is first called, and not while it is there */
    unsigned long freed_after; /* how many had been made; the slot that has rested longest is taken first */
};
static struct cxx_operation cxx_operations[FOREIGN_SLOTS]; /* by slot, guarded by slots_lock */

void call_operation(int slot, void *in, void *inout, int *length, MPI_Datatype *type)
{
    F_Datatype out = datatype_out(*type);

    if (operations.is_cxx[slot])
        cxx_calls()->operation(in, inout, length, &out, cxx_operations[slot].function);
    else
        ((F_User_function *)function_at(&operations, slot))(in, inout, length, &out);
}

/* One that was never used, or has rested longest; -1: there is none. Under slots_lock. */
static int cxx_slot_find(void)
{
    int found = -1;

    for (int slot = 0; slot < FOREIGN_SLOTS; slot++) {
        bool is_used = atomic_load_explicit(&operations.at[slot], memory_order_relaxed) != NULL;

        if (!is_used)
            return slot;
        if (operations.is_cxx[slot] && !cxx_operations[slot].op &&
            (found < 0 || cxx_operations[slot].freed_after < cxx_operations[found].freed_after))
            found = slot;
    }
    return found;
}

void call_large_operation(int slot, void *in, void *inout, MPI_Count *length, MPI_Datatype *type)
{
    F_Datatype out = datatype_out(*type);

    ((F_User_function_c *)function_at(&large_operations, slot))(in, inout, length, &out);
}

static int cxx_slot_take(void)
{
    int slot;

    pthread_mutex_lock(&slots_lock);
    slot = cxx_slot_find();
    if (slot >= 0) {
        operations.is_cxx[slot] = true;
        cxx_operations[slot].op = MPI_OP_NULL; /* until there is one */
        atomic_store_explicit(&operations.at[slot], (any_function *)cxx_calls()->operation,
                              memory_order_release); /* pairs with function_at */
    }
    pthread_mutex_unlock(&slots_lock);
    return slot;
}

static void cxx_slot_set(int slot, MPI_Op op)
{
    static unsigned long freed; /* guarded by slots_lock */

    pthread_mutex_lock(&slots_lock);
    cxx_operations[slot].op = op;
    if (!op)
        cxx_operations[slot].freed_after = ++freed;
    pthread_mutex_unlock(&slots_lock);
}

/* The slot of an operation of the C++ bindings; -1: it is none. */
static int cxx_slot_of(MPI_Op op)
{
    int slot = 0;

    pthread_mutex_lock(&slots_lock);
    while (slot < FOREIGN_SLOTS && cxx_operations[slot].op != op)
        slot++;
    pthread_mutex_unlock(&slots_lock);
    return slot < FOREIGN_SLOTS ? slot : -1;
}

void inkling_cxx_operation(F_Op op, cxx_function *function)
{
    int slot = cxx_slot_of(op_in(op));

    if (slot >= 0)
        cxx_operations[slot].function = function;
}

#ifdef FOREIGN_HAS_POINTERS
CXX_SHARED void ompi_op_set_cxx_callback(F_Op op, cxx_function *function)
    __attribute__((alias("inkling_cxx_operation")));
#endif

void operation_freed(MPI_Op op)
{
    int slot = op && cxx_calls() ? cxx_slot_of(op) : -1;

    if (slot >= 0)
        cxx_slot_set(slot, NULL);
}

int foreign_Op_create(F_User_function *user_fn, int commute, F_Op *op)
{
    bool is_cxx = cxx_calls() && (any_function *)user_fn == (any_function *)cxx_calls()->operation;
    MPI_Op made = NULL;
    int slot = 0, error;

    if (user_fn)
        slot = is_cxx ? cxx_slot_take() : slot_of(&operations, (any_function *)user_fn, false);
    if (slot < 0)
        return no_slot();
    error = real.Op_create(user_fn ? operation_slots[slot] : NULL, commute, op ? &made : NULL);
    if (is_cxx)
        cxx_slot_set(slot, made);
    if (made)
        *op = op_out(made);
    return call_ended(error);
}

int foreign_Op_create_c(F_User_function_c *user_fn, int commute, F_Op *op)
{
    MPI_Op made = NULL;
    int slot = user_fn ? slot_of(&large_operations, (any_function *)user_fn, false) : 0, error;

    if (slot < 0)
        return no_slot();
    error = real.Op_create_c(user_fn ? large_operation_slots[slot] : NULL, commute, op ? &made : NULL);
    if (made)
        *op = op_out(made);
    return call_ended(error);
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
    return call_ended(error);
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
    return call_ended(error);
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
    return call_ended(error);
}
