#include "object/attribute.h"

int keyval_create_for_comm(MPI_Comm_copy_attr_function *copy_fn, MPI_Comm_delete_attr_function *delete_fn,
                           int *keyval, void *extra_state)
{
    return attribute_new_keyval(OBJECT_COMM, (attribute_copy_fn *)copy_fn, (attribute_delete_fn *)delete_fn,
                                extra_state, keyval);
}

int keyval_create_for_type(MPI_Type_copy_attr_function *copy_fn, MPI_Type_delete_attr_function *delete_fn,
                           int *keyval, void *extra_state)
{
    return attribute_new_keyval(OBJECT_DATATYPE, (attribute_copy_fn *)copy_fn,
                                (attribute_delete_fn *)delete_fn, extra_state, keyval);
}

int keyval_create_for_win(MPI_Win_copy_attr_function *copy_fn, MPI_Win_delete_attr_function *delete_fn,
                          int *keyval, void *extra_state)
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

int keyval_free_of_comm(int *keyval)
{
    return free_keyval(OBJECT_COMM, keyval);
}

int keyval_free_of_type(int *keyval)
{
    return free_keyval(OBJECT_DATATYPE, keyval);
}

int keyval_free_of_win(int *keyval)
{
    return free_keyval(OBJECT_WIN, keyval);
}
