/* walk: goes through the rows of the hint table that a class of objects has, so that none is without a test.
 *
 * Of each: its default, legal values and an illegal one, at creation and in set_info, and what happens when the
 * ranks disagree. What active rows do: tests/hints. A program that includes this is linked with the library's objects,
 * since the table is not exported.
 */
#ifndef TESTS_ROWS_WALK_H
#define TESTS_ROWS_WALK_H

#include "check.h"
#include "hint/hint.h"
#include "hints/hints.h"

enum {
    VALUES = 3
};

/* One class of objects, of which one exists at a time. */
struct walk_class {
    unsigned on; /* ON_WIN, ... */
    void (*make)(MPI_Info info);
    int (*set_info)(MPI_Info info);
    int (*get_info)(MPI_Info *info);
    void (*free)(void);
    const char *const *numbers, *const *choices, *const *sets, *const *strings; /* VALUES legal values each */
    const char *(*told)(const struct hint_row *row); /* what a row that can only be read tells */
};

static const struct walk_class *walked;

static void make_with(const struct hint_row *row, const char *value)
{
    MPI_Info info = info_with(row->key, value);

    walked->make(info);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static void set(const struct hint_row *row, const char *value)
{
    MPI_Info info = info_with(row->key, value);

    CHECK_EQ(walked->set_info(info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

/* get_info gives this value; NULL: none. */
static void expect(const struct hint_row *row, const char *value)
{
    char now[MPI_MAX_INFO_VAL + 1];
    int length = sizeof now, found;
    MPI_Info info;

    CHECK_EQ(walked->get_info(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_string(info, row->key, &length, now, &found), MPI_SUCCESS);
    CHECK_EQ(found, value != NULL);
    if (value)
        CHECK_STR(now, value);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static const char *const *legal_values(const struct hint_row *row)
{
    static const char *const booleans[VALUES] = {"true", "false", "true"};
    static const char *const kinds[VALUES] = {"system", "mpi,system", "mpi:alloc_mem,system"};

    switch (row->type) {
    case HINT_BOOL:
        return booleans;
    case HINT_KINDS:
        return kinds;
    case HINT_INT:
        return walked->numbers;
    case HINT_CHOICE:
        return walked->choices; /* another row of this type needs values of its own */
    case HINT_SET:
        return walked->sets;
    case HINT_STRING:
        CHECK(walked->strings != NULL);
        return walked->strings;
    default:
        CHECK(!"a type with values here");
        return NULL;
    }
}

static const char *illegal_value(const struct hint_row *row)
{
    return row->type == HINT_KINDS ? "system,granite" : "perhaps";
}

static void walk_values(const struct hint_row *row)
{
    const char *const *value = legal_values(row);

    make_with(row, illegal_value(row));
    expect(row, row->def);
    walked->free();
    for (int i = 0; i < VALUES; i++) {
        const char *next = value[(i + 1) % VALUES], *now = row->when & AT_SET ? next : value[i];

        make_with(row, value[i]);
        expect(row, value[i]);
        set(row, next);
        expect(row, now);
        set(row, illegal_value(row));
        expect(row, now);
        walked->free();
    }
}

/* The last rank differs from the others. */
static void walk_disagreement(const struct hint_row *row)
{
    const char *const *value = legal_values(row), *mine, *expected;
    int ranks, me;

    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &ranks), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &me), MPI_SUCCESS);
    mine = value[me != ranks - 1];
    expected = row->agree == AGREE_SAME && ranks > 1 ? row->def : mine;
    make_with(row, mine);
    expect(row, expected);
    if (row->when & AT_SET) {
        set(row, value[0]);
        expect(row, value[0]);
        set(row, mine);
        expect(row, expected);
    }
    walked->free();
}

static void walk_read_only(const struct hint_row *row)
{
    const char *value = row->state == EFFECT_NONE ? NULL : walked->told(row);

    make_with(row, "system");
    expect(row, value);
    set(row, "mpi");
    expect(row, value);
    walked->free();
}

static void walk_rows(const struct walk_class *class)
{
    walked = class;
    for (int id = 0; id < HINT_COUNT; id++) {
        const struct hint_row *row = &hint_table[id];

        if (!(row->on & class->on))
            continue;
        if (row->state == EFFECT_NONE || row->when & READ_ONLY) {
            walk_read_only(row);
        } else {
            walk_values(row);
            walk_disagreement(row);
        }
    }
}

#endif
