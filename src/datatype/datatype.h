/* datatype: the layout of data in memory (MPI-5.0 chapter 5). No communication.
 *
 * A constructor (construct.h) keeps its arguments, computes bounds and size, and
 * flattens the type into loops over runs of bytes (layout.h), from the layouts of its parts. Commit has
 * nothing left to do but to look for overlaps.
 *
 * Bytes of a message. Only data travels: `count` items are count * size bytes, whatever gaps they have in
 * memory. datatype_bytes() computes their number. datatype_pack() and datatype_unpack() move any range of
 * them. datatype_count() and datatype_elements() turn received bytes into the answers of MPI_Get_count and
 * MPI_Get_elements. Where `dense` is set, the bytes of the message are the bytes of memory from the buffer's
 * address on.
 *
 * A type that this platform lacks (MPI_REAL2 ...) has supported == false. Its size is MPI_UNDEFINED, nothing
 * can be built from it, and it never counts as committed, so communication refuses it.
 *
 * Ownership: a derived type refers to the types that it was built from. MPI_Type_free retires the handle; the
 * last reference frees the memory. Fields are constant after creation unless their comment says otherwise.
 */
#ifndef DATATYPE_DATATYPE_H
#define DATATYPE_DATATYPE_H

#include "base/address.h"
#include "base/counts.h"
#include "datatype/layout.h"
#include "memory/kind.h"
#include "object/attribute.h"
#include "object/object.h"

#include <mpi.h>
#include <stddef.h>

/* How C holds one value of a predefined type; selects the kernels of src/op. */
enum representation {
    REP_NONE, /* characters, packed bytes, types that this platform lacks: no arithmetic */
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
    REP_F16,
    REP_F32,
    REP_F64,
    REP_LONG_DOUBLE,
    REP_F128,
    REP_COMPLEX_F16,
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
    REP_PAIR, /* of two other types: value_index.c */
    REP_COUNT
};

/* The groups of MPI-5.0 section 6.9.2, as bits. They say which operations accept a type. */
enum category {
    CATEGORY_NONE = 0, /* other characters, MPI_PACKED */
    CATEGORY_C_INTEGER = 1,
    CATEGORY_FORTRAN_INTEGER = 2,
    CATEGORY_FLOATING = 4,
    CATEGORY_LOGICAL = 8,
    CATEGORY_COMPLEX = 16,
    CATEGORY_BYTE = 32,
    CATEGORY_MULTI_LANGUAGE = 64,
    CATEGORY_PAIR = 128,
    CATEGORY_CHAR = 256 /* MPI_CHAR, which is in no group of the standard; see docs/TOLERANCES.md */
};

enum {
    DATATYPE_DIMENSIONS = 64 /* the most that MPI_Type_create_subarray and _darray take */
};

struct contents;

struct datatype {
    struct object object;
    MPI_Count size;        /* bytes of data in one item */
    MPI_Count extent;      /* bytes from one item to the next */
    MPI_Count lb;          /* lower bound, bytes; the upper one is lb + extent */
    MPI_Count true_lb;     /* first byte of data */
    MPI_Count true_extent; /* bytes from there to the end of the data */
    MPI_Count alignment;   /* of its most strictly aligned value, bytes */
    MPI_Count elements;    /* values of predefined type in one item; a pair counts two */
    bool dense;            /* count items are one run of count * size bytes from the buffer's address on */
    bool is_marked;        /* lb and extent were set by resizing or by an array, in this type or in a part */
    bool committed;        /* changed by datatype_commit */
    MPI_Count overlaps_from; /* this many items, or more, share bytes, so nothing may be received into them;
                              * set by datatype_commit; 0: no number does */
    bool supported;          /* false: an optional type that the compiler lacks */
    enum representation representation; /* REP_NONE unless predefined, or dup of a predefined one */
    enum category category;             /* likewise */
    int combiner;                       /* MPI_COMBINER_* */
    struct contents *contents;          /* what the constructor was given, referenced; NULL for named ones */
    struct datatype *basic; /* the one predefined type it consists of (itself if predefined); NULL: several */
    struct layout *plain,
        *typed;        /* of one item, referenced; the same layout if `basic` is one type of value */
    struct loop items; /* the loop over items of `plain` */
    struct attribute_set attributes;
    char name[MPI_MAX_OBJECT_NAME]; /* changed by datatype_set_name */
};

/* Items in memory of the program. */
struct user_buffer {
    void *at;
    MPI_Count count;
    struct datatype *type;
};

extern struct pool datatype_pool;
/* The live datatype of a handle, or NULL. Any value is safe. */
static inline struct datatype *datatype_find(MPI_Datatype handle)
{
    return (struct datatype *)object_find(&datatype_pool, handle, 0x200, 0x100);
}

/* Whether the type may describe data: it exists, is committed, and is supported on this machine. */
static inline bool datatype_is_usable(const struct datatype *type)
{
    return type && type->committed && type->supported;
}

