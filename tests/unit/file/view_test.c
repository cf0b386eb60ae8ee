/* Views: where data lies in the file, for tiles, gaps, loops and far offsets. */
#include "file/view.h"

#include "file/datarep.h"
#include "unit.h"

/* The type as the reference sees it: displacement and length of each run of one tile. */
struct tile {
    MPI_Offset at[8], bytes[8];
    int runs;
    MPI_Offset size, extent;
};

static struct datatype *type_of(const struct tile *t)
{
    int64_t lengths[8], places[8];
    struct datatype *runs, *type;

    for (int i = 0; i < t->runs; i++) {
        lengths[i] = t->bytes[i];
        places[i] = t->at[i];
    }
    assert_int_equal(datatype_hindexed(true, t->runs, (struct counts){.wide = lengths},
                                       (struct counts){.wide = places}, datatype_predefined(MPI_BYTE), &runs),
                     MPI_SUCCESS);
    assert_int_equal(datatype_resized(true, runs, 0, t->extent, &type), MPI_SUCCESS);
    datatype_unref(runs);
    assert_int_equal(datatype_commit(type), MPI_SUCCESS);
    return type;
}

static MPI_Offset reference(const struct tile *t, MPI_Offset disp, MPI_Offset from)
{
    MPI_Offset at = disp + from / t->size * t->extent, rest = from % t->size;
    int i = 0;

    for (; rest >= t->bytes[i]; i++)
        rest -= t->bytes[i];
    return at + t->at[i] + rest;
}

static struct view view_of(MPI_Offset disp, struct datatype *type)
{
    struct view view;

    assert_int_equal(view_make(disp, datatype_predefined(MPI_BYTE), type, datarep_native(), true, &view),
                     MPI_SUCCESS);
    return view;
}

static const struct tile tiles[] = {
    {{0}, {7}, 1, 7, 7},                       /* no gap at all */
    {{3}, {5}, 1, 5, 16},                      /* one run */
    {{0, 8, 16, 24}, {4, 4, 4, 4}, 4, 16, 32}, /* a loop */
    {{0, 5, 6, 20, 31},
     {4, 1, 3, 2, 1},
     5,
     11,
     32}, /* runs that touch each other, also over the end of a tile */
    {{1, 2, 9}, {1, 3, 7}, 3, 11, 17},
};

enum {
    TILES = sizeof tiles / sizeof *tiles,
    MANY = 100
};

static void places_are_found(void **state)
{
    static const MPI_Offset far[] = {0, 1000003, (MPI_Offset)5 << 32};

    (void)state;
    for (int k = 0; k < TILES; k++) {
        struct datatype *type = type_of(&tiles[k]);
        struct view view = view_of(13, type);

        for (int f = 0; f < 3; f++)
            for (MPI_Offset i = far[f]; i < far[f] + MANY; i++)
                assert_int_equal(view_at(&view, i), reference(&tiles[k], 13, i));
        view_release(&view);
        datatype_unref(type);
    }
}

/* Runs are as long as they can be, in order, and together all bytes. */
static void walk(const struct view *view, const struct tile *t, MPI_Offset from, MPI_Offset bytes,
                 MPI_Offset most)
{
    struct view_walk walk;
    struct file_run run;
    MPI_Offset done = 0;

    view_walk_begin(&walk, view, from, bytes);
    while (view_next(&walk, most, &run)) {
        assert_in_range(run.bytes, 1, most);
        for (MPI_Offset i = 0; i < run.bytes; i++)
            assert_int_equal(run.at + i, reference(t, view->disp, from + done + i));
        done += run.bytes;
        if (done < bytes && run.bytes < most)
            assert_int_not_equal(run.at + run.bytes, reference(t, view->disp, from + done));
    }
    assert_int_equal(done, bytes);
}

static void walks_give_all_runs(void **state)
{
    static const MPI_Offset most[] = {1, 3, INT64_MAX};

    (void)state;
    for (int k = 0; k < TILES; k++) {
        struct datatype *type = type_of(&tiles[k]);
        struct view view = view_of(40, type);

        for (MPI_Offset from = 0; from < 40; from++)
            for (MPI_Offset bytes = 0; bytes < 50; bytes++)
                for (int m = 0; m < 3; m++)
                    walk(&view, &tiles[k], from, bytes, most[m]);
        view_release(&view);
        datatype_unref(type);
    }
}

