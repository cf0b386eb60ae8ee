#include "datatype/datatype.h"

#include "base/copy.h"
#include "datatype/construct.h"
#include "plain/fail.h"

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
    contents_unref(type->contents);
    layout_unref(type->plain);
    layout_unref(type->typed);
    pool_free(&datatype_pool, type);
}

/* A handle as attribute callbacks get it. */
static void *own_handle(const struct datatype *type)
{
    return (void *)(uintptr_t)object_handle(&type->object);
}

int datatype_dup(struct datatype *of, struct datatype **type)
{
    struct contents *contents;
    struct datatype *t;
    int error;

    if (!of->supported)
        return fail(MPI_ERR_TYPE, "%s does not exist on this platform", of->name);
    contents = contents_new(false, 0, 0, 0, 1);
    if (contents)
        contents_add_datatypes(contents, &of, 1);
    error = construct_same(MPI_COMBINER_DUP, contents, of, &t);
    if (error)
        return error;
    error = attribute_copy_all(&of->attributes, own_handle(of), &t->attributes);
    if (error) {
        attribute_delete_all(&t->attributes, own_handle(t)); /* the ones that were copied before the error */
        datatype_unref(t);
        return error;
    }
    *type = t;
    return 0;
}

int datatype_again(struct datatype *type, struct datatype **again)
{
    if (type->object.predefined) {
        datatype_ref(type);
        *again = type;
        return 0;
    }
    contents_ref(type->contents);
    return construct_same(type->combiner, type->contents, type, again);
}

int datatype_commit(struct datatype *type)
{
    if (!type->supported)
        return fail(MPI_ERR_TYPE, "%s does not exist on this platform", type->name);
    if (!type->committed && !type->dense)
        type->overlaps_from = layout_overlaps_from(type->plain, type->extent, type->true_extent);
    type->committed = true;
    return 0;
}

