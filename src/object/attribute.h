/* attribute: cached values on communicators, datatypes and windows (MPI-5.0 section 7.7).
 *
 * An attribute_set belongs to one object; it keeps the order in which values were set. Copy callbacks run in
 * that order when the object is duplicated, delete callbacks in reverse order when it goes (MPI-5.0 7.7
 * leaves the order open; MPI_COMM_SELF at finalize wants LIFO, section 11.2.4).
 *
 * Keyvals are integers. The predefined ones (MPI_TAG_UB ...) are the ABI's: what they tell is the business of
 * the object (see comm/comm_attribute.c), here they are known only to be refused. The others are objects of a pool
 * of their own, so that a garbage or stale integer is found out. A keyval that is freed while attributes use
 * it lives on until the last of these is gone: it can still be read and deleted, but not set or freed again.
 *
 * Threads: one lock guards all sets and keyvals. Callbacks are user code and run without it; while a delete
 * callback runs, the attribute is still there.
 */
#ifndef OBJECT_ATTRIBUTE_H
#define OBJECT_ATTRIBUTE_H

#include "object/object.h"

struct attribute; /* one cached value */

struct attribute_set {
    struct attribute *first, *last;
};

/* A copy or delete callback whatever the handle type: handles are pointer-sized in the ABI. */
typedef int attribute_copy_fn(void *handle, int keyval, void *extra_state, void *value_in, void *value_out,
                              int *flag);
typedef int attribute_delete_fn(void *handle, int keyval, void *value, void *extra_state);

/* The functions may be the ABI's integer-valued constants (NULL_COPY_FN, DUP_FN): compared, never called. */
int attribute_new_keyval(enum object_kind on, attribute_copy_fn *copy_fn, attribute_delete_fn *delete_fn,
                         void *extra_state, int *keyval);
int attribute_free_keyval(enum object_kind on, int keyval);

/* `handle` is what callbacks get as their first argument. An error of a callback is returned as it is. */
int attribute_set_value(struct attribute_set *set, enum object_kind on, void *handle, int keyval,
                        void *value);
int attribute_get_value(struct attribute_set *set, enum object_kind on, int keyval, void **value, int *found);
/* Deleting what is not there does nothing. */
int attribute_delete(struct attribute_set *set, enum object_kind on, void *handle, int keyval);
/* Runs the copy callbacks of `from` and fills `to`, which is empty. After an error `to` holds what had been
 * copied until then: attribute_delete_all takes it back. */
int attribute_copy_all(struct attribute_set *from, void *from_handle, struct attribute_set *to);
/* Deletes in reverse order; stops at the first callback that fails, with its attribute still there. */
int attribute_delete_all(struct attribute_set *set, void *handle);

#endif