/* The first place at or behind a byte. */
static void positions_are_found(void **state)
{
    (void)state;
    for (int k = 0; k < TILES; k++) {
        struct datatype *type = type_of(&tiles[k]);
        struct view view = view_of(9, type);

        for (MPI_Offset at = 0; at < 200; at++) {
            MPI_Offset position = -1, expected = 0;

            while (reference(&tiles[k], 9, expected) < at)
                expected++;
            assert_int_equal(view_position_of(&view, at, &position), MPI_SUCCESS);
            assert_int_equal(position, expected);
        }
        view_release(&view);
        datatype_unref(type);
    }
}

static void offsets_do_not_overflow(void **state)
{
    struct datatype *type = type_of(&tiles[1]);
    struct view view = view_of(100, type);

    (void)state;
    assert_int_equal(view_check_range(&view, 0, 1 << 30), MPI_SUCCESS);
    assert_int_equal(view_check_range(&view, INT64_MAX - 5, 10), MPI_ERR_ARG);
    assert_int_equal(view_check_range(&view, INT64_MAX / 3, 1), MPI_ERR_ARG); /* times 16/5 */
    assert_int_equal(view_check_range(&view, INT64_MAX / 4, 1), MPI_SUCCESS);
    view_release(&view);
    datatype_unref(type);
}

/* The last byte that may be accessed, with gaps before and behind a tile's data. */
static void ranges_end_at_the_last_offset(void **state)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE), *type = type_of(&tiles[1]);
    struct view view = view_of(7, byte);

    (void)state;
    assert_int_equal(view_check_range(&view, INT64_MAX - 9, 2), MPI_SUCCESS);
    assert_int_equal(view_check_range(&view, INT64_MAX - 9, 3), MPI_ERR_ARG);
    assert_int_equal(view_check_range(&view, INT64_MAX - 8, 0), MPI_SUCCESS);
    view_release(&view);
    view = view_of(INT64_MAX - 16 - 8, type); /* the second tile's data ends at the largest offset */
    assert_int_equal(view_check_range(&view, 5, 5), MPI_SUCCESS);
    assert_int_equal(view_check_range(&view, 5, 6), MPI_ERR_ARG);
    view_release(&view);
    datatype_unref(type);
}

/* A type with no data has one position, and one of extent 0 no end. */
static void views_without_an_end(void **state)
{
    static const struct tile overlaid = {{0}, {2}, 1, 2, 0};
    struct datatype *nothing, *type = type_of(&overlaid);
    struct view view;
    MPI_Offset position = -1;

    (void)state;
    assert_int_equal(datatype_contiguous(true, 0, datatype_predefined(MPI_BYTE), &nothing), MPI_SUCCESS);
    assert_int_equal(datatype_commit(nothing), MPI_SUCCESS);
    view = view_of(5, nothing);
    assert_int_equal(view_position_of(&view, 100, &position), MPI_SUCCESS);
    assert_int_equal(position, 0);
    assert_int_equal(view_check_range(&view, 0, 0), MPI_SUCCESS);
    assert_int_equal(view_check_range(&view, 0, 1), MPI_ERR_ARG);
    assert_int_equal(view_at(&view, 0), 5);
    view_release(&view);
    view = view_of(5, type);
    assert_int_equal(view_position_of(&view, 5, &position), MPI_SUCCESS);
    assert_int_equal(view_position_of(&view, 6, &position), MPI_ERR_ARG);
    view_release(&view);
    datatype_unref(type);
    datatype_unref(nothing);
}

/* Runs of a type that is longer than its extent go back. */
static void order_is_known(void **state)
{
    static const struct tile longer = {{0, 12}, {4, 4}, 2, 8, 15}, as_long = {{0, 12}, {4, 4}, 2, 8, 16};
    struct datatype *long_type = type_of(&longer), *type = type_of(&as_long);
    struct view view = view_of(0, long_type);

    (void)state;
    assert_false(view.is_ordered);
    view_release(&view);
    view = view_of(0, type);
    assert_true(view.is_ordered);
    assert_false(view.is_dense);
    view_release(&view);
    view = view_of(0, datatype_predefined(MPI_BYTE));
    assert_true(view.is_dense);
    view_release(&view);
    datatype_unref(type);
    datatype_unref(long_type);
}

