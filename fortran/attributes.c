#include "attributes.h"

#include "visible.h"

#include <pthread.h>
#include <stdlib.h>

/* Cells come in chunks, which stay, so that a pointer is known for a cell by where it points. */
enum {
    CHUNK = 256
};

struct cell {
    MPI_Aint value;
    struct cell *next; /* in free_cells */
};

struct chunk {
    struct chunk *next;
    struct cell cell[CHUNK];
};

static pthread_mutex_t cells_lock = PTHREAD_MUTEX_INITIALIZER; /* for these two and the lists behind them */
static struct chunk *chunks;
static struct cell *free_cells;

static void add_chunk(void)
{
    struct chunk *chunk = malloc(sizeof *chunk);

    if (!chunk)
        return;
    chunk->next = chunks;
    chunks = chunk;
    for (int i = 0; i < CHUNK; i++) {
        chunk->cell[i].next = free_cells;
        free_cells = &chunk->cell[i];
    }
}

/* NULL if there is no memory. */
static struct cell *cell_new(MPI_Aint value)
{
    struct cell *cell;

    pthread_mutex_lock(&cells_lock);
    if (!free_cells)
        add_chunk();
    cell = free_cells;
    if (cell) {
        free_cells = cell->next;
        cell->value = value;
    }
    pthread_mutex_unlock(&cells_lock);
    return cell;
}

static void cell_free(struct cell *cell)
{
    pthread_mutex_lock(&cells_lock);
    cell->next = free_cells;
    free_cells = cell;
    pthread_mutex_unlock(&cells_lock);
}

static bool is_cell(const void *pointer)
{
    bool found = false;

    pthread_mutex_lock(&cells_lock);
    for (struct chunk *chunk = chunks; chunk && !found; chunk = chunk->next)
        found = (uintptr_t)pointer - (uintptr_t)chunk->cell < sizeof chunk->cell;
    pthread_mutex_unlock(&cells_lock);
    return found;
}

/* The integer that an attribute is in Fortran. */
static MPI_Aint attribute_value(void *attribute)
{
    return is_cell(attribute) ? ((struct cell *)attribute)->value : (MPI_Aint)(intptr_t)attribute;
}

/* The functions of a keyval, and its extra state. They stay: the last attribute may outlive the keyval, and nothing tells. */
struct keyval_functions {
    fortran_function *copy, *delete;
    struct extra_state state;
    struct keyval_functions *next;
};

static struct keyval_functions *keyval_list; /* cells_lock */

static struct keyval_functions *keyval_functions_new(fortran_function *copy, fortran_function *delete,
                                                     struct extra_state state)
{
    struct keyval_functions *functions = malloc(sizeof *functions);

    if (!functions)
        return NULL;
    *functions = (struct keyval_functions){.copy = copy, .delete = delete, .state = state};
    pthread_mutex_lock(&cells_lock);
    functions->next = keyval_list;
    keyval_list = functions;
    pthread_mutex_unlock(&cells_lock);
    return functions;
}

/* The predefined functions. Handles of all kinds are passed alike, so one body serves them all. */
typedef void copy_function(int *object, int *keyval, MPI_Aint *state, MPI_Aint *in, MPI_Aint *out, int *flag,
                           int *error);
typedef void delete_function(int *object, int *keyval, MPI_Aint *value, MPI_Aint *state, int *error);
typedef void old_copy_function(int *object, int *keyval, int *state, int *in, int *out, int *flag,
                               int *error);
typedef void old_delete_function(int *object, int *keyval, int *value, int *state, int *error);

EXPORTED copy_function mpi_comm_dup_fn_, mpi_comm_null_copy_fn_;
EXPORTED copy_function mpi_type_dup_fn_ __attribute__((alias("mpi_comm_dup_fn_")));
EXPORTED copy_function mpi_win_dup_fn_ __attribute__((alias("mpi_comm_dup_fn_")));
EXPORTED copy_function mpi_type_null_copy_fn_ __attribute__((alias("mpi_comm_null_copy_fn_")));
EXPORTED copy_function mpi_win_null_copy_fn_ __attribute__((alias("mpi_comm_null_copy_fn_")));
EXPORTED delete_function mpi_comm_null_delete_fn_;
EXPORTED delete_function mpi_type_null_delete_fn_ __attribute__((alias("mpi_comm_null_delete_fn_")));
EXPORTED delete_function mpi_win_null_delete_fn_ __attribute__((alias("mpi_comm_null_delete_fn_")));
EXPORTED old_copy_function mpi_dup_fn_, mpi_null_copy_fn_;
EXPORTED old_delete_function mpi_null_delete_fn_;

void mpi_comm_dup_fn_(int *object, int *keyval, MPI_Aint *state, MPI_Aint *in, MPI_Aint *out, int *flag,
                      int *error)
{
    (void)object;
    (void)keyval;
    (void)state;
    *out = *in;
    *flag = fortran_true;
    *error = MPI_SUCCESS;
}