/* Whether no data of a predefined type can be at the address: NULL, or MPI_BOTTOM and a small displacement. What a
 * derived type describes may be anywhere. */
static inline bool datatype_is_nowhere(const struct datatype *type, const void *at)
{
    return type && type->object.predefined && type->size > 0 && address_is_in_first_page(at);
}

void datatype_init(void); /* registers the predefined types; idempotent */
void datatype_ref(struct datatype *type);
void datatype_unref(struct datatype *type);

/* The predefined type of this handle; the library uses it for MPI_BYTE and the like. datatype_init has run. */
struct datatype *datatype_predefined(MPI_Datatype handle);

/* Constructors: bodies of MPI_Type_X and MPI_Type_create_X. large: the _c form was called. Scalar counts are
 * already known not to be negative. */
int datatype_contiguous(bool large, MPI_Count count, struct datatype *of, struct datatype **type);
int datatype_vector(bool large, MPI_Count count, MPI_Count blocklength, MPI_Count stride, struct datatype *of,
                    struct datatype **type);
int datatype_hvector(bool large, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                     struct datatype *of, struct datatype **type);
int datatype_indexed(bool large, MPI_Count count, struct counts blocklengths, struct counts displs,
                     struct datatype *of, struct datatype **type);
int datatype_hindexed(bool large, MPI_Count count, struct counts blocklengths, struct counts displs,
                      struct datatype *of, struct datatype **type);
int datatype_indexed_block(bool large, MPI_Count count, MPI_Count blocklength, struct counts displs,
                           struct datatype *of, struct datatype **type);
int datatype_hindexed_block(bool large, MPI_Count count, MPI_Count blocklength, struct counts displs,
                            struct datatype *of, struct datatype **type);
int datatype_struct(bool large, MPI_Count count, struct counts blocklengths, struct counts displs,
                    struct datatype *const *types, struct datatype **type);
int datatype_subarray(bool large, int ndims, struct counts sizes, struct counts subsizes,
                      struct counts starts, int order, struct datatype *of, struct datatype **type);
struct darray {
    int size, rank, ndims;
    struct counts gsizes;
    const int *distribs, *dargs, *psizes;
    int order;
};
int datatype_darray(bool large, const struct darray *darray, struct datatype *of, struct datatype **type);
int datatype_resized(bool large, struct datatype *of, MPI_Count lb, MPI_Count extent, struct datatype **type);
int datatype_dup(struct datatype *of, struct datatype **type);

/* Find predefined types by what they hold; each returns a new reference. datatype_value_index gives NULL if
 * there is no such pair. */
int datatype_f90_real(int precision, int range, struct datatype **type);
int datatype_f90_complex(int precision, int range, struct datatype **type);
int datatype_f90_integer(int range, struct datatype **type);
int datatype_match_size(int typeclass, int size, struct datatype **type);
int datatype_value_index(struct datatype *value, struct datatype *index, struct datatype **pair);

/* Other bodies of MPI_Type_X. */
/* Makes a new object built as `type` was, without attributes or name. A predefined type is returned itself,
 * referenced. */
int datatype_again(struct datatype *type, struct datatype **again);
int datatype_commit(struct datatype *type);
int datatype_free(struct datatype *type);
int datatype_get_size(struct datatype *type, MPI_Count *size);
int datatype_get_extent(struct datatype *type, MPI_Count *lb, MPI_Count *extent);
int datatype_get_true_extent(struct datatype *type, MPI_Count *lb, MPI_Count *extent);
int datatype_set_name(struct datatype *type, const char *name);
int datatype_get_name(struct datatype *type, char *name, int *length);
/* Also gives the name of MPI_DATATYPE_NULL. */
int datatype_get_name_of_handle(MPI_Datatype handle, char *name, int *length);
/* Its name, or words that say that it has none; for error notes. */
const char *datatype_title(const struct datatype *type);

/* Bytes of a message of `count` items; the caller has checked count >= 0. MPI_ERR_COUNT on overflow. */
int datatype_bytes(const struct datatype *type, MPI_Count count, size_t *bytes);
/* Whole items in this many bytes of a message; MPI_UNDEFINED when there is a remainder. */
MPI_Count datatype_count(const struct datatype *type, MPI_Count bytes);
/* Values of predefined type in this many bytes of a message; MPI_UNDEFINED when one is cut. */
MPI_Count datatype_elements(const struct datatype *type, MPI_Count bytes);
/* The reverse: the bytes that this many values take in a message. */
int datatype_element_bytes(const struct datatype *type, MPI_Count elements, MPI_Count *bytes);
/* The bytes of memory that count items of data span, and where they begin, relative to the buffer's address. */
int datatype_span(const struct datatype *type, MPI_Count count, MPI_Count *begin, size_t *bytes);

/* MPI_ERR_TYPE when entries of `count` items share a byte, which accesses to windows, partitions and filetypes that are
 * written must not. Messages and reads leave one of the bytes there (docs/TOLERANCES.md).
 * layout_overlaps_from says what it does not find. */
