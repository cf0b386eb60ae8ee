/* datatype: the layout of data in memory (MPI-5.0 chapter 6). Pure: no communication.
 *
 * Today: predefined types and what MPI_Type_contiguous and MPI_Type_dup build from them. All of these are
 * dense: lb 0, and count items lie in memory as one run of count * extent bytes.
 *
 * Bytes of a message. For every type but the pairs, extent == size. The predefined pair types whose C struct
 * has padding (MPI_SHORT_INT, MPI_LONG_INT, MPI_DOUBLE_INT, MPI_LONG_DOUBLE_INT) have extent > size; they are
 * moved whole, padding included. So an item of any type of today is `extent` bytes of a message:
 * datatype_bytes() gives them for a count, datatype_count() and datatype_elements() turn received bytes back
 * into what MPI_Get_count and MPI_Get_elements answer. MPI_Type_size still tells the data without padding.
 *
 * A type that this platform lacks (MPI_REAL2 ...) has supported == false: its size is MPI_UNDEFINED, nothing
 * can be built from it, and it never counts as committed, so that communication refuses it.
 *
 * Ownership: a derived type refers to the type it was built from. MPI_Type_free retires the handle; the
 * memory goes with the last reference. Fields are constant after creation unless their comment says
 * otherwise.
 */
#ifndef DATATYPE_DATATYPE_H
#define DATATYPE_DATATYPE_H

#include "object/attribute.h"
#include "object/object.h"

#include <mpi.h>
#include <stddef.h>

/* How C holds one value of a predefined type; selects the kernels of src/op. */
enum representation {
    REP_NONE, /* characters, packed bytes, types this platform lacks: nothing to compute with */
    REP_I8,
    REP_I16,
    REP_I32,
    REP_I64,
    REP_I128,
    REP_U8,
    REP_U16,
    REP_U32,
    REP_U64,
    REP_U128,
    REP_F32,
    REP_F64,
    REP_LONG_DOUBLE,
    REP_F128,
    REP_COMPLEX_F32,
    REP_COMPLEX_F64,
    REP_COMPLEX_LONG_DOUBLE,
    REP_COMPLEX_F128,
    REP_PAIR_I16_INT, /* struct { int16_t value; int index; } ... */
    REP_PAIR_I32_INT,
    REP_PAIR_I64_INT,
    REP_PAIR_F32_INT,
    REP_PAIR_F64_INT,
    REP_PAIR_LONG_DOUBLE_INT,
    REP_PAIR_F32, /* two values of the same type */
    REP_PAIR_F64,
    REP_COUNT
};

/* The groups of MPI-5.0 section 7.9.2, which say what operations a type takes part in. Bits. */
enum category {
    CATEGORY_NONE = 0, /* characters, MPI_PACKED */
    CATEGORY_C_INTEGER = 1,
    CATEGORY_FORTRAN_INTEGER = 2,
    CATEGORY_FLOATING = 4,
    CATEGORY_LOGICAL = 8,
    CATEGORY_COMPLEX = 16,
    CATEGORY_BYTE = 32,
    CATEGORY_MULTI_LANGUAGE = 64,
    CATEGORY_PAIR = 128
};

struct datatype {
    struct object object;
    MPI_Count size;        /* bytes of data in one item */
    MPI_Count extent;      /* bytes from one item to the next */
    MPI_Count lb;          /* lower bound, bytes */
    MPI_Count true_extent; /* bytes from the first to the last byte of data; they start at lb */
    MPI_Count elements;    /* values of predefined type in one item; a pair counts two */
    bool dense;            /* items lie in memory as one run of bytes: count * extent moves them all */
    bool committed;        /* changed by datatype_commit */
    bool supported;        /* false: an optional type that the compiler lacks */
    bool large;            /* built by the large-count form of its constructor (MPI_Type_get_envelope) */
    enum representation representation; /* REP_NONE unless predefined, or dup of a predefined one */
    enum category category;             /* likewise */
    int combiner;                       /* MPI_COMBINER_* */
    MPI_Count count;                    /* MPI_Type_contiguous: how many of `of` */
    struct datatype *of;                /* the type it was built from, referenced; NULL for predefined ones */
    struct datatype *basic;             /* the one predefined type it consists of (itself if predefined) */
    struct attribute_set attributes;
    char name[MPI_MAX_OBJECT_NAME]; /* changed by datatype_set_name */
};

extern struct pool datatype_pool;

void datatype_init(void); /* registers the predefined types; idempotent */
void datatype_ref(struct datatype *type);
void datatype_unref(struct datatype *type);

/* The predefined type of this handle; the library's own way to say MPI_BYTE. datatype_init has run. */
struct datatype *datatype_predefined(MPI_Datatype handle);

/* Bodies of MPI_Type_X. */
int datatype_contiguous(MPI_Count count, struct datatype *of, struct datatype **type);
int datatype_contiguous_large(MPI_Count count, struct datatype *of, struct datatype **type);
int datatype_dup(struct datatype *of, struct datatype **type);
/* A new object built as `type` was, without attributes or name; a predefined type is itself, referenced. */
int datatype_again(struct datatype *type, struct datatype **again);
int datatype_commit(struct datatype *type);
int datatype_free(struct datatype *type);
int datatype_get_size(struct datatype *type, MPI_Count *size);
int datatype_get_extent(struct datatype *type, MPI_Count *lb, MPI_Count *extent);
int datatype_get_true_extent(struct datatype *type, MPI_Count *lb, MPI_Count *extent);
int datatype_set_name(struct datatype *type, const char *name);
int datatype_get_name(struct datatype *type, char *name, int *length);

/* What the constructor of a type took. */
struct envelope {
    MPI_Count integers, addresses, large_counts, datatypes;
    int combiner;
};
void datatype_envelope(const struct datatype *type, struct envelope *envelope);

/* Bytes of a message of `count` items; the caller has checked count >= 0. MPI_ERR_COUNT on overflow. */
int datatype_bytes(const struct datatype *type, MPI_Count count, size_t *bytes);
/* Whole items in so many bytes of a message; MPI_UNDEFINED when there is a rest. */
MPI_Count datatype_count(const struct datatype *type, MPI_Count bytes);
/* Values of predefined type in so many bytes of a message; MPI_UNDEFINED when one is cut. */
MPI_Count datatype_elements(const struct datatype *type, MPI_Count bytes);

/* Moves data inside this process, as a send to itself would: MPI_ERR_TRUNCATE when `to` is too short (it is
 * then filled). The buffers may be the same, but not otherwise overlap. */
int datatype_copy(const void *from, MPI_Count from_count, const struct datatype *from_type, void *to,
                  MPI_Count to_count, const struct datatype *to_type);

#endif
