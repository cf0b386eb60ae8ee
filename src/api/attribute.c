#include "api/attribute.h"

int api_comm_create_keyval(MPI_Comm_copy_attr_function *copy_fn, MPI_Comm_delete_attr_function *delete_fn,
                           int *keyval, void *extra_state)
{
    return keyval_new(OBJECT_COMM, (attribute_copy_fn *)copy_fn, (attribute_delete_fn *)delete_fn,
                      extra_state, keyval);
}

int api_type_create_keyval(MPI_Type_copy_attr_function *copy_fn, MPI_Type_delete_attr_function *delete_fn,
                           int *keyval, void *extra_state)
{
    return keyval_new(OBJECT_DATATYPE, (attribute_copy_fn *)copy_fn, (attribute_delete_fn *)delete_fn,
                      extra_state, keyval);
}

int api_win_create_keyval(MPI_Win_copy_attr_function *copy_fn, MPI_Win_delete_attr_function *delete_fn,
                          int *keyval, void *extra_state)
{
    return keyval_new(OBJECT_WIN, (attribute_copy_fn *)copy_fn, (attribute_delete_fn *)delete_fn, extra_state,
                      keyval);
}

static int free_keyval(enum object_kind on, int *keyval)
{
    int error = keyval_free(on, *keyval);

    if (!error)
        *keyval = MPI_KEYVAL_INVALID;
    return error;
}

int api_comm_free_keyval(int *keyval)
{
    return free_keyval(OBJECT_COMM, keyval);
}

int api_type_free_keyval(int *keyval)
{
    return free_keyval(OBJECT_DATATYPE, keyval);
}

int api_win_free_keyval(int *keyval)
{
    return free_keyval(OBJECT_WIN, keyval);
}

int api_comm_get_attr(struct comm *comm, int keyval, void *value, int *flag)
{
    return comm_get_attribute(comm, keyval, value, flag);
}

static void *type_handle(const struct datatype *type)
{
    return (void *)(uintptr_t)object_handle(&type->object);
}

int api_type_set_attr(struct datatype *type, int keyval, void *value)
{
    return attribute_set_value(&type->attributes, OBJECT_DATATYPE, type_handle(type), keyval, value);
}

int api_type_get_attr(struct datatype *type, int keyval, void *value, int *flag)
{
    return attribute_get_value(&type->attributes, OBJECT_DATATYPE, keyval, value, flag);
}

int api_type_delete_attr(struct datatype *type, int keyval)
{
    return attribute_delete(&type->attributes, OBJECT_DATATYPE, type_handle(type), keyval);
}
