#include "object/attribute.h"

#include "plain/fail.h"

#include <mpi.h>
#include <stdlib.h>

struct keyval {
    struct object object; /* one reference for the program until attribute_free_keyval, one per attribute */
    enum object_kind on;
    int number; /* the program's integer */
    bool freed; /* guarded by attribute_lock */
    attribute_copy_fn *copy_fn;
    attribute_delete_fn *delete_fn;
    void *extra_state;
};

struct attribute {
    struct attribute *next, *prev;
    struct keyval *keyval; /* referenced */
    void *value;
};

/* One attribute as it was when the copy began. Copy callbacks may change the set. */
struct snapshot {
    struct keyval *keyval; /* referenced */
    void *value;
};

static struct pool keyval_pool = POOL_INIT(OBJECT_KEYVAL, struct keyval);
static struct lock attribute_lock = LOCK_INIT; /* always taken: keyvals may be made at any thread level */

static void keyval_unref(struct keyval *k)
{
    if (object_unref(&k->object))
        pool_free(&keyval_pool, k);
}

int attribute_new_keyval(enum object_kind on, attribute_copy_fn *copy_fn, attribute_delete_fn *delete_fn,
                         void *extra_state, int *keyval)
{
    struct keyval *k = pool_new(&keyval_pool);

    if (!k)
        return fail(MPI_ERR_NO_MEM, "no memory for an attribute key");
    k->number = object_to_int(&k->object);
    if (!k->number) {
        keyval_unref(k);
        return fail(MPI_ERR_NO_MEM, "too many attribute keys are in use");
    }
    k->on = on;
    k->copy_fn = copy_fn;
    k->delete_fn = delete_fn;
    k->extra_state = extra_state;
    *keyval = k->number;
    return MPI_SUCCESS;
}

static bool keyval_is_predefined(int keyval)
{
    return (keyval >= MPI_TAG_UB && keyval <= MPI_UNIVERSE_SIZE) ||
           (keyval >= MPI_WIN_BASE && keyval <= MPI_WIN_MODEL) || keyval == MPIX_FT;
}

/* The keyval behind the program's integer, with a reference. Caller holds the lock. */
static int keyval_find(enum object_kind on, int keyval, struct keyval **found)
{
    struct keyval *k;

    if (keyval == MPI_KEYVAL_INVALID)
        return fail(MPI_ERR_KEYVAL, "the attribute key is MPI_KEYVAL_INVALID");
    if (keyval_is_predefined(keyval))
        return fail(MPI_ERR_KEYVAL,
                    "attribute key %d is predefined: it can be read on the objects that have it, "
                    "and not set, deleted or freed",
                    keyval);
    k = pool_find_int(&keyval_pool, keyval);
    if (!k)
        return fail(MPI_ERR_KEYVAL, "%d is no attribute key, or one that has been freed", keyval);
    if (k->on != on)
        return fail(MPI_ERR_KEYVAL, "attribute key %d was made for another kind of object", keyval);
    object_ref(&k->object);
    *found = k;
    return MPI_SUCCESS;
}

/* Freeing again through a copy of the integer, while attributes use the keyval, is no error: docs/TOLERANCES.md. */
int attribute_free_keyval(enum object_kind on, int keyval)
{
    bool was_freed = false;
    struct keyval *k;
    int error;

    lock_always_take(&attribute_lock);
    error = keyval_find(on, keyval, &k);
    if (!error) {
        was_freed = k->freed;
        k->freed = true;
    }
    lock_always_release(&attribute_lock);
    if (error)
        return error;
    keyval_unref(k); /* of keyval_find */
    if (!was_freed)
        keyval_unref(k); /* the program's */
    return MPI_SUCCESS;
}

/* Caller holds the lock for the next four. */
static struct attribute *attribute_find(struct attribute_set *set, struct keyval *k)
{
    struct attribute *a = set->first;

    while (a && a->keyval != k)
        a = a->next;
    return a;
}

static void attribute_append(struct attribute_set *set, struct attribute *a)
{
    a->next = NULL;
    a->prev = set->last;
    if (set->last)
        set->last->next = a;
    else
        set->first = a;
    set->last = a;
}

