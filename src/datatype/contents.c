#include "datatype/construct.h"

#include "base/live.h"

#include <stdlib.h>

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
