/* every_win_row: walks the rows of the hint table that windows have, so that none is without a test.
 *
 * Of each: its default, legal values and an illegal one, at creation and in set_info, and what happens when the
 * ranks disagree. What active rows do: tests/hints. Linked with the library's objects, since the table is not
 * exported.
 */
#include "check.h"
#include "hint/hint.h"
#include "hints/hints.h"

static void set(MPI_Win win, const struct hint_row *row, const char *value)
{
    MPI_Info info = info_with(row->key, value);

    CHECK_EQ(MPI_Win_set_info(win, info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static MPI_Win win_with(const struct hint_row *row, const char *value)
{
    MPI_Info info = info_with(row->key, value);
    void *base;
    MPI_Win win;

    CHECK_EQ(MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &win), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return win;
}

/* get_info gives this value; NULL: none. */
static void expect(MPI_Win win, const struct hint_row *row, const char *value)
{
    char now[MPI_MAX_INFO_VAL + 1];
    int size = sizeof now, found;
    MPI_Info info;

    CHECK_EQ(MPI_Win_get_info(win, &info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_string(info, row->key, &size, now, &found), MPI_SUCCESS);
    CHECK_EQ(found, value != NULL);
    if (value)
        CHECK_STR(now, value);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

enum {
    VALUES = 3
};

static const char *const *legal_values(const struct hint_row *row)
{
    static const char *const booleans[VALUES] = {"true", "false", "true"};
    static const char *const kinds[VALUES] = {"system", "mpi,system", "mpi:alloc_mem,system"};
    static const char *const numbers[VALUES] = {"8", "1", "4096"};
    static const char *const operations[VALUES] = {"same_op", "same_op_no_op", "same_op"};
    static const char *const orders[VALUES] = {"none", "rar,waw", "raw"};

    switch (row->type) {
    case HINT_BOOL:
        return booleans;
    case HINT_KINDS:
        return kinds;
    case HINT_INT:
        return numbers;
    case HINT_CHOICE:
        return operations; /* another row of this type needs values of its own */
    case HINT_SET:
        return orders;
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
    MPI_Win win = win_with(row, illegal_value(row));

    expect(win, row, row->def);
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
    for (int i = 0; i < VALUES; i++) {
        const char *next = value[(i + 1) % VALUES], *now = row->when & AT_SET ? next : value[i];

        win = win_with(row, value[i]);
        expect(win, row, value[i]);
        set(win, row, next);
        expect(win, row, now);
        set(win, row, illegal_value(row));
        expect(win, row, now);
        CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
    }
}

/* The last rank differs from the others. */
static void walk_disagreement(const struct hint_row *row)
{
    const char *const *value = legal_values(row), *mine, *expected;
    int size, rank;
    MPI_Win win;

    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    mine = value[rank != size - 1];
    expected = row->agree == AGREE_SAME && size > 1 ? row->def : mine;
    win = win_with(row, mine);
    expect(win, row, expected);
    if (row->when & AT_SET) {
        set(win, row, value[0]);
        expect(win, row, value[0]);
        set(win, row, mine);
        expect(win, row, expected);
    }
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
}

static void walk_read_only(const struct hint_row *row)
{
    MPI_Win win = win_with(row, "system");

    expect(win, row, row->def);
    set(win, row, "mpi");
    expect(win, row, row->def);
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    for (int id = 0; id < HINT_COUNT; id++) {
        const struct hint_row *row = &hint_table[id];

        if (!(row->on & ON_WIN))
            continue;
        if (row->when & READ_ONLY) {
            walk_read_only(row);
        } else {
            walk_values(row);
            walk_disagreement(row);
        }
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