static void unlink_one(struct attribute_set *set, struct attribute *a)
{
    if (a->prev)
        a->prev->next = a->next;
    else
        set->first = a->next;
    if (a->next)
        a->next->prev = a->prev;
    else
        set->last = a->prev;
}

static struct attribute *take_out(struct attribute_set *set, struct keyval *k)
{
    struct attribute *a = attribute_find(set, k);

    if (a)
        unlink_one(set, a);
    return a;
}

static void attribute_free(struct attribute *a)
{
    if (a)
        keyval_unref(a->keyval);
    free(a);
}

static int call_delete(const struct keyval *k, void *handle, void *value)
{
    int error;

    if (!k->delete_fn)
        return MPI_SUCCESS;
    error = k->delete_fn(handle, k->number, value, k->extra_state);
    if (error)
        return fail(error, "the delete callback of attribute key %d returned %d", k->number, error);
    return MPI_SUCCESS;
}

/* Runs the delete callback and removes the attribute, if there is one. No lock is held. */
static int delete_value(struct attribute_set *set, struct keyval *k, void *handle)
{
    struct attribute *a;
    void *value = NULL;
    int error;

    lock_always_take(&attribute_lock);
    a = attribute_find(set, k);
    if (a)
        value = a->value;
    lock_always_release(&attribute_lock);
    if (!a)
        return MPI_SUCCESS;
    error = call_delete(k, handle, value);
    if (error)
        return error;
    lock_always_take(&attribute_lock);
    a = take_out(set, k);
    lock_always_release(&attribute_lock);
    attribute_free(a);
    return MPI_SUCCESS;
}

/* An attribute that holds the reference to k, which goes also when there is no memory. */
static int attribute_new(struct keyval *k, void *value, struct attribute **attribute)
{
    struct attribute *a = malloc(sizeof *a);

    if (!a) {
        keyval_unref(k);
        return fail(MPI_ERR_NO_MEM, "no memory for an attribute");
    }
    a->keyval = k;
    a->value = value;
    *attribute = a;
    return MPI_SUCCESS;
}

/* The caller holds no lock. */
static void store_attribute(struct attribute_set *set, struct attribute *a)
{
    lock_always_take(&attribute_lock);
    attribute_append(set, a);
    lock_always_release(&attribute_lock);
}

int attribute_set_value(struct attribute_set *set, enum object_kind on, void *handle, int keyval, void *value)
{
    struct attribute *a = NULL;
    struct keyval *k;
    int error;

    lock_always_take(&attribute_lock);
    error = keyval_find(on, keyval, &k);
    lock_always_release(&attribute_lock);
    if (!error)
        error = attribute_new(k, value, &a); /* before the old value goes */
    if (error)
        return error;
    error = delete_value(set, k, handle);
    if (error)
        attribute_free(a);
    else
        store_attribute(set, a);
    return error;
}

int attribute_get_value(struct attribute_set *set, enum object_kind on, int keyval, void **value, int *found)
{
    struct attribute *a;
    struct keyval *k;
    int error;

    lock_always_take(&attribute_lock);
    error = keyval_find(on, keyval, &k);
    if (!error) {
        a = attribute_find(set, k);
        *found = a != NULL;
        if (a)
            *value = a->value;
    }
    lock_always_release(&attribute_lock);
    if (error)
        return error;
    keyval_unref(k);
    return MPI_SUCCESS;
}

int attribute_delete(struct attribute_set *set, enum object_kind on, void *handle, int keyval)
{
    struct keyval *k;
    int error;

    lock_always_take(&attribute_lock);
    error = keyval_find(on, keyval, &k);
    lock_always_release(&attribute_lock);
    if (error)
        return error;
    error = delete_value(set, k, handle);
    keyval_unref(k);
    return error;
}

