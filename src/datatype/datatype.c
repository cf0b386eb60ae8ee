#include "datatype/datatype.h"

#include "base/fail.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct pool datatype_pool = POOL_INIT(OBJECT_DATATYPE, struct datatype);

void datatype_ref(struct datatype *type)
{
    object_ref(&type->object);
}

void datatype_unref(struct datatype *type)
{
    if (!object_unref(&type->object))
        return;
    datatype_unref(type->of);
    pool_free(&datatype_pool, type);
}

/* A new type that refers to `of`; the caller fills in the layout. */
static int derive(struct datatype *of, int combiner, struct datatype **type)
{
    struct datatype *t;

    if (!of->supported)
        return fail(MPI_ERR_TYPE, "%s does not exist on this platform", of->name);
    t = pool_new(&datatype_pool);
    if (!t)
        return fail(MPI_ERR_NO_MEM, "no memory for a datatype");
    datatype_ref(of);
    t->of = of;
    t->combiner = combiner;
    t->basic = of->basic;
    t->supported = true;
    t->dense = of->dense;
    *type = t;
    return 0;
}

static int contiguous(MPI_Count count, struct datatype *of, bool large, struct datatype **type)
{
    struct datatype *t;
    MPI_Count extent;
    int error;

    if (__builtin_mul_overflow(count, of->extent, &extent))
        return fail(MPI_ERR_COUNT, "%lld items of %lld bytes are more than an address can reach",
                    (long long)count, (long long)of->extent);
    error = derive(of, MPI_COMBINER_CONTIGUOUS, &t);
    if (error)
        return error;
    t->large = large;
    t->count = count;
    t->size = count * of->size;
    t->extent = extent;
    t->lb = count ? of->lb : 0;
    t->true_extent = count ? extent - of->extent + of->true_extent : 0;
    t->elements = count * of->elements;
    *type = t;
    return 0;
}

int datatype_contiguous(MPI_Count count, struct datatype *of, struct datatype **type)
{
    return contiguous(count, of, false, type);
}

int datatype_contiguous_large(MPI_Count count, struct datatype *of, struct datatype **type)
{
    return contiguous(count, of, true, type);
}

/* A handle as attribute callbacks get it. */
static void *handle_of(const struct datatype *type)
{
    return (void *)(uintptr_t)object_handle(&type->object);
}

static void copy_layout(const struct datatype *from, struct datatype *to)
{
    to->size = from->size;
    to->extent = from->extent;
    to->lb = from->lb;
    to->true_extent = from->true_extent;
    to->elements = from->elements;
    to->committed = from->committed;
    to->representation = from->representation;
    to->category = from->category;
}

int datatype_dup(struct datatype *of, struct datatype **type)
{
    struct datatype *t;
    int error = derive(of, MPI_COMBINER_DUP, &t);

    if (error)
        return error;
    copy_layout(of, t);
    error = attribute_copy_all(&of->attributes, handle_of(of), &t->attributes);
    if (error) {
        attribute_delete_all(&t->attributes, handle_of(t)); /* those that were copied before the error */
        datatype_unref(t);
        return error;
    }
    *type = t;
    return 0;
}

int datatype_again(struct datatype *type, struct datatype **again)
{
    struct datatype *t = type;
    int error = 0;

    if (type->object.predefined)
        datatype_ref(type);
    else
        error = derive(type->of, type->combiner, &t);
    if (error)
        return error;
    if (t != type) {
        copy_layout(type, t);
        t->count = type->count;
        t->large = type->large;
    }
    *again = t;
    return 0;
}

int datatype_commit(struct datatype *type)
{
    if (!type->supported)
        return fail(MPI_ERR_TYPE, "%s does not exist on this platform", type->name);
    type->committed = true;
    return 0;
}

