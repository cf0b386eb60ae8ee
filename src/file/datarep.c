#include "file/datarep.h"

#include "datatype/datatype.h"
#include "plain/fail.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct datarep {
    char name[MPI_MAX_DATAREP_STRING];
    enum {
        NATIVE,
        EXTERNAL32,
        PROGRAMS
    } kind;
    MPI_Datarep_conversion_function *read, *write;       /* NULL: no conversion, or ... */
    MPI_Datarep_conversion_function_c *read_c, *write_c; /* ... these */
    MPI_Datarep_extent_function *extent;
    void *extra_state;
    const struct datarep *next;
};

static const struct datarep native = {.name = "native", .kind = NATIVE};
static const struct datarep internal = {.name = "internal", .kind = NATIVE, .next = &native};
static const struct datarep external32 = {.name = "external32", .kind = EXTERNAL32, .next = &internal};

static struct lock lock = LOCK_INIT; /* guards the head of the list, whose members are constant */
static const struct datarep *first = &external32;

const struct datarep *datarep_native(void)
{
    return &native;
}

const char *datarep_name(const struct datarep *datarep)
{
    return datarep->name;
}

static const struct datarep *find_in(const struct datarep *list, const char *name)
{
    while (list && strcmp(list->name, name) != 0)
        list = list->next;
    return list;
}

int datarep_find(const char *name, const struct datarep **datarep)
{
    const struct datarep *list, *found;

    lock_always_take(&lock);
    list = first;
    lock_always_release(&lock);
    found = find_in(list, name);
    if (!found)
        return fail(MPI_ERR_UNSUPPORTED_DATAREP,
                    "data representation \"%.60s\" is neither native, internal, external32, nor registered",
                    name);
    *datarep = found;
    return MPI_SUCCESS;
}

static int enter(struct datarep *new)
{
    bool is_there;

    lock_always_take(&lock);
    is_there = find_in(first, new->name) != NULL;
    if (!is_there) {
        new->next = first;
        first = new;
    }
    lock_always_release(&lock);
    if (is_there)
        return fail(MPI_ERR_DUP_DATAREP, "data representation \"%s\" is defined already", new->name);
    return MPI_SUCCESS;
}

int datarep_register(const char *name, MPI_Datarep_conversion_function *read,
                     MPI_Datarep_conversion_function_c *read_c, MPI_Datarep_conversion_function *write,
                     MPI_Datarep_conversion_function_c *write_c, MPI_Datarep_extent_function *extent,
                     void *extra_state)
{
    struct datarep *new;
    int error;

    if (!*name || strlen(name) >= MPI_MAX_DATAREP_STRING)
        return fail(MPI_ERR_ARG, "datarep is \"%.60s\"; a name has 1 to %d characters", name,
                    MPI_MAX_DATAREP_STRING - 1);
    if (!extent)
        return fail(MPI_ERR_ARG, "dtype_file_extent_fn is NULL");
    new = calloc(1, sizeof *new);
    if (!new)
        return fail(MPI_ERR_NO_MEM, "no memory for a data representation");
    strcpy(new->name, name);
    new->kind = PROGRAMS;
    new->read = read;
    new->read_c = read_c;
    new->write = write;
    new->write_c = write_c;
    new->extent = extent;
    new->extra_state = extra_state;
    error = enter(new);
    if (error)
        free(new);
    return error;
}

bool datarep_converts(const struct datarep *datarep, bool is_write)
{
    if (datarep->kind != PROGRAMS)
        return datarep->kind == EXTERNAL32;
    return is_write ? datarep->write || datarep->write_c : datarep->read || datarep->read_c;
}

bool datarep_is_programs(const struct datarep *datarep)
{
    return datarep->kind == PROGRAMS;
}

static int programs_size(const struct datarep *datarep, struct datatype *predefined, MPI_Count *size)
{
    MPI_Aint extent = 0;
    int code =
        datarep->extent(object_to_handle(predefined, MPI_DATATYPE_NULL), &extent, datarep->extra_state);

    if (code)
        return fail(MPI_ERR_CONVERSION, "dtype_file_extent_fn of \"%s\" returned %d for %s", datarep->name,
                    code, datatype_title(predefined));
    if (extent == MPI_UNDEFINED)
        return fail(MPI_ERR_VALUE_TOO_LARGE, "the extent of %s in \"%s\" does not fit",
                    datatype_title(predefined), datarep->name);
    if (extent <= 0)
        return fail(MPI_ERR_CONVERSION,
                    "dtype_file_extent_fn of \"%s\" gave the extent %lld for %s; it must be positive",
                    datarep->name, (long long)extent, datatype_title(predefined));
    *size = extent;
    return MPI_SUCCESS;
}

/* A rebuild_fn: as many bytes as the value has in the file, where these are not as many as in memory. */
static int replace_value(const void *state, struct datatype *predefined, struct datatype **instead)
{
    const struct datarep *datarep = state;
    MPI_Count size;
    int error = datarep->kind == EXTERNAL32 ? datatype_external_size(datarep->name, 1, predefined, &size)
                                            : programs_size(datarep, predefined, &size);

    if (error)
        return error;
    if (size == predefined->size && size == predefined->extent) {
        datatype_ref(predefined);
        *instead = predefined;
        return MPI_SUCCESS;
    }
    error = datatype_contiguous(true, size, datatype_predefined(MPI_BYTE), instead);
    return error ? error : datatype_commit(*instead);
}

