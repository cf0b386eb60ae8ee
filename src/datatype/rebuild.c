#include "datatype/datatype.h"

#include "datatype/construct.h"
#include "plain/fail.h"

#include <stdlib.h>

/* Reads a type's contents in the order in which its constructor wrote them. */
struct reader {
    const struct contents *contents;
    MPI_Count integer, address, large_count;
};

static int next_integer(struct reader *r)
{
    return r->contents->integer[r->integer++];
}

static const int *next_integers(struct reader *r, MPI_Count n)
{
    r->integer += n;
    return r->contents->integer + r->integer - n;
}

static MPI_Count next_count(struct reader *r)
{
    return r->contents->large ? r->contents->large_count[r->large_count++] : next_integer(r);
}

static struct counts next_counts(struct reader *r, MPI_Count n)
{
    if (!r->contents->large)
        return (struct counts){.narrow = next_integers(r, n)};
    r->large_count += n;
    return (struct counts){.wide = (const int64_t *)r->contents->large_count + r->large_count - n};
}

static struct counts next_extents(struct reader *r, MPI_Count n)
{
    if (r->contents->large)
        return next_counts(r, n);
    r->address += n;
    return (struct counts){.wide = (const int64_t *)r->contents->address + r->address - n};
}

static int rebuild_regular(struct reader *r, int combiner, struct datatype *of, struct datatype **made)
{
    bool large = r->contents->large;
    MPI_Count count = next_count(r), length;

    if (combiner == MPI_COMBINER_CONTIGUOUS)
        return datatype_contiguous(large, count, of, made);
    length = next_count(r);
    if (combiner == MPI_COMBINER_VECTOR)
        return datatype_vector(large, count, length, next_count(r), of, made);
    return datatype_hvector(large, count, length, counts_at(next_extents(r, 1), 0), of, made);
}

static int rebuild_indexed(struct reader *r, int combiner, struct datatype *of, struct datatype **made)
{
    bool large = r->contents->large;
    MPI_Count count = next_count(r);
    struct counts lengths = next_counts(r, count);

    if (combiner == MPI_COMBINER_INDEXED)
        return datatype_indexed(large, count, lengths, next_counts(r, count), of, made);
    return datatype_hindexed(large, count, lengths, next_extents(r, count), of, made);
}

static int rebuild_blocks(struct reader *r, int combiner, struct datatype *of, struct datatype **made)
{
    bool large = r->contents->large;
    MPI_Count count = next_count(r), length = next_count(r);

    if (combiner == MPI_COMBINER_INDEXED_BLOCK)
        return datatype_indexed_block(large, count, length, next_counts(r, count), of, made);
    return datatype_hindexed_block(large, count, length, next_extents(r, count), of, made);
}

static int rebuild_subarray(struct reader *r, struct datatype *of, struct datatype **made)
{
    int ndims = next_integer(r);
    struct counts sizes = next_counts(r, ndims), subsizes = next_counts(r, ndims),
                  starts = next_counts(r, ndims);

    return datatype_subarray(r->contents->large, ndims, sizes, subsizes, starts, next_integer(r), of, made);
}

static int rebuild_darray(struct reader *r, struct datatype *of, struct datatype **made)
{
    struct darray d;

    d.size = next_integer(r);
    d.rank = next_integer(r);
    d.ndims = next_integer(r);
    d.gsizes = next_counts(r, d.ndims);
    d.distribs = next_integers(r, d.ndims);
    d.dargs = next_integers(r, d.ndims);
    d.psizes = next_integers(r, d.ndims);
    d.order = next_integer(r);
    return datatype_darray(r->contents->large, &d, of, made);
}

static int rebuild_struct(struct reader *r, struct datatype *const *parts, struct datatype **made)
{
    MPI_Count count = next_count(r);
    struct counts lengths = next_counts(r, count);

    return datatype_struct(r->contents->large, count, lengths, next_extents(r, count), parts, made);
}

static int rebuild_of(struct datatype *type, struct datatype *const *parts, struct datatype **made)
{
    struct reader r = {.contents = type->contents};
    struct counts bounds;

    switch (type->combiner) {
    case MPI_COMBINER_DUP:
        return datatype_dup(parts[0], made);
    case MPI_COMBINER_CONTIGUOUS:
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        return rebuild_regular(&r, type->combiner, parts[0], made);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
        return rebuild_indexed(&r, type->combiner, parts[0], made);
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        return rebuild_blocks(&r, type->combiner, parts[0], made);
    case MPI_COMBINER_STRUCT:
        return rebuild_struct(&r, parts, made);
    case MPI_COMBINER_SUBARRAY:
        return rebuild_subarray(&r, parts[0], made);
    case MPI_COMBINER_DARRAY:
        return rebuild_darray(&r, parts[0], made);
    case MPI_COMBINER_RESIZED:
        bounds = next_extents(&r, 2);
        return datatype_resized(r.contents->large, parts[0], counts_at(bounds, 0), counts_at(bounds, 1),
                                made);
    default:
        return fail(MPI_ERR_TYPE, "%s has constructor %d, which cannot be repeated", datatype_title(type),
                    type->combiner);
    }
}

/* Whether a type is built from no others, so that it is replaced as a whole. */
static bool is_leaf(const struct datatype *type)
{
    return !type->contents || type->contents->datatypes == 0 || type->combiner == MPI_COMBINER_VALUE_INDEX;
}

static int rebuild_parts(struct datatype *type, rebuild_fn *replace, const void *state,
                         struct datatype **parts, bool *is_changed)
{
    for (MPI_Count i = 0; i < type->contents->datatypes; i++) {
        int error = datatype_rebuild(type->contents->datatype[i], replace, state, &parts[i]);

        if (error)
            return error;
        *is_changed |= parts[i] != type->contents->datatype[i];
    }
    return MPI_SUCCESS;
}

int datatype_rebuild(struct datatype *type, rebuild_fn *replace, const void *state, struct datatype **rebuilt)
{
    struct datatype **parts;
    bool is_changed = false;
    int error;

    if (is_leaf(type))
        return replace(state, type, rebuilt);
    parts = (struct datatype **)calloc((size_t)type->contents->datatypes, sizeof(struct datatype *));
    if (!parts)
        return fail(MPI_ERR_NO_MEM, "no memory for %lld datatypes", (long long)type->contents->datatypes);
    error = rebuild_parts(type, replace, state, parts, &is_changed);
    if (!error && is_changed)
        error = rebuild_of(type, parts, rebuilt);
    if (!error && is_changed)
        error = datatype_commit(*rebuilt);
    if (!error && !is_changed) {
        datatype_ref(type);
        *rebuilt = type;
    }
    for (MPI_Count i = 0; i < type->contents->datatypes; i++)
        if (parts[i])
            datatype_unref(parts[i]);
    free((void *)parts);
    return error;
}
