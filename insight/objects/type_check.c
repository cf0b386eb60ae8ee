#include "insight/objects/type_check.h"

#include "insight/memory/memory_use.h"

#include <insight/checks.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DIMENSIONS = 16 /* of a subarray whose places are worked out */
};

static const uint64_t hash_base = 0x5851f42d4c957f2du;

/* Basic types that are one type in C, by kind and size. */
static const struct {
    char kind;
    MPI_Datatype type;
} alike[] = {
    {'i', MPI_SHORT},          {'i', MPI_INT},
    {'i', MPI_LONG},           {'i', MPI_LONG_LONG},
    {'i', MPI_INT8_T},         {'i', MPI_INT16_T},
    {'i', MPI_INT32_T},        {'i', MPI_INT64_T},
    {'i', MPI_AINT},           {'i', MPI_COUNT},
    {'i', MPI_OFFSET},         {'i', MPI_INTEGER},
    {'i', MPI_SIGNED_CHAR},    {'u', MPI_UNSIGNED_CHAR},
    {'u', MPI_UNSIGNED_SHORT}, {'u', MPI_UNSIGNED},
    {'u', MPI_UNSIGNED_LONG},  {'u', MPI_UNSIGNED_LONG_LONG},
    {'u', MPI_UINT8_T},        {'u', MPI_UINT16_T},
    {'u', MPI_UINT32_T},       {'u', MPI_UINT64_T},
    {'f', MPI_FLOAT},          {'f', MPI_DOUBLE},
    {'f', MPI_REAL},           {'f', MPI_DOUBLE_PRECISION},
    {'c', MPI_CHAR},           {'c', MPI_CHARACTER},
    {'b', MPI_C_BOOL},         {'b', MPI_CXX_BOOL},
};

static uint64_t hash_power(uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;

    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1)
            result *= base;
    return result;
}

static uint32_t basic_of(MPI_Datatype type, int64_t size)
{
    if (type == MPI_PACKED)
        return SIGNATURE_PACKED;
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        int other_size;

        if (alike[i].type != type)
            continue;
        for (size_t k = 0; k < sizeof alike / sizeof *alike; k++)
            if (alike[k].kind == alike[i].kind && !real.Type_size(alike[k].type, &other_size) &&
                other_size == size)
                return (uint32_t)(uintptr_t)alike[k].type;
    }
    return (uint32_t)(uintptr_t)type;
}

/* A pair without a name is named by its parts: its handle is this process's alone. */
static void learn_pair(struct type_record *record, MPI_Datatype type)
{
    MPI_Datatype part[2];
    uint32_t basic[2];

    if (real.Type_get_contents_c(type, 0, 0, 0, 2, NULL, NULL, NULL, part))
        return;
    for (int i = 0; i < 2; i++) {
        int size = 0;

        real.Type_size(part[i], &size);
        basic[i] = basic_of(part[i], size);
        if (basic[i] >> SIGNATURE_INDEX_SHIFT)
            return;
    }
    record->one.basic = basic[0] | basic[1] << SIGNATURE_INDEX_SHIFT;
}

/* The hash of n repetitions is h * (1 + m + m^2 + ...), by halves. */
static uint64_t hash_repeated(uint64_t hash, uint64_t multiplier, uint64_t count)
{
    uint64_t result = 0;

    for (; count; count >>= 1) {
        if (count & 1)
            result = result * multiplier + hash;
        hash += hash * multiplier;
        multiplier *= multiplier;
    }
    return result;
}

static struct type_signature repeat(const struct type_signature *one, uint64_t multiplier, uint64_t count)
{
    struct type_signature all = *one;

    all.items *= count;
    all.bytes *= count;
    all.hash = one->basic ? 0 : hash_repeated(one->hash, multiplier, count);
    return all;
}

/* The hash of a signature of one basic type, where it becomes a part of a mixed one. */
static uint64_t full_hash(const struct type_signature *s)
{
    return s->basic ? hash_repeated(s->basic, hash_base, s->items) : s->hash;
}

static void append_run(struct type_record *into, int64_t offset, int64_t length)
{
    struct byte_run *last = into->runs > 0 ? &into->run[into->runs - 1] : NULL;

    if (into->runs < 0 || length == 0)
        return;
    if (last && last->offset + last->length == offset) {
        last->length += length;
        return;
    }
    if (into->runs == TYPE_RUNS || (!into->run && !(into->run = malloc(TYPE_RUNS * sizeof *into->run)))) {
        into->runs = -1;
        return;
    }
    into->run[into->runs++] = (struct byte_run){offset, length};
}

