/* Attribute keys with the program's functions, and the values of predefined attributes. */
#include "foreign/foreign.h"

#include "entry.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Of a key: Inkling's extra state. It lives as long as the process, since attributes outlive their key. */
struct keyval {
    struct keyval *next; /* of `keyvals`, so that those who look for leaks find it */
    F_Comm_copy_attr_function *comm_copy;
    F_Comm_delete_attr_function *comm_delete;
    F_Type_copy_attr_function *type_copy;
    F_Type_delete_attr_function *type_delete;
    F_Win_copy_attr_function *win_copy;
    F_Win_delete_attr_function *win_delete;
    void *extra_state;
};
static struct keyval *_Atomic keyvals; /* pushed with release; nobody reads the list */

static int comm_copy(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    struct keyval *k = state;

    return error_in(k->comm_copy(comm_out(comm), keyval_out(keyval), k->extra_state, in, out, flag));
}

static int comm_delete(MPI_Comm comm, int keyval, void *value, void *state)
{
    struct keyval *k = state;

    return error_in(k->comm_delete(comm_out(comm), keyval_out(keyval), value, k->extra_state));
}

static int type_copy(MPI_Datatype type, int keyval, void *state, void *in, void *out, int *flag)
{
    struct keyval *k = state;

    return error_in(k->type_copy(datatype_out(type), keyval_out(keyval), k->extra_state, in, out, flag));
}

static int type_delete(MPI_Datatype type, int keyval, void *value, void *state)
{
    struct keyval *k = state;

    return error_in(k->type_delete(datatype_out(type), keyval_out(keyval), value, k->extra_state));
}

static int win_copy(MPI_Win win, int keyval, void *state, void *in, void *out, int *flag)
{
    struct keyval *k = state;

    return error_in(k->win_copy(win_out(win), keyval_out(keyval), k->extra_state, in, out, flag));
}

static int win_delete(MPI_Win win, int keyval, void *value, void *state)
{
    struct keyval *k = state;

    return error_in(k->win_delete(win_out(win), keyval_out(keyval), value, k->extra_state));
}

static struct keyval *keyval_new(const struct keyval *from)
{
    struct keyval *k = malloc(sizeof *k);

    if (!k)
        foreign_fail("no memory for an attribute key");
    *k = *from;
    k->next = atomic_load_explicit(&keyvals, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&keyvals, &k->next, k, memory_order_release,
                                                  memory_order_relaxed)) {
    }
    return k;
}

static int keyval_made(int error, int made, int *keyval)
{
    if (keyval && error == MPI_SUCCESS)
        *keyval = keyval_out(made);
    return call_ended(error);
}

int foreign_Comm_create_keyval(F_Comm_copy_attr_function *copy, F_Comm_delete_attr_function *del, int *keyval,
                               void *extra_state)
{
    struct keyval *k =
        keyval_new(&(struct keyval){.comm_copy = copy, .comm_delete = del, .extra_state = extra_state});
    int made = 0, error;

    error = real.Comm_create_keyval(copy ? comm_copy : MPI_COMM_NULL_COPY_FN,
                                    del ? comm_delete : MPI_COMM_NULL_DELETE_FN, keyval ? &made : NULL, k);
    return keyval_made(error, made, keyval);
}

int foreign_Keyval_create(F_Copy_function *copy, F_Delete_function *del, int *keyval, void *extra_state)
{
    struct keyval *k =
        keyval_new(&(struct keyval){.comm_copy = copy, .comm_delete = del, .extra_state = extra_state});
    int made = 0, error;

    error = real.Keyval_create(copy ? comm_copy : MPI_NULL_COPY_FN, del ? comm_delete : MPI_NULL_DELETE_FN,
                               keyval ? &made : NULL, k);
    return keyval_made(error, made, keyval);
}

int foreign_Type_create_keyval(F_Type_copy_attr_function *copy, F_Type_delete_attr_function *del, int *keyval,
                               void *extra_state)
{
    struct keyval *k =
        keyval_new(&(struct keyval){.type_copy = copy, .type_delete = del, .extra_state = extra_state});
    int made = 0, error;

    error = real.Type_create_keyval(copy ? type_copy : MPI_TYPE_NULL_COPY_FN,
                                    del ? type_delete : MPI_TYPE_NULL_DELETE_FN, keyval ? &made : NULL, k);
    return keyval_made(error, made, keyval);
}