void mpi_comm_null_copy_fn_(int *object, int *keyval, MPI_Aint *state, MPI_Aint *in, MPI_Aint *out, int *flag,
                            int *error)
{
    (void)object;
    (void)keyval;
    (void)state;
    (void)in;
    (void)out;
    *flag = fortran_false;
    *error = MPI_SUCCESS;
}

void mpi_comm_null_delete_fn_(int *object, int *keyval, MPI_Aint *value, MPI_Aint *state, int *error)
{
    (void)object;
    (void)keyval;
    (void)value;
    (void)state;
    *error = MPI_SUCCESS;
}

void mpi_dup_fn_(int *object, int *keyval, int *state, int *in, int *out, int *flag, int *error)
{
    (void)object;
    (void)keyval;
    (void)state;
    *out = *in;
    *flag = fortran_true;
    *error = MPI_SUCCESS;
}

void mpi_null_copy_fn_(int *object, int *keyval, int *state, int *in, int *out, int *flag, int *error)
{
    (void)object;
    (void)keyval;
    (void)state;
    (void)in;
    (void)out;
    *flag = fortran_false;
    *error = MPI_SUCCESS;
}

void mpi_null_delete_fn_(int *object, int *keyval, int *value, int *state, int *error)
{
    (void)object;
    (void)keyval;
    (void)value;
    (void)state;
    *error = MPI_SUCCESS;
}

/* Puts the value that a copy function has made where C wants it. */
static int copied(int error, int flag, MPI_Aint value, void *out)
{
    struct cell *cell;

    if (error || !flag)
        return error;
    cell = cell_new(value);
    if (!cell)
        return MPI_ERR_NO_MEM;
    *(void **)out = cell;
    return MPI_SUCCESS;
}

static int copy_attribute(int object, int keyval, struct keyval_functions *functions, void *in, void *out,
                          int *flag)
{
    MPI_Aint value = attribute_value(in), made = 0, state = functions->state.value;
    int logical = fortran_false, error = MPI_SUCCESS;

    if (functions->copy == (fortran_function *)mpi_comm_dup_fn_ &&
        !is_cell(in)) { /* set in C, and stays so */
        *(void **)out = in;
        *flag = 1;
        return MPI_SUCCESS;
    }
    ((copy_function *)functions->copy)(&object, &keyval, &state, &value, &made, &logical, &error);
    extra_state_put(&functions->state, state);
    *flag = logical_in(logical);
    return copied(error, *flag, made, out);
}

static int delete_attribute(int object, int keyval, void *attribute, struct keyval_functions *functions)
{
    MPI_Aint value = attribute_value(attribute), state = functions->state.value;
    int error = MPI_SUCCESS;

    ((delete_function *)functions->delete)(&object, &keyval, &value, &state, &error);
    extra_state_put(&functions->state, state);
    if (!error && is_cell(attribute))
        cell_free(attribute);
    return error;
}

static int comm_copy(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    return copy_attribute(PMPI_Comm_toint(comm), keyval, state, in, out, flag);
}

static int comm_delete(MPI_Comm comm, int keyval, void *attribute, void *state)
{
    return delete_attribute(PMPI_Comm_toint(comm), keyval, attribute, state);
}

static int type_copy(MPI_Datatype type, int keyval, void *state, void *in, void *out, int *flag)
{
    return copy_attribute(PMPI_Type_toint(type), keyval, state, in, out, flag);
}

static int type_delete(MPI_Datatype type, int keyval, void *attribute, void *state)
{
    return delete_attribute(PMPI_Type_toint(type), keyval, attribute, state);
}

static int win_copy(MPI_Win win, int keyval, void *state, void *in, void *out, int *flag)
{
    return copy_attribute(PMPI_Win_toint(win), keyval, state, in, out, flag);
}

static int win_delete(MPI_Win win, int keyval, void *attribute, void *state)
{
    return delete_attribute(PMPI_Win_toint(win), keyval, attribute, state);
}

/* The functions of MPI_KEYVAL_CREATE get default integers. */
static int old_copy(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    struct keyval_functions *functions = state;
    int object = PMPI_Comm_toint(comm), extra = (int)functions->state.value, value = (int)attribute_value(in),
        made = 0;
    int logical = fortran_false, error = MPI_SUCCESS;

    ((old_copy_function *)functions->copy)(&object, &keyval, &extra, &value, &made, &logical, &error);
    extra_state_put(&functions->state, extra);
    *flag = logical_in(logical);
    return copied(error, *flag, made, out);
}

static int old_delete(MPI_Comm comm, int keyval, void *attribute, void *state)
{
    struct keyval_functions *functions = state;
    int object = PMPI_Comm_toint(comm), extra = (int)functions->state.value,
        value = (int)attribute_value(attribute);
    int error = MPI_SUCCESS;

    ((old_delete_function *)functions->delete)(&object, &keyval, &value, &extra, &error);
    extra_state_put(&functions->state, extra);
    if (!error && is_cell(attribute))
        cell_free(attribute);
    return error;
}