/* Adds `count` items of a part at an offset. */
static void append_part(struct type_record *into, const struct type_record *part, int64_t count,
                        int64_t offset)
{
    struct type_signature more = repeat(&part->one, part->multiplier, (uint64_t)count);

    if (count <= 0)
        return;
    if (into->one.items == 0) {
        into->one = more;
    } else if (more.items > 0) {
        if (into->one.basic != more.basic || !more.basic) {
            uint64_t shift = hash_power(hash_base, more.items);

            into->one.hash = full_hash(&into->one) * shift + full_hash(&more);
            into->one.basic = 0;
        }
        into->one.items += more.items;
        into->one.bytes += more.bytes;
    }
    if (part->runs < 0)
        into->runs = -1;
    for (int64_t i = 0; i < count && into->runs >= 0; i++)
        for (int r = 0; r < part->runs; r++)
            append_run(into, offset + i * part->extent + part->run[r].offset, part->run[r].length);
}

static void learn_named(struct type_record *record, MPI_Datatype type)
{
    MPI_Count size = 0;

    real.Type_size_c(type, &size);
    record->one = (struct type_signature){1, (uint64_t)size, 0, basic_of(type, size), 1};
    append_run(record, 0, size);
}

struct type_contents {
    MPI_Count integers, addresses, counts, types;
    int *integer;
    MPI_Aint *address;
    MPI_Count *count;
    MPI_Datatype *type;
    int combiner;
};

/* One of the numbers of a constructor, which are counts or, where that is an int constructor, integers. */
static int64_t number(const struct type_contents *c, MPI_Count index)
{
    return c->counts > 0 ? c->count[index] : c->integer[index];
}

/* Constructors without counts in their rows store displacements as addresses. */
static int64_t displacement(const struct type_contents *c, MPI_Count in_numbers, MPI_Count in_addresses)
{
    return c->addresses > 0 ? c->address[in_addresses] : number(c, in_numbers);
}

static bool combine_parts(struct type_record *record, const struct type_contents *c, struct type_record *old)
{
    MPI_Count n;

    switch (c->combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        append_part(record, old, 1, 0);
        return true;
    case MPI_COMBINER_CONTIGUOUS:
        append_part(record, old, number(c, 0), 0);
        return true;
    case MPI_COMBINER_VECTOR:
        for (MPI_Count i = 0; i < number(c, 0); i++)
            append_part(record, old, number(c, 1), i * number(c, 2) * old->extent);
        return true;
    case MPI_COMBINER_HVECTOR:
        for (MPI_Count i = 0; i < number(c, 0); i++)
            append_part(record, old, number(c, 1), i * displacement(c, 2, 0));
        return true;
    case MPI_COMBINER_INDEXED:
        n = number(c, 0);
        for (MPI_Count i = 0; i < n; i++)
            append_part(record, old, number(c, 1 + i), number(c, 1 + n + i) * old->extent);
        return true;
    case MPI_COMBINER_HINDEXED:
        n = number(c, 0);
        for (MPI_Count i = 0; i < n; i++)
            append_part(record, old, number(c, 1 + i), displacement(c, 1 + n + i, i));
        return true;
    case MPI_COMBINER_INDEXED_BLOCK:
        for (MPI_Count i = 0; i < number(c, 0); i++)
            append_part(record, old, number(c, 1), number(c, 2 + i) * old->extent);
        return true;
    case MPI_COMBINER_HINDEXED_BLOCK:
        for (MPI_Count i = 0; i < number(c, 0); i++)
            append_part(record, old, number(c, 1), displacement(c, 2 + i, i));
        return true;
    default:
        return false;
    }
}

static void combine_struct(struct type_record *record, const struct type_contents *c)
{
    MPI_Count n = c->types;

    for (MPI_Count i = 0; i < n; i++) {
        struct type_record *part = type_check_find(c->type[i]);

        if (part && part->is_known)
            append_part(record, part, number(c, 1 + i), displacement(c, 1 + n + i, i));
    }
    record->is_known = true;
}