int datatype_free(struct datatype *type)
{
    int error;

    if (type->object.predefined)
        return fail(MPI_ERR_TYPE, "%s is predefined and cannot be freed", type->name);
    if (object_is_retired(&type->object))
        return fail(MPI_ERR_TYPE, "the datatype was freed before; a reduction function may only look at it");
    error = attribute_delete_all(&type->attributes, own_handle(type));
    if (error)
        return error;
    object_retire(&datatype_pool, &type->object);
    datatype_unref(type);
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

int datatype_get_name_of_handle(MPI_Datatype handle, char *name, int *length)
{
    static const char null_name[] = "MPI_DATATYPE_NULL";
    struct datatype *type = datatype_find(handle);

    if (type)
        return datatype_get_name(type, name, length);
    if (handle != MPI_DATATYPE_NULL)
        return fail(MPI_ERR_TYPE, "datatype is no datatype, or one that has been freed");
    memcpy(name, null_name, sizeof null_name);
    *length = (int)sizeof null_name - 1;
    return MPI_SUCCESS;
}

const char *datatype_title(const struct datatype *type)
{
    return type->name[0] ? type->name : "an unnamed datatype";
}

int datatype_check_overlaps(const struct datatype *type, MPI_Count count)
{
    if (!type->overlaps_from || count < type->overlaps_from)
        return 0;
    return fail(MPI_ERR_TYPE,
                "entries of %lld items of the datatype overlap in memory; nothing can be received into it",
                (long long)count);
}

bool datatype_is_run(const struct datatype *type, MPI_Count count, const void *buf, const void **run)
{
    const struct layout *l = type->plain;
    MPI_Count first = l->pieces ? l->piece[0].at : 0;

    if (count > 0 && type->size > 0 &&
        (l->pieces > 1 || l->piece[0].body || l->piece[0].count > 1 ||
         (count > 1 && type->extent != type->size)))
        return false;
    *run = layout_at(buf, first);
    return true;
}

MPI_Count datatype_count(const struct datatype *type, MPI_Count bytes)
{
    if (type->size == 0)
        return bytes ? MPI_UNDEFINED : 0;
    return bytes % type->size ? MPI_UNDEFINED : bytes / type->size;
}

MPI_Count datatype_elements(const struct datatype *type, MPI_Count bytes)
{
    MPI_Count rest;

    if (type->size == 0)
        return bytes ? MPI_UNDEFINED : 0;
    rest = layout_elements(type->typed, bytes % type->size);
    return rest == MPI_UNDEFINED ? rest : bytes / type->size * type->elements + rest;
}

/* Copies data without gaps at once, by a device's driver, if at least one side is a device's. False when
 * neither driver reaches both sides. */
static bool datatype_copy_by_device(const void *from, const struct datatype *from_type, void *to,
                                    const struct datatype *to_type, size_t bytes, int64_t kinds, int *error)
{
    const struct device *source = datatype_device(from_type, from, kinds);
    const struct device *target = datatype_device(to_type, to, kinds);

    if (!from_type->dense || !to_type->dense || (source && target && source != target))
        return false;
    *error = (source ? source : target)->copy(to, from, bytes);
    return true;
}

/* Both sides have gaps, or one is not the host's: copies what is no long run of both through a small buffer. */
static int copy_by_parts(const void *from, const struct datatype *from_type, void *to,
                         const struct datatype *to_type, size_t bytes, int64_t kinds)
{
    const struct device *source = datatype_device(from_type, from, kinds);
    const struct device *target = datatype_device(to_type, to, kinds);
    char part[8 * 1024];
    int error = MPI_SUCCESS;

    for (size_t at = 0, n; at < bytes && !error; at += n) {
        n = source || target ? 0
                             : (size_t)layout_copy(&to_type->items, to, &from_type->items, from,
                                                   (MPI_Count)at, (MPI_Count)(bytes - at));
        if (n)
            continue;
        n = bytes - at < sizeof part ? bytes - at : sizeof part;
        error = datatype_pack_from(source, from_type, from, at, part, n);
        if (!error)
            error = datatype_unpack_to(target, to_type, to, at, part, n);
    }
    return error;
}

static int datatype_copy(const void *from, const struct datatype *from_type, void *to,
                         const struct datatype *to_type, size_t bytes, int64_t kinds)
{
    int error;

    if (bytes == 0 || (from == to && (from_type == to_type || (from_type->dense && to_type->dense))))
        return MPI_SUCCESS;
    if (datatype_device(from_type, from, kinds) || datatype_device(to_type, to, kinds))
        return datatype_copy_by_device(from, from_type, to, to_type, bytes, kinds, &error)
                   ? error
                   : copy_by_parts(from, from_type, to, to_type, bytes, kinds);
    if (from_type->dense && to_type->dense)
        copy_bytes(to, from, bytes);
    else if (from_type->dense)
        datatype_unpack(to_type, to, 0, from, bytes);
    else if (to_type->dense)
        datatype_pack(from_type, from, 0, to, bytes);
    else
        return copy_by_parts(from, from_type, to, to_type, bytes, 0);
    return MPI_SUCCESS;
}

int datatype_copy_kinds(const void *from, MPI_Count from_count, const struct datatype *from_type, void *to,
                        MPI_Count to_count, const struct datatype *to_type, int64_t kinds)
{
    size_t from_bytes = 0, to_bytes = 0;
    int error = datatype_bytes(from_type, from_count, &from_bytes);

    if (!error)
        error = datatype_bytes(to_type, to_count, &to_bytes);
    if (!error)
        error =
            datatype_copy(from, from_type, to, to_type, from_bytes < to_bytes ? from_bytes : to_bytes, kinds);
    if (error)
        return error;
    if (from_bytes > to_bytes)
        return fail(MPI_ERR_TRUNCATE, "%zu bytes do not fit the %zu bytes of the receive buffer", from_bytes,
                    to_bytes);
    return 0;
}

/* Whether the bytes of count items fit into the rest of a buffer of packed data. */
static int datatype_check_room(const void *packed, MPI_Count size, MPI_Count position, size_t bytes)
{
    if (position < 0 || position > size)
        return fail(MPI_ERR_ARG, "position %lld is not in the %lld bytes of the buffer", (long long)position,
                    (long long)size);
    if (bytes > (size_t)(size - position))
        return fail(MPI_ERR_TRUNCATE,
                    "%zu packed bytes do not fit the %lld bytes from position %lld to the end", bytes,
                    (long long)(size - position), (long long)position);
    if (!packed && bytes)
        return fail(MPI_ERR_BUFFER, "the buffer of packed data is NULL, but %zu bytes are to be there",
                    bytes);
    return 0;
}

int datatype_pack_items(const void *items, MPI_Count count, struct datatype *type, void *packed,
                        MPI_Count packed_size, MPI_Count *position)
{
    size_t bytes = 0;
    int error = datatype_bytes(type, count, &bytes);

    if (!error)
        error = datatype_check_room(packed, packed_size, *position, bytes);
    if (error)
        return error;
    datatype_pack(type, items, 0, (char *)packed + *position, bytes);
    *position += (MPI_Count)bytes;
    return 0;
}

int datatype_unpack_items(const void *packed, MPI_Count packed_size, MPI_Count *position, void *items,
                          MPI_Count count, struct datatype *type)
{
    size_t bytes = 0;
    int error = datatype_bytes(type, count, &bytes);

    if (!error)
        error = datatype_check_room(packed, packed_size, *position, bytes);
    if (error)
        return error;
    datatype_unpack(type, items, 0, (const char *)packed + *position, bytes);
    *position += (MPI_Count)bytes;
    return 0;
}

int datatype_packed_size(MPI_Count count, struct datatype *type, MPI_Count *size)
{
    size_t bytes = 0;
    int error = type->supported ? datatype_bytes(type, count, &bytes)
                                : fail(MPI_ERR_TYPE, "%s does not exist on this platform", type->name);

    if (error)
        return error;
    *size = (MPI_Count)bytes;
    return 0;
}

int datatype_set_attribute(struct datatype *type, int keyval, void *value)
{
    return attribute_set_value(&type->attributes, OBJECT_DATATYPE, own_handle(type), keyval, value);
}

int datatype_get_attribute(struct datatype *type, int keyval, void *value, int *flag)
{
    return attribute_get_value(&type->attributes, OBJECT_DATATYPE, keyval, value, flag);
}

int datatype_delete_attribute(struct datatype *type, int keyval)
{
    return attribute_delete(&type->attributes, OBJECT_DATATYPE, own_handle(type), keyval);
}

/* Sizes and extents of datatypes, and how many bytes a number of items has, spans or needs: each overflow is an error. */

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