static int raise_no_memory(void)
{
    return fortran_raise(MPI_ERR_NO_MEM, "no memory for an attribute of a Fortran program");
}

int fortran_comm_create_keyval(fortran_function *copy, fortran_function *delete, int *keyval,
                               const MPI_Aint *state)
{
    struct keyval_functions *functions = keyval_functions_new(copy, delete, extra_state_of(state));

    return functions ? MPI_Comm_create_keyval(comm_copy, comm_delete, keyval, functions) : raise_no_memory();
}

int fortran_type_create_keyval(fortran_function *copy, fortran_function *delete, int *keyval,
                               const MPI_Aint *state)
{
    struct keyval_functions *functions = keyval_functions_new(copy, delete, extra_state_of(state));

    return functions ? MPI_Type_create_keyval(type_copy, type_delete, keyval, functions) : raise_no_memory();
}

int fortran_win_create_keyval(fortran_function *copy, fortran_function *delete, int *keyval,
                              const MPI_Aint *state)
{
    struct keyval_functions *functions = keyval_functions_new(copy, delete, extra_state_of(state));

    return functions ? MPI_Win_create_keyval(win_copy, win_delete, keyval, functions) : raise_no_memory();
}

int fortran_keyval_create(fortran_function *copy, fortran_function *delete, int *keyval, const int *state)
{
    struct keyval_functions *functions = keyval_functions_new(copy, delete, extra_state_of_default(state));

    return functions ? MPI_Comm_create_keyval(old_copy, old_delete, keyval, functions) : raise_no_memory();
}

/* What a failed call has not taken. */
static int attribute_set(int error, struct cell *cell)
{
    if (error)
        cell_free(cell);
    return error;
}

int fortran_comm_set_attribute(const int *comm, const int *keyval, const MPI_Aint *value)
{
    struct cell *cell = cell_new(*value);

    return cell ? attribute_set(MPI_Comm_set_attr(comm_in(*comm), *keyval, cell), cell) : raise_no_memory();
}

int fortran_type_set_attribute(const int *type, const int *keyval, const MPI_Aint *value)
{
    struct cell *cell = cell_new(*value);

    return cell ? attribute_set(MPI_Type_set_attr(datatype_in(*type), *keyval, cell), cell)
                : raise_no_memory();
}

int fortran_win_set_attribute(const int *win, const int *keyval, const MPI_Aint *value)
{
    struct cell *cell = cell_new(*value);

    return cell ? attribute_set(MPI_Win_set_attr(win_in(*win), *keyval, cell), cell) : raise_no_memory();
}

int fortran_attr_put(const int *comm, const int *keyval, const int *value)
{
    MPI_Aint wide = *value;

    return fortran_comm_set_attribute(comm, keyval, &wide);
}

/* Predefined attributes point to what they say, but for the address of a window. */
static MPI_Aint predefined_value(int keyval, void *attribute)
{
    switch (keyval) {
    case MPI_TAG_UB:
    case MPI_IO:
    case MPI_HOST:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_APPNUM:
    case MPI_LASTUSEDCODE:
#ifdef MPIX_FT /* MPICH's ABI lacks it */
    case MPIX_FT:
#endif
    case MPI_UNIVERSE_SIZE:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL:
        return *(int *)attribute;
    case MPI_WIN_SIZE:
        return *(MPI_Aint *)attribute;
    default:
        return attribute_value(attribute);
    }
}

static int attribute_get(int error, int there, int keyval, void *attribute, MPI_Aint *value, int *flag)
{
    if (error)
        return error;
    *flag = logical_out(there);
    if (there)
        *value = predefined_value(keyval, attribute);
    return MPI_SUCCESS;
}

int fortran_comm_get_attribute(const int *comm, const int *keyval, MPI_Aint *value, int *flag)
{
    void *attribute = NULL;
    int there = 0, error = MPI_Comm_get_attr(comm_in(*comm), *keyval, &attribute, &there);

    return attribute_get(error, there, *keyval, attribute, value, flag);
}

int fortran_type_get_attribute(const int *type, const int *keyval, MPI_Aint *value, int *flag)
{
    void *attribute = NULL;
    int there = 0, error = MPI_Type_get_attr(datatype_in(*type), *keyval, &attribute, &there);

    return attribute_get(error, there, *keyval, attribute, value, flag);
}

int fortran_win_get_attribute(const int *win, const int *keyval, MPI_Aint *value, int *flag)
{
    void *attribute = NULL;
    int there = 0, error = MPI_Win_get_attr(win_in(*win), *keyval, &attribute, &there);

    return attribute_get(error, there, *keyval, attribute, value, flag);
}

int fortran_attr_get(const int *comm, const int *keyval, int *value, int *flag)
{
    MPI_Aint wide = 0;
    int error = fortran_comm_get_attribute(comm, keyval, &wide, flag);

    if (!error && logical_in(*flag))
        *value = (int)wide;
    return error;
}