int foreign_Win_create_keyval(F_Win_copy_attr_function *copy, F_Win_delete_attr_function *del, int *keyval,
                              void *extra_state)
{
    struct keyval *k =
        keyval_new(&(struct keyval){.win_copy = copy, .win_delete = del, .extra_state = extra_state});
    int made = 0, error;

    error = real.Win_create_keyval(copy ? win_copy : MPI_WIN_NULL_COPY_FN,
                                   del ? win_delete : MPI_WIN_NULL_DELETE_FN, keyval ? &made : NULL, k);
    return keyval_made(error, made, keyval);
}

/* The program's copy of the value that an attribute points to, which it reads at any later time. Each word holds one constant for
 * good but that of MPI_LASTUSEDCODE, which last_code_out follows; relaxed, as a program that reads one has got its address from this
 * thread's call or has been told it. */
static void *value_out(_Atomic int *word, int value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
    return word;
}

static _Atomic int last_code;
static int *_Atomic last_code_there; /* Inkling's; NULL: nobody has asked for it. Release in attribute_out */

void last_code_out(void)
{
    const int *there = atomic_load_explicit(&last_code_there, memory_order_acquire);

    if (there)
        value_out(&last_code, *there >= MPI_ERR_LASTCODE ? *there - MPI_ERR_LASTCODE + FOREIGN_ERR_LASTCODE
                                                         : FOREIGN_ERR_LASTCODE);
}

enum {
    CONSTANTS = 8
};

/* Whether a value is one of few constants that follow `first`. */
static bool is_of(int value, int first)
{
    return value >= first && value < first + CONSTANTS;
}

static void attribute_out(int keyval, void *attribute)
{
    static _Atomic int io, host, flavor[CONSTANTS], model[CONSTANTS];
    void **address = attribute;
    int value;

    if (keyval != MPI_IO && keyval != MPI_HOST && keyval != MPI_LASTUSEDCODE &&
        keyval != MPI_WIN_CREATE_FLAVOR && keyval != MPI_WIN_MODEL)
        return;
    value = *(int *)*address;
    if (keyval == MPI_IO)
        *address = value_out(&io, rank_out(value));
    else if (keyval == MPI_HOST)
        *address = value_out(&host, rank_out(value));
    else if (keyval == MPI_LASTUSEDCODE) {
        atomic_store_explicit(&last_code_there, *address,
                              memory_order_release); /* acquire in last_code_out */
        last_code_out();
        *address = &last_code;
    } else if (keyval == MPI_WIN_CREATE_FLAVOR && is_of(value, MPI_WIN_FLAVOR_CREATE))
        *address = value_out(&flavor[value - MPI_WIN_FLAVOR_CREATE], flavor_constant_out(value));
    else if (keyval == MPI_WIN_MODEL && is_of(value, MPI_WIN_UNIFIED))
        *address = value_out(&model[value - MPI_WIN_UNIFIED], model_constant_out(value));
}

int foreign_Comm_get_attr(F_Comm comm, int keyval, void *attribute_val, int *flag)
{
    int error = real.Comm_get_attr(comm_in(comm), keyval_in(keyval), attribute_val, flag);

    if (!error && *flag)
        attribute_out(keyval_in(keyval), attribute_val);
    return call_ended(error);
}

int foreign_Attr_get(F_Comm comm, int keyval, void *attribute_val, int *flag)
{
    int error = real.Attr_get(comm_in(comm), keyval_in(keyval), attribute_val, flag);

    if (!error && *flag)
        attribute_out(keyval_in(keyval), attribute_val);
    return call_ended(error);
}

int foreign_Win_get_attr(F_Win win, int keyval, void *attribute_val, int *flag)
{
    int error = real.Win_get_attr(win_in(win), keyval_in(keyval), attribute_val, flag);

    if (!error && *flag)
        attribute_out(keyval_in(keyval), attribute_val);
    return call_ended(error);
}
