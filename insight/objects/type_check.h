/* type_check: signatures and layouts of datatypes, worked out from MPI_Type_get_contents when first needed.
 *
 * A signature is the sequence of basic types (MPI-5.0 section 5.1): how many, and a hash. The hash of a repetition follows from
 * that of its part. Names of one C type are one basic type. A layout is a list of runs of bytes, as far as it is short.
 */
#ifndef INSIGHT_OBJECTS_TYPE_CHECK_H
#define INSIGHT_OBJECTS_TYPE_CHECK_H

#include "insight/call/tracked.h"
#include "insight/call/type_signature.h"

#include <string.h>

enum {
    TYPE_RUNS = 512
};

struct byte_run {
    int64_t offset, length;
};

struct type_record {
    struct tracked base;
    bool is_known, is_dense;
    struct type_signature one;
    uint64_t multiplier; /* of the hash, for what stands before it */
    int64_t lb, extent, true_lb, true_extent;
    struct byte_run *run; /* in the order of the type */
    int runs;             /* -1: too many */
    int64_t meets_from;   /* type_check_meets_itself; 0: not worked out yet */
};

/* The type of the last look, since a call asks several times about one. */
struct type_last {
    MPI_Datatype type; /* NULL at first, which no datatype is */
    struct type_record *record;
    uint64_t gone; /* tracked_gone */
};
extern struct type_last type_check_last;
struct type_record *type_check_look_up(MPI_Datatype type);

static inline struct type_record *type_check_find(MPI_Datatype type)
{
    const struct type_last *last = &type_check_last;

    return last->type == type && last->gone == tracked_gone ? last->record : type_check_look_up(type);
}
struct type_signature type_check_signature(MPI_Datatype type, int64_t count);

/* A buffer of a call, and what its count and datatype say: worked out once, for all checks of the call. */
struct typed_buffer {
    const void *start;
    int64_t count;
    MPI_Datatype type;
    const struct type_record *record; /* NULL: not known, or no items */
    uintptr_t low, high;              /* the bytes that it spans; high 0: none */
    bool is_dense;                    /* all bytes that it spans are its own */
};

/* As above. */
static inline struct typed_buffer type_check_buffer(const void *start, int64_t count, MPI_Datatype type)
{
    const struct type_record *t = count > 0 && start != MPI_IN_PLACE ? type_check_find(type) : NULL;
    struct typed_buffer b = {start, count, type, t, 0, 0, false};

    if (!t || t->true_extent == 0 || t->extent < 0)
        return b;
    b.low = (uintptr_t)start + (uintptr_t)t->true_lb;
    b.high = b.low + (uintptr_t)(t->true_extent + (count - 1) * t->extent);
    b.is_dense = t->is_dense;
    return b;
}

static inline struct type_signature type_check_signature_of(const struct typed_buffer *b)
{
    const struct type_record *t = b->record;

    if (!t || !t->is_known || !t->one.basic)
        return type_check_signature(b->type, b->count);
    return (struct type_signature){t->one.items * (uint64_t)b->count, t->one.bytes * (uint64_t)b->count, 0,
                                   t->one.basic, 1};
}

/* The bytes that a buffer spans; false: none. */
bool type_check_span(const void *buffer, int64_t count, MPI_Datatype type, uintptr_t *low, uintptr_t *high);
/* Whether the process still has that memory, which the program may have freed. */
bool type_check_is_mapped(const void *buffer, int64_t count, MPI_Datatype type);
/* Whether two buffers have a byte in common; spans that overlap are looked at run by run. */
bool type_check_overlap(const void *a, int64_t a_count, MPI_Datatype a_type, const void *b, int64_t b_count,
                        MPI_Datatype b_type);
/* Whether among so many items two entries have a byte in common. Long lists of runs are not looked at. */
bool type_check_record_meets_itself(struct type_record *type, int64_t count);

static inline bool type_check_meets_itself(MPI_Datatype type, int64_t count)
{
    struct type_record *t = type_check_find(type);

    return t && !t->is_dense && t->runs > 0 && type_check_record_meets_itself(t, count);
}
/* Whether two lists of runs, in any order, have a byte in common. */
bool type_check_runs_meet(const struct byte_run *a, int a_count, const struct byte_run *b, int b_count);
uint64_t type_check_checksum(const void *buffer, int64_t count, MPI_Datatype type);
/* The same of a dense one, with these bytes. */
uint64_t type_check_sum_of_many(uintptr_t low, uintptr_t high);

#define TYPE_HASH_OF_NOTHING UINT64_C(0xcbf29ce484222325)
#define TYPE_HASH_FACTOR     UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t type_check_hash_word(uint64_t hash, const void *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    hash = (hash ^ word) * TYPE_HASH_FACTOR;
    return hash ^ hash >> 29;
}

static inline uint64_t type_check_sum_of(uintptr_t low, uintptr_t high)
{
    return high - low == sizeof(uint64_t) ? type_check_hash_word(TYPE_HASH_OF_NOTHING, (const void *)low)
                                          : type_check_sum_of_many(low, high);
}

#endif
