/* All constructors but those of arrays. Each keeps its arguments and places copies of its parts. */
#include "datatype/construct.h"

#include "plain/fail.h"

int construct_start(struct construct *c, int combiner, struct contents *contents,
                    struct datatype *const *parts, MPI_Count n)
{
    struct datatype *basic = n ? parts[0]->basic : NULL;
    bool is_mixed = n == 0;
    int error;

    *c = (struct construct){.combiner = combiner, .contents = contents};
    if (!contents)
        return fail(MPI_ERR_NO_MEM, "no memory for the arguments of a datatype");
    contents_add_datatypes(contents, parts, n);
    for (MPI_Count i = 0; i < n; i++) {
        if (!parts[i]->supported) {
            contents_unref(contents);
            return fail(MPI_ERR_TYPE, "%s does not exist on this platform", parts[i]->name);
        }
        is_mixed = is_mixed || parts[i]->plain != parts[i]->typed || parts[i]->basic != basic;
        basic = parts[i]->basic == basic ? basic : NULL;
    }
    c->basic = basic;
    error = shape_start(&c->shape, is_mixed);
    if (error)
        contents_unref(contents);
    return error;
}

int construct_finish(struct construct *c, int error, struct datatype **type)
{
    struct datatype *t = error ? NULL : pool_new(&datatype_pool);

    if (!t) {
        shape_free(&c->shape);
        contents_unref(c->contents);
        return error ? error : fail(MPI_ERR_NO_MEM, "no memory for a datatype");
    }
    t->combiner = c->combiner;
    t->contents = c->contents;
    t->basic = c->basic;
    t->supported = true;
    layout_close(c->shape.plain);
    if (c->shape.typed != c->shape.plain)
        layout_close(c->shape.typed);
    shape_finish(&c->shape, t);
    *type = t;
    return 0;
}

/* Adds `count` copies of a part, one after the other. */
static int add_block(struct shape *shape, MPI_Count at, MPI_Count count, const struct shape *part)
{
    return shape_add(shape, at, count, shape_extent(part), part);
}

/* Adds a block at item `index` of type `of`, or with a unit of 1 at byte `index`. */
static int add_block_at(struct construct *c, MPI_Count index, MPI_Count unit, MPI_Count blocklength,
                        const struct datatype *of)
{
    struct shape part = shape_of(of);
    MPI_Count at;
    int error;

    if (blocklength < 0)
        return fail(MPI_ERR_COUNT, "a blocklength of %lld is negative", (long long)blocklength);
    error = shape_multiply(index, unit, &at);
    return error ? error : add_block(&c->shape, at, blocklength, &part);
}

static int construct_check_array(struct counts array, MPI_Count count, const char *name)
{
    if (count > 0 && !array.narrow && !array.wide)
        return fail(MPI_ERR_ARG, "%s is NULL", name);
    return 0;
}

int datatype_contiguous(bool large, MPI_Count count, struct datatype *of, struct datatype **type)
{
    struct contents *contents = contents_new(large, 0, 1, 0, 1);
    struct construct c;
    int error = construct_start(&c, MPI_COMBINER_CONTIGUOUS, contents, &of, 1);

    if (error)
        return error;
    contents_add_count(contents, count);
    return construct_finish(&c, add_block_at(&c, 0, 1, count, of), type);
}

/* Adds blocks `stride` bytes apart. */
static int add_vector(struct construct *c, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                      const struct datatype *of)
{
    struct shape part = shape_of(of), block;
    int error = shape_start(&block, of->plain != of->typed);

    if (error)
        return error;
    error = add_block(&block, 0, blocklength, &part);
    if (!error)
        error = shape_add(&c->shape, 0, count, stride, &block);
    shape_free(&block);
    return error;
}

int datatype_vector(bool large, MPI_Count count, MPI_Count blocklength, MPI_Count stride, struct datatype *of,
                    struct datatype **type)
{
    struct contents *contents = contents_new(large, 0, 3, 0, 1);
    struct construct c;
    MPI_Count bytes;
    int error = construct_start(&c, MPI_COMBINER_VECTOR, contents, &of, 1);

    if (error)
        return error;
    contents_add_count(contents, count);
    contents_add_count(contents, blocklength);
    contents_add_count(contents, stride);
    error = shape_multiply(stride, of->extent, &bytes);
    if (!error)
        error = add_vector(&c, count, blocklength, bytes, of);
    return construct_finish(&c, error, type);
}

int datatype_hvector(bool large, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                     struct datatype *of, struct datatype **type)
{
    struct contents *contents = contents_new(large, 0, 2, 1, 1);
    struct construct c;
    int error = construct_start(&c, MPI_COMBINER_HVECTOR, contents, &of, 1);

    if (error)
        return error;
    contents_add_count(contents, count);
    contents_add_count(contents, blocklength);
    contents_add_extent(contents, stride);
    return construct_finish(&c, add_vector(&c, count, blocklength, stride, of), type);
}

static int add_indexed(struct construct *c, MPI_Count count, struct counts blocklengths, struct counts displs,
                       MPI_Count unit, const struct datatype *of)
{
    int error = 0;

    for (MPI_Count i = 0; i < count && !error; i++)
        error = add_block_at(c, counts_at(displs, i), unit, counts_at(blocklengths, i), of);
    return error;
}

int datatype_indexed(bool large, MPI_Count count, struct counts blocklengths, struct counts displs,
                     struct datatype *of, struct datatype **type)
{
    struct contents *contents;
    struct construct c;
    int error = construct_check_array(blocklengths, count, "array_of_blocklengths");

