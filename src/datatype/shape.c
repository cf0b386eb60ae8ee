#include "datatype/construct.h"

#include "plain/fail.h"

static int too_large(void)
{
    return fail(MPI_ERR_COUNT, "the datatype is larger than an address can reach");
}

int shape_start(struct shape *shape, bool is_mixed)
{
    *shape = (struct shape){.alignment = 1, .plain = layout_new()};
    if (!shape->plain)
        return fail(MPI_ERR_NO_MEM, "no memory for a datatype");
    if (!is_mixed) {
        layout_ref(shape->plain);
        shape->typed = shape->plain;
        return 0;
    }
    shape->plain->is_plain = true;
    shape->typed = layout_new();
    if (shape->typed)
        return 0;
    layout_unref(shape->plain);
    return fail(MPI_ERR_NO_MEM, "no memory for a datatype");
}

void shape_free(struct shape *shape)
{
    layout_unref(shape->plain);
    layout_unref(shape->typed);
}

struct shape shape_of(const struct datatype *type)
{
    return (struct shape){.size = type->size,
                          .alignment = type->alignment,
                          .true_lb = type->true_lb,
                          .true_ub = type->true_lb + type->true_extent,
                          .end =
                              type->is_marked ? type->true_lb + type->true_extent : type->lb + type->extent,
                          .lb = type->lb,
                          .ub = type->lb + type->extent,
                          .is_marked = type->is_marked,
                          .plain = type->plain,
                          .typed = type->typed};
}

int shape_multiply(MPI_Count x, MPI_Count y, MPI_Count *product)
{
    return __builtin_mul_overflow(x, y, product) ? too_large() : 0;
}

/* Widens [*low, *high) to hold copies of [from, to), the first moved by `at`, the last by `last` more. False
 * on overflow. */
static bool shape_widen(bool is_first, MPI_Count *low, MPI_Count *high, MPI_Count at, MPI_Count last,
                        MPI_Count from, MPI_Count to)
{
    MPI_Count left = last < 0 ? last : 0, right = last > 0 ? last : 0;

    if (__builtin_add_overflow(at, left, &left) || __builtin_add_overflow(left, from, &left) ||
        __builtin_add_overflow(at, right, &right) || __builtin_add_overflow(right, to, &right))
        return false;
    *low = is_first || left < *low ? left : *low;
    *high = is_first || right > *high ? right : *high;
    return !__builtin_sub_overflow(*high, *low, &left); /* the extent must not overflow either */
}

static int add_layouts(struct shape *shape, MPI_Count at, MPI_Count count, MPI_Count stride,
                       const struct shape *part)
{
    int error = layout_add(shape->plain, at, count, stride, part->plain);

    if (!error && shape->typed != shape->plain)
        error = layout_add(shape->typed, at, count, stride, part->typed);
    return error;
}

int shape_add(struct shape *shape, MPI_Count at, MPI_Count count, MPI_Count stride, const struct shape *part)
{
    MPI_Count bytes, last, begin = shape->true_lb;

    if (count == 0)
        return 0;
    if (__builtin_mul_overflow(count - 1, count > 1 ? stride : 0, &last) ||
        __builtin_mul_overflow(count, part->size, &bytes) ||
        __builtin_add_overflow(shape->size, bytes, &bytes))
        return too_large();
    if (part->size &&
        (!shape_widen(shape->size == 0, &begin, &shape->end, at, last, part->true_lb, part->end) ||
         !shape_widen(shape->size == 0, &shape->true_lb, &shape->true_ub, at, last, part->true_lb,
                      part->true_ub)))
        return too_large();
    if (part->is_marked &&
        !shape_widen(!shape->is_marked, &shape->lb, &shape->ub, at, last, part->lb, part->ub))
        return too_large();
    shape->is_marked = shape->is_marked || part->is_marked;
    shape->size = bytes;
    if (part->size && part->alignment > shape->alignment)
        shape->alignment = part->alignment;
    return add_layouts(shape, at, count, stride, part);
}

void shape_mark(struct shape *shape, MPI_Count lb, MPI_Count ub)
{
    shape->is_marked = true;
    shape->lb = lb;
    shape->ub = ub;
}

MPI_Count shape_lb(const struct shape *shape)
{
    return shape->is_marked ? shape->lb : shape->true_lb;
}

MPI_Count shape_extent(const struct shape *shape)
{
    MPI_Count extent = shape->end - shape->true_lb, odd = extent % shape->alignment;

    if (shape->is_marked)
        return shape->ub - shape->lb;
    return odd ? extent - odd + shape->alignment : extent;
}

/* Whether items follow one another without a gap, from the buffer's address on. */
static bool is_dense(const struct datatype *type)
{
    const struct layout *l = type->plain;

    return type->size == 0 || (l->pieces == 1 && !l->piece[0].body && l->piece[0].count == 1 &&
                               l->piece[0].at == 0 && type->extent == type->size);
}

void shape_finish(struct shape *shape, struct datatype *type)
{
    type->size = shape->size;
    type->alignment = shape->alignment;
    type->is_marked = shape->is_marked;
    type->true_lb = shape->true_lb;
    type->true_extent = shape->true_ub - shape->true_lb;
    type->lb = shape_lb(shape);
    type->extent = shape_extent(shape);
    type->plain = shape->plain;
    type->typed = shape->typed;
    type->elements = shape->typed->elements;
    type->items = layout_items(type->plain, type->extent);
    type->dense = is_dense(type);
}
