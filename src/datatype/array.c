/* MPI_Type_create_subarray and _darray: parts of an n-dimensional array. The part is built one dimension at a
 * time, from the dimension whose neighbours are adjacent in memory outwards. The whole array sets the
 * markers. */
#include "datatype/construct.h"
#include "plain/fail.h"

/* One dimension of a process's part. */
struct array_side {
    MPI_Count size;   /* of the whole array */
    MPI_Count first;  /* index of the part's first */
    MPI_Count block;  /* this many neighbours ... */
    MPI_Count cycle;  /* ... from one block to the next ... */
    MPI_Count blocks; /* ... this many times ... */
    MPI_Count rest;   /* ... and then this many more */
};

/* Replaces `part`, which is owned, by what this side takes of it. The copies are `stride` bytes apart. */
static int add_side(struct shape *part, const struct array_side *side, MPI_Count stride, bool is_mixed)
{
    struct shape block, row;
    MPI_Count at = 0, cycle = 0, rest = 0;
    int error = shape_start(&block, is_mixed);

    if (error)
        return error;
    error = shape_start(&row, is_mixed);
    if (error) {
        shape_free(&block);
        return error;
    }
    error = shape_add(&block, 0, side->block, stride, part);
    if (!error)
        error = shape_multiply(side->first, stride, &at);
    if (!error)
        error = shape_multiply(side->cycle, stride, &cycle);
    if (!error)
        error = shape_add(&row, at, side->blocks, cycle, &block);
    if (!error && __builtin_mul_overflow(side->blocks, cycle, &rest))
        error = fail(MPI_ERR_COUNT, "the array is larger than an address can reach");
    if (!error)
        error = shape_add(&row, at + rest, side->rest, stride, part);
    shape_free(&block);
    shape_free(part);
    *part = row;
    return error;
}

/* Adds the part of an array of `of` that these sides select. The side of adjacent neighbours comes first. */
static int add_array(struct construct *c, const struct array_side *side, int sides, const struct datatype *of)
{
    struct shape part = shape_of(of);
    bool is_mixed = of->plain != of->typed;
    MPI_Count stride = of->extent;
    int error = 0;

    part.is_marked = false; /* the array's markers replace its own */
    layout_ref(part.plain);
    layout_ref(part.typed);
    for (int i = 0; i < sides && !error; i++) {
        error = add_side(&part, &side[i], stride, is_mixed);
        if (!error)
            error = shape_multiply(stride, side[i].size, &stride);
    }
    if (!error)
        error = shape_add(&c->shape, 0, 1, 0, &part);
    shape_mark(&c->shape, 0, stride);
    shape_free(&part);
    return error;
}

static int check_order(int order)
{
    if (order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN)
        return 0;
    return fail(MPI_ERR_ARG, "order %d is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN", order);
}

static int check_dimensions(int ndims)
{
    if (ndims > 0 && ndims <= DATATYPE_DIMENSIONS)
        return 0;
    return fail(MPI_ERR_ARG, "ndims %d is not between 1 and %d", ndims, DATATYPE_DIMENSIONS);
}

/* The index of dimension i among the sides. */
static int array_side_of(int i, int ndims, int order)
{
    return order == MPI_ORDER_C ? ndims - 1 - i : i;
}

static bool is_null(struct counts array)
{
    return !array.narrow && !array.wide;
}

static int subarray_sides(int ndims, struct counts sizes, struct counts subsizes, struct counts starts,
                          int order, struct array_side *side)
{
    for (int i = 0; i < ndims; i++) {
        MPI_Count size = counts_at(sizes, i), subsize = counts_at(subsizes, i), start = counts_at(starts, i);

        if (size < 1)
            return fail(MPI_ERR_ARG, "array_of_sizes[%d] is %lld", i, (long long)size);
        if (subsize < 1 || subsize > size)
            return fail(MPI_ERR_ARG, "array_of_subsizes[%d] %lld is not between 1 and the size %lld", i,
                        (long long)subsize, (long long)size);
        if (start < 0 || start > size - subsize)
            return fail(MPI_ERR_ARG, "array_of_starts[%d] %lld is not between 0 and %lld", i,
                        (long long)start, (long long)(size - subsize));
        side[array_side_of(i, ndims, order)] =
            (struct array_side){.size = size, .first = start, .block = subsize, .cycle = size, .blocks = 1};
    }
    return 0;
}

static int array_check_array(int ndims, int order)
{
    int error = check_dimensions(ndims);

    return error ? error : check_order(order);
}

int datatype_subarray(bool large, int ndims, struct counts sizes, struct counts subsizes,
                      struct counts starts, int order, struct datatype *of, struct datatype **type)
{
    struct array_side side[DATATYPE_DIMENSIONS];
    struct contents *contents;
    struct construct c;
    int error = array_check_array(ndims, order);

    if (!error && (is_null(sizes) || is_null(subsizes) || is_null(starts)))
        error = fail(MPI_ERR_ARG, "an array of sizes, subsizes or starts is NULL");
    if (!error)
        error = subarray_sides(ndims, sizes, subsizes, starts, order, side);
    if (error)
        return error;
    contents = contents_new(large, 2, 3 * (MPI_Count)ndims, 0, 1);
    error = construct_start(&c, MPI_COMBINER_SUBARRAY, contents, &of, 1);
    if (error)
        return error;
    contents_add_integer(contents, ndims);
    contents_add_counts(contents, sizes, ndims);
    contents_add_counts(contents, subsizes, ndims);
    contents_add_counts(contents, starts, ndims);
    contents_add_integer(contents, order);
    return construct_finish(&c, add_array(&c, side, ndims, of), type);
}

