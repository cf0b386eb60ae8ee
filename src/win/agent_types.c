/* Types that others have described to this agent. */
#include "win/agent_wire.h"

#include "datatype/datatype.h"
#include "plain/fail.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* NULL: several types, which are moved as bytes. */
uint64_t agent_name_basic(const struct datatype *basic)
{
    struct datatype *value, *index;

    if (!basic)
        return object_word(MPI_BYTE);
    if (!value_index_parts(basic, &value, &index))
        return object_handle(&basic->object);
    return object_handle(&value->object) | object_handle(&index->object) << AGENT_INDEX_SHIFT;
}

struct datatype *agent_find_basic(uint64_t name)
{
    struct datatype *value = datatype_predefined((MPI_Datatype)(uintptr_t)(uint32_t)name), *pair;

    if (!(name >> AGENT_INDEX_SHIFT))
        return value;
    if (datatype_value_index(value, datatype_predefined((MPI_Datatype)(uintptr_t)(name >> AGENT_INDEX_SHIFT)),
                             &pair))
        return NULL;
    datatype_unref(pair); /* it stays */
    return pair;
}

static struct agent_type *find_type(struct agent *a, int origin, uint64_t number)
{
    for (struct link *l = a->known.prev; l != &a->known; l = l->prev) {
        struct agent_type *t = LIST_ENTRY(l, struct agent_type, link);

        if (t->origin == origin && t->number == number)
            return t;
    }
    return NULL;
}

static void forget_type(struct agent_type *t)
{
    list_remove(&t->link);
    if (t->type)
        datatype_unref(t->type);
    free(t->run);
    free(t);
}

void agent_forget_types(struct agent *a)
{
    while (!list_is_empty(&a->known))
        forget_type(LIST_ENTRY(a->known.next, struct agent_type, link));
}

/* The origin uses none any more that is so much older than its newest. */
static void forget_old_types(struct agent *a, int origin, uint64_t newest)
{
    struct link *next;

    for (struct link *l = a->known.next; l != &a->known; l = next) {
        struct agent_type *t = LIST_ENTRY(l, struct agent_type, link);

        next = l->next;
        if (t->origin == origin && t->number + AGENT_TYPES < newest)
            forget_type(t);
    }
}

static struct agent_type *new_type(struct agent *a, int origin, const struct agent_head *head)
{
    struct agent_type *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    forget_old_types(a, origin, head->type);
    t->origin = origin;
    t->number = head->type;
    t->basic = head->basic;
    list_add(&a->known, &t->link);
    return t;
}

int agent_learn_type(struct agent *a, int origin, const struct agent_request *request, size_t bytes)
{
    struct agent_type *t = find_type(a, origin, request->head.type);
    size_t runs = bytes / sizeof *t->run;
    void *run;

    if (!t)
        t = new_type(a, origin, &request->head);
    run = t ? realloc(t->run, (t->runs + runs) * sizeof *t->run) : NULL;
    if (!run)
        return fail(MPI_ERR_NO_MEM, "no memory for a datatype of rank %d", origin);
    t->run = run;
    memcpy(t->run + t->runs, request->data, runs * sizeof *t->run);
    t->runs += runs;
    return MPI_SUCCESS;
}

/* The runs as a strided vector of the basic type. */
static int vector_of(const struct agent_run *run, struct datatype *basic, struct datatype **vector)
{
    return datatype_hvector(true, run->count, run->bytes / basic->size, run->stride, basic, vector);
}

static int struct_of(const struct agent_type *t, struct datatype **vector, struct datatype **made)
{
    int64_t *ones = malloc(2 * t->runs * sizeof *ones), *at;
    struct counts lengths, displacements;
    int error;

    if (!ones)
        return fail(MPI_ERR_NO_MEM, "no memory for a datatype of %zu runs", t->runs);
    at = ones + t->runs;
    for (size_t i = 0; i < t->runs; i++) {
        ones[i] = 1;
        at[i] = t->run[i].at;
    }
    lengths = (struct counts){.wide = ones};
    displacements = (struct counts){.wide = at};
    error = datatype_struct(true, (MPI_Count)t->runs, lengths, displacements, vector, made);
    free(ones);
    return error;
}

static int make_type(const struct agent_type *t, struct datatype **made)
{
    struct datatype *basic = agent_find_basic(t->basic);
    struct datatype **vector = calloc(t->runs, sizeof(struct datatype *));
    int error =
        vector && basic ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory for a datatype of %zu runs", t->runs);

    if (basic && !basic->dense) /* a pair with a gap: its runs are not whole items */
        basic = datatype_predefined(MPI_BYTE);
    for (size_t i = 0; i < t->runs && !error; i++)
        error = vector_of(&t->run[i], basic, &vector[i]);
    if (!error)
        error = struct_of(t, vector, made);
    if (!error)
        error = datatype_commit(*made);
    for (size_t i = 0; vector && i < t->runs; i++)
        if (vector[i])
            datatype_unref(vector[i]);
    free(vector);
    return error;
}

struct datatype *agent_known_type(struct agent *a, int origin, uint64_t number)
{
    struct agent_type *t = find_type(a, origin, number);

    if (!t) {
        fail(MPI_ERR_INTERN, "rank %d names datatype %llu, which it has not described", origin,
             (unsigned long long)number);
        return NULL;
    }
    if (!t->type && make_type(t, &t->type))
        t->type = NULL;
    return t->type;
}
