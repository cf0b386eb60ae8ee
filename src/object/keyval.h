/* keyval: bodies of MPI_X_create_keyval and MPI_X_free_keyval (MPI-5.0 section 7.7), for communicators, datatypes and
 * windows. What a key is: attribute.h. */
#ifndef OBJECT_KEYVAL_H
#define OBJECT_KEYVAL_H

#include "object/attribute.h"

#include <mpi.h>

int keyval_create_for_comm(MPI_Comm_copy_attr_function *copy_fn, MPI_Comm_delete_attr_function *delete_fn,
                           int *keyval, void *extra_state);
int keyval_create_for_type(MPI_Type_copy_attr_function *copy_fn, MPI_Type_delete_attr_function *delete_fn,
                           int *keyval, void *extra_state);
int keyval_create_for_win(MPI_Win_copy_attr_function *copy_fn, MPI_Win_delete_attr_function *delete_fn,
                          int *keyval, void *extra_state);
int keyval_free_of_comm(int *keyval);
int keyval_free_of_type(int *keyval);
int keyval_free_of_win(int *keyval);

#endif