int datatype_free(struct datatype *type)
{
    int error;

    if (type->object.predefined)
        return fail(MPI_ERR_TYPE, "%s is predefined and cannot be freed", type->name);
    error = attribute_delete_all(&type->attributes, handle_of(type));
    if (error)
        return error;
    object_retire(&type->object);
    datatype_unref(type);
    return 0;
}

int datatype_get_size(struct datatype *type, MPI_Count *size)
{
    *size = type->supported ? type->size : MPI_UNDEFINED;
    return 0;
}

int datatype_get_extent(struct datatype *type, MPI_Count *lb, MPI_Count *extent)
{
    *lb = type->supported ? type->lb : MPI_UNDEFINED;
    *extent = type->supported ? type->extent : MPI_UNDEFINED;
    return 0;
}

int datatype_get_true_extent(struct datatype *type, MPI_Count *lb, MPI_Count *extent)
{
    *lb = type->supported ? type->lb : MPI_UNDEFINED;
    *extent = type->supported ? type->true_extent : MPI_UNDEFINED;
    return 0;
}

/* Longer names are truncated: MPI-5.0 section 7.8. */
int datatype_set_name(struct datatype *type, const char *name)
{
    snprintf(type->name, sizeof type->name, "%s", name);
    return 0;
}

int datatype_get_name(struct datatype *type, char *name, int *length)
{
    size_t n = strlen(type->name);

    memcpy(name, type->name, n + 1);
    *length = (int)n;
    return 0;
}

void datatype_envelope(const struct datatype *type, struct envelope *envelope)
{
    bool contiguous_type = type->combiner == MPI_COMBINER_CONTIGUOUS;

    envelope->integers = contiguous_type && !type->large;
    envelope->addresses = 0;
    envelope->large_counts = contiguous_type && type->large;
    envelope->datatypes = type->combiner != MPI_COMBINER_NAMED;
    envelope->combiner = type->combiner;
}

int datatype_bytes(const struct datatype *type, MPI_Count count, size_t *bytes)
{
    MPI_Count product;

    if (__builtin_mul_overflow(count, type->extent, &product))
        return fail(MPI_ERR_COUNT, "%lld items of %lld bytes are more than an address can reach",
                    (long long)count, (long long)type->extent);
    *bytes = (size_t)product;
    return 0;
}

MPI_Count datatype_count(const struct datatype *type, MPI_Count bytes)
{
    if (type->extent == 0)
        return bytes ? MPI_UNDEFINED : 0;
    return bytes % type->extent ? MPI_UNDEFINED : bytes / type->extent;
}

/* Basic types lie one behind the other; of a pair that is cut in two, the value counts if it is whole. */
MPI_Count datatype_elements(const struct datatype *type, MPI_Count bytes)
{
    const struct datatype *basic = type->basic;
    MPI_Count whole, rest, value;

    if (type->extent == 0 || basic->extent == 0)
        return bytes ? MPI_UNDEFINED : 0;
    whole = bytes / basic->extent * basic->elements;
    rest = bytes % basic->extent;
    if (rest == 0)
        return whole;
    value = basic->representation == REP_PAIR_F64 ? 8 : basic->size - (MPI_Count)sizeof(int);
    return basic->elements == 2 && rest == value ? whole + 1 : MPI_UNDEFINED;
}

int datatype_copy(const void *from, MPI_Count from_count, const struct datatype *from_type, void *to,
                  MPI_Count to_count, const struct datatype *to_type)
{
    size_t from_bytes = 0, to_bytes = 0;
    int error = datatype_bytes(from_type, from_count, &from_bytes);

    if (!error)
        error = datatype_bytes(to_type, to_count, &to_bytes);
    if (error)
        return error;
    if (from != to && from_bytes && to_bytes)
        memcpy(to, from, from_bytes < to_bytes ? from_bytes : to_bytes);
    if (from_bytes > to_bytes)
        return fail(MPI_ERR_TRUNCATE, "%zu bytes do not fit the %zu bytes of the receive buffer", from_bytes,
                    to_bytes);
    return 0;
}