/* Copies one value as its keyval's copy callback says. Consumes the snapshot's reference. */
static int copy_value(const struct snapshot *s, void *handle, struct attribute_set *to)
{
    struct keyval *k = s->keyval;
    struct attribute *a = NULL;
    void *value = s->value;
    int flag = 0, error = MPI_SUCCESS;

    if ((uintptr_t)k->copy_fn == (uintptr_t)MPI_COMM_DUP_FN)
        flag = 1;
    else if ((uintptr_t)k->copy_fn != (uintptr_t)MPI_COMM_NULL_COPY_FN)
        error = k->copy_fn(handle, k->number, k->extra_state, s->value, &value, &flag);
    if (error)
        error = fail(error, "the copy callback of attribute key %d returned %d", k->number, error);
    if (error || !flag) {
        keyval_unref(k);
        return error;
    }
    error = attribute_new(k, value, &a);
    if (!error)
        store_attribute(to, a);
    return error;
}

/* All attributes of the set, in order, with references. *all is NULL when there are none. */
static int take_snapshot(struct attribute_set *from, struct snapshot **all, int *count)
{
    struct attribute *a;
    int n = 0;

    *all = NULL;
    *count = 0;
    lock_always_take(&attribute_lock);
    for (a = from->first; a; a = a->next)
        n++;
    if (n)
        *all = malloc((size_t)n * sizeof **all);
    for (a = from->first; a && *all; a = a->next) {
        object_ref(&a->keyval->object);
        (*all)[(*count)++] = (struct snapshot){.keyval = a->keyval, .value = a->value};
    }
    lock_always_release(&attribute_lock);
    return n == *count ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory to copy %d attributes", n);
}

int attribute_copy_all(struct attribute_set *from, void *from_handle, struct attribute_set *to)
{
    struct snapshot *all;
    int count, i, error = take_snapshot(from, &all, &count);

    for (i = 0; i < count; i++)
        if (!error)
            error = copy_value(&all[i], from_handle, to);
        else
            keyval_unref(all[i].keyval);
    free(all);
    return error;
}

/* The keyval of the attribute that was set last, with a reference; NULL when the set is empty. */
static struct keyval *last_keyval(struct attribute_set *set)
{
    struct keyval *k = NULL;

    lock_always_take(&attribute_lock);
    if (set->last) {
        k = set->last->keyval;
        object_ref(&k->object);
    }
    lock_always_release(&attribute_lock);
    return k;
}

int attribute_delete_all(struct attribute_set *set, void *handle)
{
    struct keyval *k;
    int error = MPI_SUCCESS;

    while (!error && (k = last_keyval(set)) != NULL) {
        error = delete_value(set, k, handle);
        keyval_unref(k);
    }
    return error;
}

int attribute_create_keyval_for_comm(MPI_Comm_copy_attr_function *copy_fn,
                                     MPI_Comm_delete_attr_function *delete_fn, int *keyval, void *extra_state)
{
    return attribute_new_keyval(OBJECT_COMM, (attribute_copy_fn *)copy_fn, (attribute_delete_fn *)delete_fn,
                                extra_state, keyval);
}

int attribute_create_keyval_for_type(MPI_Type_copy_attr_function *copy_fn,
                                     MPI_Type_delete_attr_function *delete_fn, int *keyval, void *extra_state)
{
    return attribute_new_keyval(OBJECT_DATATYPE, (attribute_copy_fn *)copy_fn,
                                (attribute_delete_fn *)delete_fn, extra_state, keyval);
}

int attribute_create_keyval_for_win(MPI_Win_copy_attr_function *copy_fn,
                                    MPI_Win_delete_attr_function *delete_fn, int *keyval, void *extra_state)
{
    return attribute_new_keyval(OBJECT_WIN, (attribute_copy_fn *)copy_fn, (attribute_delete_fn *)delete_fn,
                                extra_state, keyval);
}

static int free_keyval(enum object_kind on, int *keyval)
{
    int error = attribute_free_keyval(on, *keyval);

    if (!error)
        *keyval = MPI_KEYVAL_INVALID;
    return error;
}

int attribute_free_keyval_of_comm(int *keyval)
{
    return free_keyval(OBJECT_COMM, keyval);
}

int attribute_free_keyval_of_type(int *keyval)
{
    return free_keyval(OBJECT_DATATYPE, keyval);
}

int attribute_free_keyval_of_win(int *keyval)
{
    return free_keyval(OBJECT_WIN, keyval);
}
