#include "shapes.h"

#include "section.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A shape has one place. An exchange takes it out, which acquires, or puts it in, which releases, so what the one who gives it back
 * has written is seen by the one who takes it. */
#define PLACES 256
static _Atomic(struct shape *) places[PLACES];

/* Goes up only; one thread sets the attribute while it is OPENING. Relaxed: no data hang on it, and MPI_Finalize comes when no other
 * thread is in a call. */
enum state {
    UNUSED,
    OPENING,
    OPEN,
    CLOSED
};
static _Atomic int state;

static bool has_lasting_handle(MPI_Datatype type)
{
    return (uintptr_t)type <= INT_MAX && is_predefined((int)(uintptr_t)type);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
}

static _Atomic(struct shape *) *place_of(const struct shape *shape)
{
    uint64_t hash = mix(mix((uint64_t)(uintptr_t)shape->type, (uint64_t)shape->count), shape->length);

    for (int i = 0; i < shape->rank; i++)
        hash = mix(mix(hash, (uint64_t)shape->dim[i].extent), (uint64_t)shape->dim[i].stride);
    return &places[hash % PLACES];
}

static bool is_same(const struct shape *a, const struct shape *b)
{
    if (a->type != b->type || a->count != b->count || a->length != b->length || a->rank != b->rank)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dim[i].extent != b->dim[i].extent || a->dim[i].stride != b->dim[i].stride)
            return false;
    return true;
}

static void set_shape(struct shape *shape, const struct section *section, MPI_Count count, MPI_Datatype type)
{
    shape->type = type;
    shape->count = count;
    shape->length = section->length;
    shape->rank = section->rank;
    for (int i = 0; i < section->rank; i++) {
        shape->dim[i].extent = section->dim[i].extent;
        shape->dim[i].stride = section->dim[i].stride;
    }
}

static void shape_free(struct shape *shape)
{
    if (!shape)
        return;
    PMPI_Type_free(&shape->made);
    free(shape);
}

static int free_all(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    atomic_store_explicit(&state, CLOSED, memory_order_relaxed);
    for (int i = 0; i < PLACES; i++)
        shape_free(atomic_exchange_explicit(&places[i], NULL, memory_order_acq_rel));
    return MPI_SUCCESS;
}

/* Whether MPI_Finalize will free what is kept. */
static bool is_open(void)
{
    int initialized = 0, finalized = 0, key, unused = UNUSED;

    if (atomic_load_explicit(&state, memory_order_relaxed) != UNUSED)
        return atomic_load_explicit(&state, memory_order_relaxed) == OPEN;
    PMPI_Initialized(&initialized);
    PMPI_Finalized(&finalized);
    if (!initialized || finalized ||
        !atomic_compare_exchange_strong_explicit(&state, &unused, OPENING, memory_order_relaxed,
                                                 memory_order_relaxed))
        return false;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_all, &key, NULL) == MPI_SUCCESS) {
        if (PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL) == MPI_SUCCESS)
            atomic_store_explicit(&state, OPEN, memory_order_relaxed);
        PMPI_Comm_free_keyval(&key);
    }
    return atomic_load_explicit(&state, memory_order_relaxed) == OPEN;
}

struct shape *shapes_take(const struct section *section, MPI_Count count, MPI_Datatype type)
{
    _Atomic(struct shape *) *place;
    struct shape wanted, *found;

    if (!has_lasting_handle(type))
        return NULL;
    set_shape(&wanted, section, count, type);
    place = place_of(&wanted);
    if (!atomic_load_explicit(place, memory_order_relaxed))
        return NULL;
    found = atomic_exchange_explicit(place, NULL, memory_order_acq_rel);
    if (found && is_same(found, &wanted))
        return found;
    shape_free(found);
    return NULL;
}

struct shape *shapes_add(const struct section *section, MPI_Count count, MPI_Datatype type, MPI_Datatype made)
{
    struct shape *shape;

    if (!has_lasting_handle(type) || !is_open())
        return NULL;
    shape = malloc(sizeof *shape);
    if (!shape)
        return NULL;
    set_shape(shape, section, count, type);
    shape->made = made;
    return shape;
}

void shapes_give(struct shape *shape)
{
    shape_free(atomic_exchange_explicit(place_of(shape), shape, memory_order_acq_rel));
}