/* The rows of a subarray: `n` has its sizes, those of the part and where that starts, for each dimension. */
static void append_rows(struct type_record *record, const struct type_contents *c,
                        const struct type_record *old)
{
    int dimensions = c->integer[0];
    MPI_Count first = c->counts > 0 ? 0 : 1, at[MAX_DIMENSIONS] = {0}, rows = 1;
    bool is_c = c->integer[c->counts > 0 ? 1 : 1 + 3 * dimensions] == MPI_ORDER_C;

    for (int d = 1; d < dimensions; d++)
        rows *= number(c, first + dimensions + (is_c ? d - 1 : d));
    for (MPI_Count row = 0; row < rows && record->runs >= 0; row++) {
        int64_t offset = 0, stride = 1;

        for (int i = 0; i < dimensions; i++) { /* the dimension that varies fastest is the first */
            int d = is_c ? dimensions - 1 - i : i;

            offset += (number(c, first + 2 * dimensions + d) + at[i]) * stride;
            stride *= number(c, first + d);
        }
        append_run(record, offset * old->extent + old->run[0].offset,
                   number(c, first + dimensions + (is_c ? dimensions - 1 : 0)) * old->extent);
        for (int i = 1; i < dimensions; i++) {
            if (++at[i] < number(c, first + dimensions + (is_c ? dimensions - 1 - i : i)))
                break;
            at[i] = 0;
        }
    }
}

/* Subarrays and distributed arrays: all items are of the old type. Only the places of a subarray of a dense type are worked out. */
static void combine_array(struct type_record *record, MPI_Datatype type, const struct type_contents *c,
                          const struct type_record *old)
{
    MPI_Count size = 0;

    real.Type_size_c(type, &size);
    append_part(record, old, old->one.bytes ? size / (int64_t)old->one.bytes : 0, 0);
    record->runs =
        c->combiner == MPI_COMBINER_SUBARRAY && old->is_dense && c->integer[0] <= MAX_DIMENSIONS ? 0 : -1;
    if (record->runs == 0)
        append_rows(record, c, old);
    record->is_known = true;
}

static void learn_contents(struct type_record *record, MPI_Datatype type, struct type_contents *c)
{
    struct type_record *old;

    if (real.Type_get_contents_c(type, c->integers, c->addresses, c->counts, c->types, c->integer, c->address,
                                 c->count, c->type))
        return;
    old = c->types ? type_check_find(c->type[0]) : NULL;
    if (c->combiner == MPI_COMBINER_STRUCT)
        combine_struct(record, c);
    else if (old && old->is_known && combine_parts(record, c, old))
        record->is_known = true;
    else if (old && old->is_known &&
             (c->combiner == MPI_COMBINER_SUBARRAY || c->combiner == MPI_COMBINER_DARRAY))
        combine_array(record, type, c, old);
    for (MPI_Count i = 0; i < c->types; i++) {
        MPI_Count a, b, d, e;
        int combiner = MPI_COMBINER_NAMED;

        real.Type_get_envelope_c(c->type[i], &a, &b, &d, &e, &combiner);
        if (combiner == MPI_COMBINER_NAMED)
            continue;
        old = tracked_find(TRACKED_TYPE, (uint64_t)(uintptr_t)c->type[i]);
        if (old && old->base.is_ours) {
            free(old->run);
            tracked_remove(TRACKED_TYPE, old->base.handle);
        }
        real.Type_free(&c->type[i]);
    }
}

static void learn_extent(struct type_record *record, MPI_Datatype type)
{
    MPI_Count lb = 0, extent = 0, true_lb = 0, true_extent = 0;

    real.Type_get_extent_c(type, &lb, &extent);
    real.Type_get_true_extent_c(type, &true_lb, &true_extent);
    record->lb = lb;
    record->extent = extent;
    record->true_lb = true_lb;
    record->true_extent = true_extent;
    record->is_dense = record->runs == 1 && record->run[0].length == extent;
    record->multiplier = hash_power(hash_base, record->one.items);
    record->one.is_known = record->is_known;
}

static void learn_type(struct type_record *record, MPI_Datatype type)
{
    struct type_contents c = {0};

    record->runs = 0;
    if (real.Type_get_envelope_c(type, &c.integers, &c.addresses, &c.counts, &c.types, &c.combiner))
        return;
    if (c.combiner == MPI_COMBINER_NAMED || c.combiner == MPI_COMBINER_VALUE_INDEX || c.types == 0) {
        learn_named(record, type);
        if (c.combiner == MPI_COMBINER_VALUE_INDEX)
            learn_pair(record, type);
        record->is_known = true;
    } else {
        c.integer = calloc((size_t)c.integers + 1, sizeof *c.integer);
        c.address = calloc((size_t)c.addresses + 1, sizeof *c.address);
        c.count = calloc((size_t)c.counts + 1, sizeof *c.count);
        c.type = calloc((size_t)c.types + 1, sizeof *c.type);
        if (c.integer && c.address && c.count && c.type)
            learn_contents(record, type, &c);
        free(c.integer);
        free(c.address);
        free(c.count);
        free(c.type);
    }
    learn_extent(record, type);
}