/* The share of a dimension that process `coord` of `procs` gets. */
static int darray_side(MPI_Count size, int distrib, int darg, int procs, int coord, struct array_side *side)
{
    MPI_Count block = darg, round;

    if (size < 1)
        return fail(MPI_ERR_ARG, "a global size of %lld", (long long)size);
    if (distrib == MPI_DISTRIBUTE_NONE) {
        if (procs != 1)
            return fail(MPI_ERR_ARG, "a dimension of MPI_DISTRIBUTE_NONE has %d processes, not 1", procs);
        block = size;
    } else if (distrib != MPI_DISTRIBUTE_BLOCK && distrib != MPI_DISTRIBUTE_CYCLIC) {
        return fail(MPI_ERR_ARG, "%d is not a distribution", distrib);
    } else if (darg == MPI_DISTRIBUTE_DFLT_DARG) {
        block = distrib == MPI_DISTRIBUTE_BLOCK ? (size + procs - 1) / procs : 1;
    }
    if (block < 1)
        return fail(MPI_ERR_ARG, "distribution argument %d is not positive", darg);
    if (distrib == MPI_DISTRIBUTE_BLOCK && block < (size + procs - 1) / procs)
        return fail(MPI_ERR_ARG, "%d processes with %lld each do not cover a dimension of %lld", procs,
                    (long long)block, (long long)size);
    if (__builtin_mul_overflow(block, (MPI_Count)procs, &round))
        return fail(MPI_ERR_ARG, "distribution argument %d is too large", darg);
    *side = (struct array_side){.size = size, .first = coord * block, .block = block, .cycle = round};
    side->blocks = size / round;
    side->rest = size % round - side->first;
    if (side->rest < 0)
        side->rest = 0;
    if (side->rest >= block) {
        side->blocks++;
        side->rest = 0;
    }
    return 0;
}

/* Process numbers vary fastest in the last dimension, whatever the order of the array. */
static int darray_sides(const struct darray *d, struct array_side *side)
{
    int below = d->rank;

    for (int i = d->ndims - 1; i >= 0; i--) {
        int error = darray_side(counts_at(d->gsizes, i), d->distribs[i], d->dargs[i], d->psizes[i],
                                below % d->psizes[i], &side[array_side_of(i, d->ndims, d->order)]);

        if (error)
            return error;
        below /= d->psizes[i];
    }
    return 0;
}

static int array_check_grid(const struct darray *d)
{
    MPI_Count procs = 1;

    if (is_null(d->gsizes) || !d->distribs || !d->dargs || !d->psizes)
        return fail(MPI_ERR_ARG, "an array of sizes or distributions is NULL");
    if (d->rank < 0 || d->rank >= d->size)
        return fail(MPI_ERR_ARG, "rank %d is not between 0 and size %d - 1", d->rank, d->size);
    for (int i = 0; i < d->ndims; i++) {
        if (d->psizes[i] < 1)
            return fail(MPI_ERR_ARG, "array_of_psizes[%d] is %d", i, d->psizes[i]);
        if (__builtin_mul_overflow(procs, (MPI_Count)d->psizes[i], &procs))
            return fail(MPI_ERR_ARG, "array_of_psizes has more processes than can be counted");
    }
    if (procs != d->size)
        return fail(MPI_ERR_ARG, "array_of_psizes makes %lld processes, but size is %d", (long long)procs,
                    d->size);
    return 0;
}

int datatype_darray(bool large, const struct darray *d, struct datatype *of, struct datatype **type)
{
    struct array_side side[DATATYPE_DIMENSIONS];
    struct contents *contents;
    struct construct c;
    int error = array_check_array(d->ndims, d->order);

    if (!error)
        error = array_check_grid(d);
    if (!error)
        error = darray_sides(d, side);
    if (error)
        return error;
    contents = contents_new(large, 3 * (MPI_Count)d->ndims + 4, d->ndims, 0, 1);
    error = construct_start(&c, MPI_COMBINER_DARRAY, contents, &of, 1);
    if (error)
        return error;
    contents_add_integer(contents, d->size);
    contents_add_integer(contents, d->rank);
    contents_add_integer(contents, d->ndims);
    contents_add_counts(contents, d->gsizes, d->ndims);
    contents_add_integers(contents, d->distribs, d->ndims);
    contents_add_integers(contents, d->dargs, d->ndims);
    contents_add_integers(contents, d->psizes, d->ndims);
    contents_add_integer(contents, d->order);
    return construct_finish(&c, add_array(&c, side, d->ndims, of), type);
}

int datatype_create_darray(bool large, int size, int rank, int ndims, struct counts gsizes,
                           const int distribs[], const int dargs[], const int psizes[], int order,
                           struct datatype *of, struct datatype **type)
{
    struct darray d = {.size = size,
                       .rank = rank,
                       .ndims = ndims,
                       .gsizes = gsizes,
                       .distribs = distribs,
                       .dargs = dargs,
                       .psizes = psizes,
                       .order = order};

    return datatype_darray(large, &d, of, type);
}
