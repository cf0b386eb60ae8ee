/* Pairs of a value and an index that are selected by their two types (MPI-5.0 section 6.9.4). Those without a name are made when
 * they are first asked for, and stay. */
#include "datatype/datatype.h"

#include "base/live.h"
#include "base/lock.h"
#include "base/round.h"
#include "datatype/construct.h"
#include "plain/fail.h"

#include <stdlib.h>

enum {
    INDICES = CATEGORY_C_INTEGER | CATEGORY_FORTRAN_INTEGER | CATEGORY_MULTI_LANGUAGE,
    VALUES = INDICES | CATEGORY_FLOATING /* what MPI_MIN and MPI_MAX take */
};

/* A pair without a name. The same request gets the same type. */
struct unnamed {
    struct unnamed *next;
    struct datatype *value, *index, *pair;
};

static struct unnamed *known;
static struct lock known_lock = LOCK_INIT; /* guards the list */

static struct datatype *named_find(const struct datatype *value, const struct datatype *index)
{
    static const struct {
        MPI_Datatype value, index, pair;
    } rows[] = {
        {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
        {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
        {MPI_LONG, MPI_INT, MPI_LONG_INT},
        {MPI_INT, MPI_INT, MPI_2INT},
        {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
        {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
        {MPI_REAL, MPI_REAL, MPI_2REAL},
        {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
        {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (value == datatype_predefined(rows[i].value) && index == datatype_predefined(rows[i].index))
            return datatype_predefined(rows[i].pair);
    return NULL;
}

/* Whether there is a pair of these, named or not. */
static bool pair_exists(const struct datatype *value, const struct datatype *index)
{
    return value->object.predefined && value->supported && value->category & VALUES &&
           index->object.predefined && index->supported && index->category & INDICES;
}

MPI_Count value_index_place(const struct datatype *value, const struct datatype *index)
{
    return (MPI_Count)round_up((size_t)value->size, (size_t)index->alignment);
}

/* As a C struct of the two. */
static int pair_make(struct datatype *value, struct datatype *index, struct datatype **pair)
{
    struct datatype *parts[] = {value, index};
    struct shape first = shape_of(value), second = shape_of(index);
    struct construct c;
    int error = construct_start(&c, MPI_COMBINER_VALUE_INDEX, contents_new(false, 0, 0, 0, 2), parts, 2);

    if (error)
        return error;
    error = shape_add(&c.shape, 0, 1, 0, &first);
    if (!error)
        error = shape_add(&c.shape, value_index_place(value, index), 1, 0, &second);
    error = construct_finish(&c, error, pair);
    if (error)
        return error;
    (*pair)->basic = *pair;
    (*pair)->representation = REP_PAIR;
    (*pair)->category = CATEGORY_PAIR;
    (*pair)->committed = true;
    (*pair)->object.predefined = true;
    return MPI_SUCCESS;
}

static int pair_keep(struct datatype *value, struct datatype *index, struct datatype **pair)
{
    struct unnamed *u = malloc(sizeof *u);
    int error = u ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory for a datatype");

    if (!error)
        error = pair_make(value, index, pair);
    if (error) {
        free(u);
        return error;
    }
    *u = (struct unnamed){known, value, index, *pair};
    known = u;
    return MPI_SUCCESS;
}

static int unnamed_find(struct datatype *value, struct datatype *index, struct datatype **pair)
{
    int error = MPI_SUCCESS;
    struct unnamed *u;

    lock_take(&known_lock);
    for (u = known; u && (u->value != value || u->index != index);)
        u = u->next;
    if (u) {
        *pair = u->pair;
    } else {
        live_set_own(true);
        error = pair_keep(value, index, pair);
        live_set_own(false);
    }
    lock_release(&known_lock);
    return error;
}

int datatype_value_index(struct datatype *value, struct datatype *index, struct datatype **pair)
{
    int error = MPI_SUCCESS;

    *pair = named_find(value, index);
    if (!*pair && pair_exists(value, index))
        error = unnamed_find(value, index, pair);
    if (!error && *pair)
        datatype_ref(*pair);
    return error;
}

bool value_index_parts(const struct datatype *type, struct datatype **value, struct datatype **index)
{
    if (type->combiner != MPI_COMBINER_VALUE_INDEX)
        return false;
    *value = type->contents->datatype[0]->basic;
    *index = type->contents->datatype[1]->basic;
    return true;
}