int datatype_check_overlaps(const struct datatype *type, MPI_Count count);
static inline int datatype_check_receive(const struct datatype *type, MPI_Count count)
{
    return __builtin_expect(type->dense, 1) ? 0 : datatype_check_overlaps(type, count);
}
/* Whether the data of `count` items at buf is one run of bytes. *run is its beginning. */
bool datatype_is_run(const struct datatype *type, MPI_Count count, const void *buf, const void **run);

/* Moves the bytes [from, from + bytes) of a message of items at `base`. There are that many. */
static inline void datatype_pack(const struct datatype *type, const void *base, size_t from, void *to,
                                 size_t bytes)
{
    layout_pack(&type->items, base, (MPI_Count)from, to, (MPI_Count)bytes);
}

static inline void datatype_unpack(const struct datatype *type, void *base, size_t from, const void *packed,
                                   size_t bytes)
{
    layout_unpack(&type->items, base, (MPI_Count)from, packed, (MPI_Count)bytes);
}

/* The device that must access the data of items at `base`; NULL: the host can. `kinds` are the kinds of
 * memory that the items may be in. All of a buffer is of one kind. */
static inline const struct device *datatype_device(const struct datatype *type, const void *base,
                                                   int64_t kinds)
{
    return kind_device(layout_at(base, type->true_lb), kinds);
}

/* datatype_pack and datatype_unpack of items in a device's memory (NULL: the host's). An error is the device's. */
static inline int datatype_pack_from(const struct device *device, const struct datatype *type,
                                     const void *base, size_t from, void *to, size_t bytes)
{
    if (__builtin_expect(device != 0, 0))
        return layout_pack_device(&type->items, device, base, (MPI_Count)from, to, (MPI_Count)bytes);
    datatype_pack(type, base, from, to, bytes);
    return MPI_SUCCESS;
}

static inline int datatype_unpack_to(const struct device *device, const struct datatype *type, void *base,
                                     size_t from, const void *packed, size_t bytes)
{
    if (__builtin_expect(device != 0, 0))
        return layout_unpack_device(&type->items, device, base, (MPI_Count)from, packed, (MPI_Count)bytes);
    datatype_unpack(type, base, from, packed, bytes);
    return MPI_SUCCESS;
}

/* Bodies of MPI_Pack, _Unpack, _Pack_size. */
int datatype_pack_items(const void *items, MPI_Count count, struct datatype *type, void *packed,
                        MPI_Count packed_size, MPI_Count *position);
int datatype_unpack_items(const void *packed, MPI_Count packed_size, MPI_Count *position, void *items,
                          MPI_Count count, struct datatype *type);
int datatype_packed_size(MPI_Count count, struct datatype *type, MPI_Count *size);

/* The same in a portable representation. The only one is "external32" (MPI-5.0 section 14.5.2). */
int datatype_pack_external(const char *datarep, const void *items, MPI_Count count, struct datatype *type,
                           void *packed, MPI_Count packed_size, MPI_Count *position);
int datatype_unpack_external(const char *datarep, const void *packed, MPI_Count packed_size,
                             MPI_Count *position, void *items, MPI_Count count, struct datatype *type);
int datatype_external_size(const char *datarep, MPI_Count count, struct datatype *type, MPI_Count *size);

/* Copies data inside this process, between buffers of these kinds of memory, as a send to itself would.
 * MPI_ERR_TRUNCATE when `to` is too short; it is then filled. The buffers may be the same but must not
 * overlap otherwise. */
int datatype_copy_kinds(const void *from, MPI_Count from_count, const struct datatype *from_type, void *to,
                        MPI_Count to_count, const struct datatype *to_type, int64_t kinds);

/* Bodies of MPI_Type_set_attr, _get_attr and _delete_attr. `value` of a get is the address of the program's pointer. */
int datatype_set_attribute(struct datatype *type, int keyval, void *value);
int datatype_get_attribute(struct datatype *type, int keyval, void *value, int *flag);
int datatype_delete_attribute(struct datatype *type, int keyval);

/* value_index: the types of a value and an index that MPI_Type_get_value_index makes (MPI-5.0 section 6.9.4): predefined, without a
 * name, of this process alone. Other processes know one by its parts. */

/* The named types of both parts. False: `type` is no such pair. */
bool value_index_parts(const struct datatype *type, struct datatype **value, struct datatype **index);
/* Where the index is, in bytes behind the value's address. */
MPI_Count value_index_place(const struct datatype *value, const struct datatype *index);

/* rebuild: the same constructors on other predefined types, as a machine would build a type whose values have
 * other sizes. */

/* Gives what stands for a predefined type, with a reference. */
typedef int rebuild_fn(const void *state, struct datatype *predefined, struct datatype **instead);

/* Byte displacements, strides and bounds that the program gave stay; all else follows from the new sizes. The
 * result is committed, and has a reference; it is the type itself if no predefined type in it was replaced. */
int datatype_rebuild(struct datatype *type, rebuild_fn *replace, const void *state,
                     struct datatype **rebuilt);

#endif
