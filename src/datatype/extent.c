/* Sizes and extents of datatypes, and how many bytes a number of items has, spans or needs: each overflow is an error. */
#include "datatype/datatype.h"

#include "plain/fail.h"

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
    *lb = type->supported ? type->true_lb : MPI_UNDEFINED;
    *extent = type->supported ? type->true_extent : MPI_UNDEFINED;
    return 0;
}

static int too_many(MPI_Count count, MPI_Count bytes)
{
    return fail(MPI_ERR_COUNT, "%lld items of %lld bytes are more than an address can reach",
                (long long)count, (long long)bytes);
}

int datatype_bytes(const struct datatype *type, MPI_Count count, size_t *bytes)
{
    MPI_Count product;

    if (__builtin_mul_overflow(count, type->size, &product))
        return too_many(count, type->size);
    *bytes = (size_t)product;
    return 0;
}

int datatype_span(const struct datatype *type, MPI_Count count, MPI_Count *begin, size_t *bytes)
{
    MPI_Count last, span;

    if (count == 0 || type->size == 0) {
        *begin = 0;
        *bytes = 0;
        return 0;
    }
    if (__builtin_mul_overflow(count - 1, type->extent, &last) ||
        __builtin_add_overflow(last < 0 ? -last : last, type->true_extent, &span))
        return too_many(count, type->extent);
    *begin = type->true_lb + (last < 0 ? last : 0);
    *bytes = (size_t)span;
    return 0;
}

int datatype_element_bytes(const struct datatype *type, MPI_Count elements, MPI_Count *bytes)
{
    MPI_Count whole;

    if (type->elements == 0 && elements)
        return fail(MPI_ERR_ARG, "%lld elements of %s, which holds none", (long long)elements,
                    datatype_title(type));
    *bytes = 0;
    if (elements == 0)
        return 0;
    if (__builtin_mul_overflow(elements / type->elements, type->size, &whole) ||
        __builtin_add_overflow(whole, layout_bytes(type->typed, elements % type->elements), bytes))
        return too_many(elements, type->size);
    return 0;
}
