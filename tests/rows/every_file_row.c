/* every_file_row: walks the rows of the hint table that files have, so that none is without a test.
 *
 * Of each: its default, legal values and an illegal one, at creation and in set_info, and what happens when the
 * ranks disagree. What active rows do: tests/hints. Linked with the library's objects, since the table is not
 * exported.
 */
#include "hint/hint.h"
#include "hints/hints.h"
#include "mpi/files/files.h"

static void set(MPI_File file, const struct hint_row *row, const char *value)
{
    MPI_Info info = info_with(row->key, value);

    CHECK_EQ(MPI_File_set_info(file, info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static MPI_File file_with(const struct hint_row *row, const char *value)
{
    MPI_Info info = info_with(row->key, value);
    MPI_File file;

    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           info, &file),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return file;
}

/* get_info gives this value; NULL: none. */
static void expect(MPI_File file, const struct hint_row *row, const char *value)
{
    char now[MPI_MAX_INFO_VAL + 1];
    int length = sizeof now, found;
    MPI_Info info;

    CHECK_EQ(MPI_File_get_info(file, &info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_string(info, row->key, &length, now, &found), MPI_SUCCESS);
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
    static const char *const numbers[VALUES] = {"8192", "4096", "65536"};
    static const char *const ways[VALUES] = {"enable", "disable", "automatic"};
    static const char *const styles[VALUES] = {"read_once,sequential", "random", "none"};
    static const char *const permissions[VALUES] = {"600", "0644", "666"};

    switch (row->type) {
    case HINT_BOOL:
        return booleans;
    case HINT_KINDS:
        return kinds;
    case HINT_INT:
        return numbers;
    case HINT_CHOICE:
        return ways; /* another row of this type needs values of its own */
    case HINT_SET:
        return styles;
    case HINT_STRING:
        return permissions;
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
    MPI_File file = file_with(row, illegal_value(row));

    expect(file, row, row->def);
    CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
    for (int i = 0; i < VALUES; i++) {
        const char *next = value[(i + 1) % VALUES], *now = row->when & AT_SET ? next : value[i];

        file = file_with(row, value[i]);
        expect(file, row, value[i]);
        set(file, row, next);
        expect(file, row, now);
        set(file, row, illegal_value(row));
        expect(file, row, now);
        CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
    }
}

/* The last rank differs from the others. */
static void walk_disagreement(const struct hint_row *row)
{
    const char *const *value = legal_values(row), *mine, *expected;
    MPI_File file;

    mine = value[rank != size - 1];
    expected = row->agree == AGREE_SAME && size > 1 ? row->def : mine;
    file = file_with(row, mine);
    expect(file, row, expected);
    if (row->when & AT_SET) {
        set(file, row, value[0]);
        expect(file, row, value[0]);
        set(file, row, mine);
        expect(file, row, expected);
    }
    CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
}

static void walk_read_only(const struct hint_row *row, const char *value)
{
    MPI_File file = file_with(row, "system");

    expect(file, row, value);
    set(file, row, "mpi");
    expect(file, row, value);
    CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    name_file("rows");
    for (int id = 0; id < HINT_COUNT; id++) {
        const struct hint_row *row = &hint_table[id];

        if (!(row->on & ON_FILE))
            continue;
        if (row->state == EFFECT_NONE) {
            walk_read_only(row, NULL);
        } else if (row->when & READ_ONLY) {
            walk_read_only(row, id == HINT_FILENAME ? path : row->def);
        } else {
            walk_values(row);
            walk_disagreement(row);
        }
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