struct type_last type_check_last;

struct type_record *type_check_look_up(MPI_Datatype type)
{
    struct type_record *record;

    if (type == MPI_DATATYPE_NULL)
        return NULL;
    record = tracked_find(TRACKED_TYPE, (uint64_t)(uintptr_t)type);
    if (!record)
        record = tracked_add(TRACKED_TYPE, (uint64_t)(uintptr_t)type, sizeof *record, NULL);
    if (record && !record->multiplier)
        learn_type(record, type);
    if (record && record->multiplier)
        type_check_last = (struct type_last){type, record, tracked_gone};
    return record;
}

struct type_signature type_check_signature(MPI_Datatype type, int64_t count)
{
    struct type_record *record = count > 0 ? type_check_find(type) : NULL;
    struct type_signature none = {0, 0, 0, 0, count == 0}; /* less is refused */

    return record && record->is_known ? repeat(&record->one, record->multiplier, (uint64_t)count) : none;
}

bool type_check_span(const void *buffer, int64_t count, MPI_Datatype type, uintptr_t *low, uintptr_t *high)
{
    struct typed_buffer b = type_check_buffer(buffer, count, type);

    *low = b.low;
    *high = b.high;
    return b.high > 0;
}

struct runs_of {
    uintptr_t buffer;
    int64_t count;
    const struct type_record *type;
};

/* Whether a run meets one of the other buffer. */
static bool meets(uintptr_t low, uintptr_t high, const struct runs_of *other)
{
    const struct type_record *t = other->type;
    int64_t extent = t->extent > 0 ? t->extent : 1;
    int64_t first = ((int64_t)(low - other->buffer) - t->true_lb - t->true_extent) / extent - 1;

    for (int64_t i = first < 0 ? 0 : first; i < other->count; i++) {
        uintptr_t at = other->buffer + (uintptr_t)(i * t->extent);

        if (at + (uintptr_t)t->true_lb >= high)
            return false;
        for (int r = 0; r < t->runs; r++) {
            uintptr_t start = at + (uintptr_t)t->run[r].offset;

            if (start < high && low < start + (uintptr_t)t->run[r].length)
                return true;
        }
    }
    return false;
}

bool type_check_runs_meet(const struct byte_run *a, int a_count, const struct byte_run *b, int b_count)
{
    for (int i = 0; i < a_count; i++)
        for (int k = 0; k < b_count; k++)
            if (a[i].offset < b[k].offset + b[k].length && b[k].offset < a[i].offset + a[i].length)
                return true;
    return false;
}

bool type_check_overlap(const void *a, int64_t a_count, MPI_Datatype a_type, const void *b, int64_t b_count,
                        MPI_Datatype b_type)
{
    struct runs_of one = {(uintptr_t)a, a_count, type_check_find(a_type)},
                   two = {(uintptr_t)b, b_count, type_check_find(b_type)};
    uintptr_t low, high, other_low, other_high;

    if (!type_check_span(a, a_count, a_type, &low, &high) ||
        !type_check_span(b, b_count, b_type, &other_low, &other_high))
        return false;
    if (low >= other_high || other_low >= high)
        return false;
    if (one.type->is_dense && two.type->is_dense)
        return true;
    if (one.type->runs < 0 || two.type->runs < 0 || a_count > 4096)
        return false;
    for (int64_t i = 0; i < a_count; i++) {
        for (int r = 0; r < one.type->runs; r++) {
            uintptr_t start = one.buffer + (uintptr_t)(i * one.type->extent + one.type->run[r].offset);

            if (meets(start, start + (uintptr_t)one.type->run[r].length, &two))
                return true;
        }
    }
    return false;
}

/* Whether the entries of an item have a byte in common with those of one that begins so many bytes later. */
static bool meets_later(const struct type_record *t, int64_t later)
{
    for (int i = 0; i < t->runs; i++)
        for (int k = later ? 0 : i + 1; k < t->runs; k++)
            if (t->run[i].offset < t->run[k].offset + later + t->run[k].length &&
                t->run[k].offset + later < t->run[i].offset + t->run[i].length)
                return true;
    return false;
}

enum {
    COMPARED = 1 << 20 /* the most pairs of runs that are compared, once for a type */
};

/* The least number of items among which two entries meet; INT64_MAX: none were found. */
static int64_t find_meeting(const struct type_record *t)
{
    int64_t pairs = (int64_t)t->runs * t->runs;

    if (meets_later(t, 0))
        return 1;
    if (t->extent == 0 && t->true_extent > 0)
        return 2;
    for (int64_t n = 1; t->extent > 0 && n * t->extent < t->true_extent && n * pairs < COMPARED; n++)
        if (meets_later(t, n * t->extent))
            return n + 1;
    return INT64_MAX;
}

