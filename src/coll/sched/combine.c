#include "coll/sched/combine.h"

#include "plain/fail.h"

#include <stdlib.h>

/* The host's copy of a block, to be freed with copy_free. */
static int copy_new(struct coll_block b, int64_t kinds, struct coll_block *copy)
{
    MPI_Count begin;
    size_t bytes;
    void *memory;
    int error = block_memory(b.type, b.count, &begin, &bytes);

    if (error)
        return error;
    memory = calloc(1, bytes);
    if (!memory)
        return fail(MPI_ERR_NO_MEM, "no memory for a copy of %zu bytes of a device", bytes);
    *copy = (struct coll_block){layout_at(memory, -begin), b.count, b.type};
    error = block_copy(b, *copy, kinds);
    if (error)
        free(memory);
    return error;
}

static void copy_free(struct coll_block copy)
{
    MPI_Count begin;
    size_t bytes;

    if (block_memory(copy.type, copy.count, &begin, &bytes) == MPI_SUCCESS)
        free(layout_at(copy.at, begin));
}

static int combine_copies(const struct op *op, struct coll_block from, struct coll_block to, int64_t kinds)
{
    struct coll_block left, right;
    int error = copy_new(from, kinds, &left);

    if (error)
        return error;
    error = copy_new(to, kinds, &right);
    if (!error) {
        op_apply(op, left.at, right.at, left.count, left.type);
        error = block_copy(right, to, kinds);
        copy_free(right);
    }
    copy_free(left);
    return error;
}

int combine(const struct op *op, struct coll_block from, struct coll_block to, int64_t kinds)
{
    from.count = to.count = from.count < to.count ? from.count : to.count;
    if (to.count && (datatype_device(from.type, from.at, kinds) || datatype_device(to.type, to.at, kinds)))
        return combine_copies(op, from, to, kinds);
    op_apply(op, from.at, to.at, to.count, to.type);
    return MPI_SUCCESS;
}
