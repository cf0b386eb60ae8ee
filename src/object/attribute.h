/* attribute: cached values on communicators, datatypes and windows (MPI-5.0 section 7.7).
 *
 * An attribute_set belongs to one object and keeps the order in which values were set. Copy callbacks run in
 * that order when the object is duplicated. Delete callbacks run in reverse order when the object is freed:
 * section 7.7 leaves the order open, and MPI_COMM_SELF at finalize needs LIFO (section 11.2.4).
 *
 * Keyvals are integers. The predefined ones (MPI_TAG_UB ...) are the ABI's; here they are known only to be
 * refused. The object itself provides their values (comm/comm.c). The other keyvals are objects of
 * a pool of their own, so a garbage or stale integer is detected. A keyval that is freed while attributes use
 * it lives until the last of these attributes is gone. Until then a copy of the integer still sets, reads and
 * deletes values, and freeing it again does nothing (docs/TOLERANCES.md).
 *
 * Threads: one lock guards all sets and keyvals. Callbacks are user code and run without the lock. While a
 * delete callback runs, the attribute is still there.
 */
#ifndef OBJECT_ATTRIBUTE_H
#define OBJECT_ATTRIBUTE_H

#include "object/object.h"

#include <mpi.h>

struct attribute; /* one cached value */

struct attribute_set {
    struct attribute *first, *last;
};

/* A copy or delete callback of any handle type: handles are pointer-sized in the ABI. */
typedef int attribute_copy_fn(void *handle, int keyval, void *extra_state, void *value_in, void *value_out,
                              int *flag);
typedef int attribute_delete_fn(void *handle, int keyval, void *value, void *extra_state);

/* The functions may be the ABI's integer-valued constants (NULL_COPY_FN, DUP_FN). These are compared, never
 * called. */
int attribute_new_keyval(enum object_kind on, attribute_copy_fn *copy_fn, attribute_delete_fn *delete_fn,
                         void *extra_state, int *keyval);
int attribute_free_keyval(enum object_kind on, int keyval);

/* `handle` is the first argument of the callbacks. An error of a callback is returned as it is. */
int attribute_set_value(struct attribute_set *set, enum object_kind on, void *handle, int keyval,
                        void *value);
int attribute_get_value(struct attribute_set *set, enum object_kind on, int keyval, void **value, int *found);
/* Deleting an attribute that is not set does nothing. */
int attribute_delete(struct attribute_set *set, enum object_kind on, void *handle, int keyval);
/* Runs the copy callbacks of `from` and fills `to`, which is empty. After an error `to` holds what was copied
 * until then; attribute_delete_all removes it. */
int attribute_copy_all(struct attribute_set *from, void *from_handle, struct attribute_set *to);
/* Deletes in reverse order. Stops at the first callback that fails, and keeps its attribute. */
int attribute_delete_all(struct attribute_set *set, void *handle);

/* keyval: bodies of MPI_X_create_keyval and MPI_X_free_keyval (MPI-5.0 section 7.7), for communicators,
 * datatypes and windows. attribute.h says what a keyval is. */

int attribute_create_keyval_for_comm(MPI_Comm_copy_attr_function *copy_fn,
                                     MPI_Comm_delete_attr_function *delete_fn, int *keyval,
                                     void *extra_state);
int attribute_create_keyval_for_type(MPI_Type_copy_attr_function *copy_fn,
                                     MPI_Type_delete_attr_function *delete_fn, int *keyval,
                                     void *extra_state);
int attribute_create_keyval_for_win(MPI_Win_copy_attr_function *copy_fn,
                                    MPI_Win_delete_attr_function *delete_fn, int *keyval, void *extra_state);
int attribute_free_keyval_of_comm(int *keyval);
int attribute_free_keyval_of_type(int *keyval);
int attribute_free_keyval_of_win(int *keyval);

#endif
