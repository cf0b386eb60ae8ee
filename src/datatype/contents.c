#include "datatype/construct.h"

#include "base/live.h"
#include "plain/fail.h"

#include <stdlib.h>
#include <string.h>

static void *array(MPI_Count n, size_t size)
{
    return calloc(n ? (size_t)n : 1, size);
}

struct contents *contents_new(bool large, MPI_Count integers, MPI_Count counts, MPI_Count extents,
                              MPI_Count datatypes)
{
    struct contents *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    live_add(LIVE_CONTENTS, 1);
    atomic_store_explicit(&c->refs, 1, memory_order_relaxed); /* nobody else knows it yet */
    c->large = large;
    c->integer = array(integers + (large ? 0 : counts), sizeof *c->integer);
    c->address = array(large ? 0 : extents, sizeof *c->address);
    c->large_count = array(large ? counts + extents : 0, sizeof *c->large_count);
    c->datatype = (struct datatype **)array(datatypes, sizeof(struct datatype *));
    if (c->integer && c->address && c->large_count && c->datatype)
        return c;
    contents_unref(c);
    return NULL;
}

void contents_ref(struct contents *c)
{
    atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
}

void contents_unref(struct contents *c)
{
    if (!c || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (MPI_Count i = 0; i < c->datatypes; i++)
        datatype_unref(c->datatype[i]);
    free(c->integer);
    free(c->address);
    free(c->large_count);
    free((void *)c->datatype);
    free(c);
    live_add(LIVE_CONTENTS, -1);
}

void contents_add_integers(struct contents *c, const int *values, MPI_Count n)
{
    for (MPI_Count i = 0; i < n; i++)
        contents_add_integer(c, values[i]);
}

void contents_add_integer(struct contents *c, int value)
{
    c->integer[c->integers++] = value;
}

void contents_add_counts(struct contents *c, struct counts values, MPI_Count n)
{
    for (MPI_Count i = 0; i < n; i++)
        contents_add_count(c, counts_at(values, i));
}

void contents_add_count(struct contents *c, MPI_Count value)
{
    if (c->large)
        c->large_count[c->large_counts++] = value;
    else
        contents_add_integer(c, (int)value);
}

void contents_add_extents(struct contents *c, struct counts values, MPI_Count n)
{
    for (MPI_Count i = 0; i < n; i++)
        contents_add_extent(c, counts_at(values, i));
}

void contents_add_extent(struct contents *c, MPI_Count value)
{
    if (c->large)
        c->large_count[c->large_counts++] = value;
    else
        c->address[c->addresses++] = (MPI_Aint)value;
}

void contents_add_datatypes(struct contents *c, struct datatype *const *types, MPI_Count n)
{
    for (MPI_Count i = 0; i < n; i++) {
        datatype_ref(types[i]);
        c->datatype[c->datatypes++] = types[i];
    }
}

/* How a datatype was built (MPI-5.0 section 5.1.13), and the constructors that take handles of datatypes. */

/* The contents of a named type. */
static const struct contents nothing;

static const struct contents *contents_of(const struct datatype *type)
{
    return type->contents ? type->contents : &nothing;
}

static int refuse_large(const struct datatype *type)
{
    return fail(MPI_ERR_TYPE, "%s was built with large counts; call the _c form", datatype_title(type));
}

int datatype_get_envelope(struct datatype *type, int *integers, int *addresses, int *datatypes, int *combiner)
{
    const struct contents *c = contents_of(type);

    if (c->large_counts)
        return refuse_large(type);
    *integers = (int)c->integers;
    *addresses = (int)c->addresses;
    *datatypes = (int)c->datatypes;
    *combiner = type->combiner;
    return MPI_SUCCESS;
}

int datatype_get_envelope_c(struct datatype *type, MPI_Count *integers, MPI_Count *addresses,
                            MPI_Count *large_counts, MPI_Count *datatypes, int *combiner)
{
    const struct contents *c = contents_of(type);

    *integers = c->integers;
    *addresses = c->addresses;
    *large_counts = c->large_counts;
    *datatypes = c->datatypes;
    *combiner = type->combiner;
    return MPI_SUCCESS;
}

static int envelope_check_room(const struct datatype *type, MPI_Count integers, MPI_Count addresses,
                               MPI_Count large_counts, MPI_Count datatypes)
{
    const struct contents *c = contents_of(type);

    if (type->combiner == MPI_COMBINER_NAMED)
        return fail(MPI_ERR_TYPE, "%s is predefined and has no contents", type->name);
    if (integers < c->integers || addresses < c->addresses || large_counts < c->large_counts ||
        datatypes < c->datatypes)
        return fail(
            MPI_ERR_ARG,
            "an array is shorter than MPI_Type_get_envelope says: %lld integers, %lld addresses, %lld "
            "large counts, %lld datatypes",
            (long long)c->integers, (long long)c->addresses, (long long)c->large_counts,
            (long long)c->datatypes);
    return MPI_SUCCESS;
}

static void free_handles(MPI_Datatype *handles, MPI_Count n)
{
    for (MPI_Count i = 0; i < n; i++) {
        struct datatype *type = datatype_find(handles[i]);

        if (!type->object.predefined)
            object_retire(&datatype_pool, &type->object);
        datatype_unref(type);
    }
}

/* Makes new objects for the derived types; the program frees them. */
static int get_datatypes(const struct contents *c, MPI_Datatype *handles)
{
    for (MPI_Count i = 0; i < c->datatypes; i++) {
        struct datatype *type;
        int error = datatype_again(c->datatype[i], &type);

        if (error) {
            free_handles(handles, i);
            return error;
        }
        handles[i] = object_to_handle(type, MPI_DATATYPE_NULL);
    }
    return MPI_SUCCESS;
}

static void envelope_copy(void *to, const void *from, MPI_Count n, size_t size)
{
    if (n)
        memcpy(to, from, (size_t)n * size);
}

int datatype_get_contents(struct datatype *type, int max_integers, int max_addresses, int max_datatypes,
                          int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[])
{
    if (contents_of(type)->large_counts)
        return refuse_large(type);
    return datatype_get_contents_c(type, max_integers, max_addresses, 0, max_datatypes, integers, addresses,
                                   NULL, datatypes);
}

int datatype_get_contents_c(struct datatype *type, MPI_Count max_integers, MPI_Count max_addresses,
                            MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[],
                            MPI_Aint addresses[], MPI_Count large_counts[], MPI_Datatype datatypes[])
{
    const struct contents *c = contents_of(type);
    int error = envelope_check_room(type, max_integers, max_addresses, max_large_counts, max_datatypes);

    if (!error && ((c->integers && !integers) || (c->addresses && !addresses) ||
                   (c->large_counts && !large_counts) || (c->datatypes && !datatypes)))
        error = fail(MPI_ERR_ARG, "an array is NULL that has to take contents of %s", datatype_title(type));
    if (!error)
        error = get_datatypes(c, datatypes);
    if (error)
        return error;
    envelope_copy(integers, c->integer, c->integers, sizeof *integers);
    envelope_copy(addresses, c->address, c->addresses, sizeof *addresses);
    envelope_copy(large_counts, c->large_count, c->large_counts, sizeof *large_counts);
    return MPI_SUCCESS;
}

int datatype_struct_of_handles(bool large, MPI_Count count, struct counts blocklengths, struct counts displs,
                               const MPI_Datatype handles[], struct datatype **type)
{
    struct datatype **types;
    int error = MPI_SUCCESS;

    if (count && !handles)
        return fail(MPI_ERR_ARG, "array_of_types is NULL");
    types = (struct datatype **)calloc(count ? (size_t)count : 1, sizeof *types);
    if (!types)
        return fail(MPI_ERR_NO_MEM, "no memory for %lld datatypes", (long long)count);
    for (MPI_Count i = 0; i < count && !error; i++) {
        types[i] = datatype_find(handles[i]);
        if (!types[i])
            error = fail(MPI_ERR_TYPE, "array_of_types[%lld] is not a datatype", (long long)i);
    }
    if (!error)
        error = datatype_struct(large, count, blocklengths, displs, types, type);
    free((void *)types);
    return error;
}