/* The filetype's data are whole etypes, of which there is one at least. */
static void etypes_fit(void **state)
{
    static const struct {
        int etype, filetype, expected;
    } rows[] = {{2, 8, MPI_SUCCESS},  {4, 4, MPI_SUCCESS},  {3, 8, MPI_ERR_TYPE},
                {8, 4, MPI_ERR_TYPE}, {0, 8, MPI_ERR_TYPE}, {4, 0, MPI_SUCCESS}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct datatype *byte = datatype_predefined(MPI_BYTE), *etype, *filetype;
        struct view view = {0};

        assert_int_equal(datatype_contiguous(true, rows[i].etype, byte, &etype), MPI_SUCCESS);
        assert_int_equal(datatype_contiguous(true, rows[i].filetype, byte, &filetype), MPI_SUCCESS);
        datatype_commit(etype);
        datatype_commit(filetype);
        assert_int_equal(view_make(0, etype, filetype, datarep_native(), true, &view), rows[i].expected);
        assert_int_equal(view.etype_bytes, rows[i].expected ? 0 : rows[i].etype);
        view_release(&view);
        datatype_unref(etype);
        datatype_unref(filetype);
    }
}

static void refuse(const struct tile *t, bool is_written, int expected)
{
    struct datatype *type = type_of(t);
    struct view view = {0};

    assert_int_equal(view_make(0, datatype_predefined(MPI_BYTE), type, datarep_native(), is_written, &view),
                     expected);
    view_release(&view);
    datatype_unref(type);
}

static void wrong_filetypes_are_refused(void **state)
{
    static const struct tile back = {{8, 0}, {4, 4}, 2, 8, 16}, overlap = {{0, 2}, {4, 4}, 2, 8, 16},
                             repeated = {{0, 0}, {1, 1}, 2, 2, 16}, negative = {{-4, 0}, {2, 2}, 2, 4, 16},
                             adjacent = {{0, 4}, {4, 4}, 2, 8, 8}, within = {{0, 2}, {4, 1}, 2, 5, 16},
                             backwards = {{0}, {4}, 1, 4, -4};

    (void)state;
    refuse(&back, false, MPI_ERR_TYPE);
    refuse(&overlap, true, MPI_ERR_TYPE);
    refuse(&repeated, false, MPI_SUCCESS); /* displacements need not differ where nothing is written */
    refuse(&repeated, true, MPI_ERR_TYPE);
    refuse(&negative, false, MPI_ERR_TYPE);
    refuse(&adjacent, true, MPI_SUCCESS);
    refuse(&within, false, MPI_ERR_TYPE); /* the last byte of the first run lies behind the second */
    refuse(&backwards, false, MPI_ERR_TYPE);
}

/* Items of a filetype that go back within. */
static void wrong_items_are_refused(void **state)
{
    static const struct tile back = {{8, 0}, {4, 4}, 2, 8, 16};
    struct datatype *item = type_of(&back), *type;
    struct view view = {0};

    (void)state;
    assert_int_equal(datatype_contiguous(true, 3, item, &type), MPI_SUCCESS);
    assert_int_equal(datatype_commit(type), MPI_SUCCESS);
    assert_int_equal(view_make(0, datatype_predefined(MPI_BYTE), type, datarep_native(), false, &view),
                     MPI_ERR_TYPE);
    datatype_unref(type);
    datatype_unref(item);
}

static int set_up(void **state)
{
    (void)state;
    datatype_init();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_found),
        cmocka_unit_test(walks_give_all_runs),
        cmocka_unit_test(positions_are_found),
        cmocka_unit_test(offsets_do_not_overflow),
        cmocka_unit_test(ranges_end_at_the_last_offset),
        cmocka_unit_test(views_without_an_end),
        cmocka_unit_test(order_is_known),
        cmocka_unit_test(etypes_fit),
        cmocka_unit_test(wrong_filetypes_are_refused),
        cmocka_unit_test(wrong_items_are_refused),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