bool type_check_record_meets_itself(struct type_record *t, int64_t count)
{
    if (!t->meets_from)
        t->meets_from = find_meeting(t);
    return count >= t->meets_from;
}

typedef uint64_t word_pair __attribute__((vector_size(2 * sizeof(uint64_t))));

enum {
    LANES = 4, /* pairs of words that are added at once */
    WIDE = LANES * sizeof(word_pair)
};

static uint64_t hash_pair(uint64_t hash, word_pair words)
{
    return type_check_hash_word(type_check_hash_word(hash, &words), (const uint64_t *)&words + 1);
}

/* In each lane the sum of the words, and the sum of these sums: one word that changes changes the first, words that change places the
 * second. Additions alone take a third of the time of products. */
static uint64_t hash_lanes(uint64_t hash, const unsigned char *bytes, size_t length)
{
    word_pair sum[LANES] = {{0}}, of_sums[LANES] = {{0}}, next;

    for (; length >= WIDE; length -= WIDE, bytes += WIDE)
        for (int i = 0; i < LANES; i++) {
            memcpy(&next, bytes + i * (int)sizeof next, sizeof next);
            sum[i] += next;
            of_sums[i] += sum[i];
        }
    for (int i = 0; i < LANES; i++)
        hash = hash_pair(hash_pair(hash, sum[i]), of_sums[i]);
    return hash;
}

static uint64_t hash_bytes(uint64_t hash, const unsigned char *bytes, size_t length)
{
    if (length >= WIDE) {
        hash = hash_lanes(hash, bytes, length);
        bytes += length - length % WIDE;
        length %= WIDE;
    }
    for (; length >= sizeof(uint64_t); length -= sizeof(uint64_t), bytes += sizeof(uint64_t))
        hash = type_check_hash_word(hash, bytes);
    for (; length > 0; length--)
        hash = (hash ^ *bytes++) * TYPE_HASH_FACTOR;
    return hash;
}

/* Of a long buffer the first and the last bytes: a check must not cost more than the message. */
uint64_t type_check_sum_of_many(uintptr_t low, uintptr_t high)
{
    enum {
        SIDE = 16384
    };
    const unsigned char *start = (const unsigned char *)low;
    size_t length = high - low;
    uint64_t hash = hash_bytes(TYPE_HASH_OF_NOTHING, start, length < SIDE ? length : SIDE);

    return length <= SIDE ? hash : hash_bytes(hash, start + length - SIDE, SIDE);
}

uint64_t type_check_checksum(const void *buffer, int64_t count, MPI_Datatype type)
{
    struct type_record *record = count > 0 ? type_check_find(type) : NULL;
    const unsigned char *start = buffer;
    uint64_t hash = TYPE_HASH_OF_NOTHING;

    if (!record || record->runs < 0 || buffer == MPI_IN_PLACE || !buffer)
        return 0;
    if (record->is_dense) {
        uintptr_t low = (uintptr_t)buffer + (uintptr_t)record->run[0].offset;

        return type_check_sum_of_many(low, low + (uintptr_t)(count * record->extent));
    }
    for (int64_t i = 0; i < count && i < 64; i++)
        for (int r = 0; r < record->runs; r++)
            hash = hash_bytes(hash, start + i * record->extent + record->run[r].offset,
                              (size_t)record->run[r].length);
    return hash;
}

void type_check_made(struct intercept *call, int error)
{
    MPI_Datatype *new = (MPI_Datatype *)(intptr_t)intercept_argument(call, AT_NEW);

    if (!error)
        tracked_add(TRACKED_TYPE, (uint64_t)(uintptr_t) * new, sizeof(struct type_record), call);
}

void type_check_freeing(struct intercept *call)
{
    MPI_Datatype *type = (MPI_Datatype *)(intptr_t)intercept_argument(call, AT_TYPE);
    struct type_record *record = type ? tracked_find(TRACKED_TYPE, (uint64_t)(uintptr_t)*type) : NULL;

    call->saved[0] = (int64_t)(intptr_t)(type ? *type : MPI_DATATYPE_NULL);
    if (record) {
        free(record->run);
        record->run = NULL;
        record->multiplier = 0;
    }
}

bool type_check_is_mapped(const void *buffer, int64_t count, MPI_Datatype type)
{
    uintptr_t low, high;

    return type_check_span(buffer, count, type, &low, &high) && memory_mapped_has(low, high);
}
