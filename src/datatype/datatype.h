/* datatype: the layout of data in memory (MPI-5.0 chapter 6). Pure: no communication.
 *
 * Today: predefined types and what MPI_Type_contiguous and MPI_Type_dup build from them. All of these are
 * dense: `size` bytes of data without gaps, lb 0, extent == size, except the predefined pair types whose C
 * struct has padding (extent > size); those are moved whole, padding included.
 */
#ifndef DATATYPE_DATATYPE_H
#define DATATYPE_DATATYPE_H

#include "object/attribute.h"
#include "object/object.h"

#include <mpi.h>

struct datatype {
    struct object object;
    MPI_Count size;   /* bytes of data in one item; 0 for a type this platform lacks */
    MPI_Count extent; /* bytes from one item to the next */
    MPI_Count lb;     /* lower bound, bytes */
    bool dense;       /* items lie in memory as one run of bytes: count * extent moves them all */
    bool committed;
    bool supported;      /* false: an optional type that the compiler lacks (MPI_Type_size: MPI_UNDEFINED) */
    int basic_class;     /* enum of op/op.h's kernels for predefined types; see datatype.c */
    int combiner;        /* MPI_COMBINER_* */
    MPI_Count count;     /* MPI_Type_contiguous: how many of `of` */
    struct datatype *of; /* the type it was built from, referenced; NULL for predefined ones */
    struct datatype *basic; /* the one predefined type it consists of (itself if predefined) */
    struct attribute_set attributes;
    char name[MPI_MAX_OBJECT_NAME];
};

extern struct pool datatype_pool;

void datatype_init(void); /* registers the predefined types; idempotent */
void datatype_ref(struct datatype *type);
void datatype_unref(struct datatype *type);

int datatype_contiguous(MPI_Count count, struct datatype *of, struct datatype **type);
int datatype_dup(struct datatype *of, struct datatype **type);

/* Bytes that `count` items occupy as data; the caller has checked count >= 0. MPI_ERR_COUNT on overflow. */
int datatype_bytes(const struct datatype *type, MPI_Count count, size_t *bytes);

#endif
