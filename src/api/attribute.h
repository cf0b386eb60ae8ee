/* Bodies of the attribute procedures (MPI-5.0 section 7.7), the deprecated MPI_Attr_X and MPI_Keyval_X
 * included. `value` of a get is the address of the program's pointer. */
#ifndef API_ATTRIBUTE_H
#define API_ATTRIBUTE_H

#include "comm/comm.h"
#include "datatype/datatype.h"

int api_comm_create_keyval(MPI_Comm_copy_attr_function *copy_fn, MPI_Comm_delete_attr_function *delete_fn,
                           int *keyval, void *extra_state);
int api_type_create_keyval(MPI_Type_copy_attr_function *copy_fn, MPI_Type_delete_attr_function *delete_fn,
                           int *keyval, void *extra_state);
int api_win_create_keyval(MPI_Win_copy_attr_function *copy_fn, MPI_Win_delete_attr_function *delete_fn,
                          int *keyval, void *extra_state);
int api_comm_free_keyval(int *keyval);
int api_type_free_keyval(int *keyval);
int api_win_free_keyval(int *keyval);

int api_comm_get_attr(struct comm *comm, int keyval, void *value, int *flag);
int api_type_set_attr(struct datatype *type, int keyval, void *value);
int api_type_get_attr(struct datatype *type, int keyval, void *value, int *flag);
int api_type_delete_attr(struct datatype *type, int keyval);

#endif