    if (!error)
        error = construct_check_array(displs, count, "array_of_displacements");
    if (error)
        return error;
    contents = contents_new(large, 0, 2 * count + 1, 0, 1);
    error = construct_start(&c, MPI_COMBINER_INDEXED, contents, &of, 1);
    if (error)
        return error;
    contents_add_count(contents, count);
    contents_add_counts(contents, blocklengths, count);
    contents_add_counts(contents, displs, count);
    return construct_finish(&c, add_indexed(&c, count, blocklengths, displs, of->extent, of), type);
}

int datatype_hindexed(bool large, MPI_Count count, struct counts blocklengths, struct counts displs,
                      struct datatype *of, struct datatype **type)
{
    struct contents *contents;
    struct construct c;
    int error = construct_check_array(blocklengths, count, "array_of_blocklengths");

    if (!error)
        error = construct_check_array(displs, count, "array_of_displacements");
    if (error)
        return error;
    contents = contents_new(large, 0, count + 1, count, 1);
    error = construct_start(&c, MPI_COMBINER_HINDEXED, contents, &of, 1);
    if (error)
        return error;
    contents_add_count(contents, count);
    contents_add_counts(contents, blocklengths, count);
    contents_add_extents(contents, displs, count);
    return construct_finish(&c, add_indexed(&c, count, blocklengths, displs, 1, of), type);
}

static int add_blocks(struct construct *c, MPI_Count count, MPI_Count blocklength, struct counts displs,
                      MPI_Count unit, const struct datatype *of)
{
    int error = 0;

    for (MPI_Count i = 0; i < count && !error; i++)
        error = add_block_at(c, counts_at(displs, i), unit, blocklength, of);
    return error;
}

int datatype_indexed_block(bool large, MPI_Count count, MPI_Count blocklength, struct counts displs,
                           struct datatype *of, struct datatype **type)
{
    struct contents *contents;
    struct construct c;
    int error = construct_check_array(displs, count, "array_of_displacements");

    if (error)
        return error;
    contents = contents_new(large, 0, count + 2, 0, 1);
    error = construct_start(&c, MPI_COMBINER_INDEXED_BLOCK, contents, &of, 1);
    if (error)
        return error;
    contents_add_count(contents, count);
    contents_add_count(contents, blocklength);
    contents_add_counts(contents, displs, count);
    return construct_finish(&c, add_blocks(&c, count, blocklength, displs, of->extent, of), type);
}

int datatype_hindexed_block(bool large, MPI_Count count, MPI_Count blocklength, struct counts displs,
                            struct datatype *of, struct datatype **type)
{
    struct contents *contents;
    struct construct c;
    int error = construct_check_array(displs, count, "array_of_displacements");

    if (error)
        return error;
    contents = contents_new(large, 0, 2, count, 1);
    error = construct_start(&c, MPI_COMBINER_HINDEXED_BLOCK, contents, &of, 1);
    if (error)
        return error;
    contents_add_count(contents, count);
    contents_add_count(contents, blocklength);
    contents_add_extents(contents, displs, count);
    return construct_finish(&c, add_blocks(&c, count, blocklength, displs, 1, of), type);
}

int datatype_struct(bool large, MPI_Count count, struct counts blocklengths, struct counts displs,
                    struct datatype *const *types, struct datatype **type)
{
    struct contents *contents;
    struct construct c;
    int error = construct_check_array(blocklengths, count, "array_of_blocklengths");

    if (!error)
        error = construct_check_array(displs, count, "array_of_displacements");
    if (error)
        return error;
    contents = contents_new(large, 0, count + 1, count, count);
    error = construct_start(&c, MPI_COMBINER_STRUCT, contents, types, count);
    if (error)
        return error;
    contents_add_count(contents, count);
    contents_add_counts(contents, blocklengths, count);
    contents_add_extents(contents, displs, count);
    for (MPI_Count i = 0; i < count && !error; i++)
        error = add_block_at(&c, counts_at(displs, i), 1, counts_at(blocklengths, i), types[i]);
    return construct_finish(&c, error, type);
}

int datatype_resized(bool large, struct datatype *of, MPI_Count lb, MPI_Count extent, struct datatype **type)
{
    struct contents *contents = contents_new(large, 0, 0, 2, 1);
    struct construct c;
    MPI_Count ub;
    int error = construct_start(&c, MPI_COMBINER_RESIZED, contents, &of, 1);

    if (error)
        return error;
    contents_add_extent(contents, lb);
    contents_add_extent(contents, extent);
    if (__builtin_add_overflow(lb, extent, &ub))
        error = fail(MPI_ERR_ARG, "lb %lld and extent %lld are beyond what an address can reach",
                     (long long)lb, (long long)extent);
    else
        error = add_block_at(&c, 0, 1, 1, of);
    shape_mark(&c.shape, lb, ub);
    return construct_finish(&c, error, type);
}

/* The argument of MPI_Type_dup is its only content; its shape is shared. */
int construct_same(int combiner, struct contents *contents, struct datatype *of, struct datatype **type)
{
    struct datatype *t = contents ? pool_new(&datatype_pool) : NULL;
    struct shape shape = shape_of(of);

    if (!t) {
        contents_unref(contents);
        return fail(MPI_ERR_NO_MEM, "no memory for a datatype");
    }
    t->combiner = combiner;
    t->contents = contents;
    t->basic = of->basic;
    t->representation = of->representation;
    t->category = of->category;
    t->supported = true;
    t->committed = of->committed;
    t->overlaps_from = of->overlaps_from;
    layout_ref(of->plain);
    layout_ref(of->typed);
    shape_finish(&shape, t);
    *type = t;
    return 0;
}