int datarep_type(const struct datarep *datarep, struct datatype *type, struct datatype **in_file)
{
    if (datarep->kind != NATIVE)
        return datatype_rebuild(type, replace_value, datarep, in_file);
    datatype_ref(type);
    *in_file = type;
    return MPI_SUCCESS;
}

/* The program's function for one direction. */
struct converter {
    const struct datarep *datarep;
    MPI_Datarep_conversion_function *call;
    MPI_Datarep_conversion_function_c *call_c;
};

/* Converts `values` values of the items' typemap, from the beginning on. */
static int call_converter(const struct converter *c, const struct user_buffer *items, MPI_Count values,
                          void *in_file)
{
    MPI_Datatype handle = (MPI_Datatype)(uintptr_t)object_show(&datatype_pool, &items->type->object);
    int code = MPI_SUCCESS;

    if (c->call_c)
        code = c->call_c(items->at, handle, values, in_file, 0, c->datarep->extra_state);
    else if (values <= INT_MAX)
        code = c->call(items->at, handle, (int)values, in_file, 0, c->datarep->extra_state);
    object_hide(&datatype_pool, &items->type->object);
    if (!c->call_c && values > INT_MAX)
        return fail(MPI_ERR_COUNT,
                    "%lld values are too many for the conversion functions of \"%s\": register "
                    "them with MPI_Register_datarep_c",
                    (long long)values, c->datarep->name);
    if (code)
        return fail(MPI_ERR_CONVERSION, "a conversion function of \"%s\" returned %d", c->datarep->name,
                    code);
    return MPI_SUCCESS;
}

int datarep_write(const struct datarep *datarep, const struct user_buffer *items, void *in_file,
                  MPI_Count bytes)
{
    struct converter c = {datarep, datarep->write, datarep->write_c};
    MPI_Count position = 0;

    if (datarep->kind == EXTERNAL32)
        return datatype_pack_external(datarep->name, items->at, items->count, items->type, in_file, bytes,
                                      &position);
    return call_converter(&c, items, items->count * items->type->elements, in_file);
}

/* The whole values among these bytes of a file in which an item has item_bytes. A part of an item counts only if
 * its values are of one size. */
static MPI_Count count_values(const struct datatype *type, MPI_Count item_bytes, MPI_Count bytes)
{
    MPI_Count items, rest;

    if (item_bytes == 0)
        return 0;
    items = bytes / item_bytes;
    rest = bytes % item_bytes;
    if (type->basic)
        return items * type->elements + rest / (item_bytes / type->elements);
    return items * type->elements;
}

MPI_Count datarep_memory_bytes(const struct datatype *type, MPI_Count item_bytes, MPI_Count bytes)
{
    MPI_Count values, rest;

    if (item_bytes == type->size)
        return bytes;
    values = count_values(type, item_bytes, bytes);
    if (values == 0)
        return 0;
    rest = values % type->elements;
    return values / type->elements * type->size + (rest ? layout_bytes(type->typed, rest) : 0);
}

/* Converts the values that were read of an item which is not whole, by way of an item in memory of its own. */
static int read_part(const char *in_file, MPI_Count bytes, MPI_Count item_bytes, char *item,
                     struct datatype *type)
{
    MPI_Count part = datarep_memory_bytes(type, item_bytes, bytes), position = 0;
    char *whole = calloc(1, (size_t)item_bytes), *memory = calloc(1, (size_t)type->true_extent);
    char *packed = malloc((size_t)part + 1);
    int error = MPI_SUCCESS;

    if (!whole || !memory || !packed)
        error = fail(MPI_ERR_NO_MEM, "no memory for an item of %lld bytes", (long long)type->true_extent);
    if (!error) {
        memcpy(whole, in_file, (size_t)bytes);
        error = datatype_unpack_external("external32", whole, item_bytes, &position, memory - type->true_lb,
                                         1, type);
    }
    if (!error) {
        datatype_pack(type, memory - type->true_lb, 0, packed, (size_t)part);
        datatype_unpack(type, item, 0, packed, (size_t)part);
    }
    free(whole);
    free(memory);
    free(packed);
    return error;
}

int datarep_read(const struct datarep *datarep, const void *in_file, MPI_Count bytes, MPI_Count item_bytes,
                 const struct user_buffer *items)
{
    struct converter c = {datarep, datarep->read, datarep->read_c};
    MPI_Count whole, position = 0;
    int error;

    if (item_bytes == 0 || bytes == 0)
        return MPI_SUCCESS;
    if (datarep->kind != EXTERNAL32)
        return call_converter(&c, items, count_values(items->type, item_bytes, bytes),
                              (void *)(uintptr_t)in_file);
    whole = bytes / item_bytes;
    error = datatype_unpack_external(datarep->name, in_file, bytes, &position, items->at, whole, items->type);
    if (error || bytes % item_bytes == 0)
        return error;
    return read_part((const char *)in_file + whole * item_bytes, bytes % item_bytes, item_bytes,
                     layout_at(items->at, whole * items->type->extent), items->type);
}
