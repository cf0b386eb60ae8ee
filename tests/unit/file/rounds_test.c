/* The rounds of a collective access: what lies in a window, how runs are cut at windows, and where data ends. */
#include "file/rounds.h"

#include "file/datarep.h"
#include "unit.h"

enum {
    WINDOW = 100
};

/* Rounds over the parts of some ranks, each a begin and an end; begin == end: it has no data. */
static void lay_out(struct rounds *r, MPI_Offset window, const MPI_Offset (*part)[2], int parts)
{
    static struct collective_part of_rank[8];
    static struct rounds_stretch stretch[8];
    static struct aggregators a;
    static struct file file;

    for (int i = 0; i < parts; i++)
        of_rank[i] = (struct collective_part){
            .begin = part[i][0], .end = part[i][1], .bytes = part[i][1] - part[i][0]};
    a.window = window;
    a.part = of_rank;
    a.stretch = stretch;
    file.size = parts;
    *r = (struct rounds){.a = &a, .file = &file};
    rounds_lay_out(r);
}

static void check_window(const struct rounds *r, MPI_Offset number, MPI_Offset begin, MPI_Offset at,
                         MPI_Offset bytes)
{
    struct rounds_window found = rounds_window(r, number);

    assert_int_equal(found.begin, begin);
    assert_int_equal(found.limit, begin + WINDOW);
    assert_int_equal(found.touched.at, at);
    assert_int_equal(found.touched.bytes, bytes);
}

static void windows_end_with_the_stretch(void **state)
{
    struct rounds r;

    (void)state;
    lay_out(&r, WINDOW, (const MPI_Offset[][2]){{300, 420}, {0, 0}, {250, 310}}, 3);
    assert_int_equal(r.count, 3);
    check_window(&r, 0, 200, 250, 50);
    check_window(&r, 1, 300, 300, 100);
    check_window(&r, 2, 400, 400, 20);
    lay_out(&r, WINDOW, (const MPI_Offset[][2]){{200, 300}}, 1);
    assert_int_equal(r.count, 1);
    check_window(&r, 0, 200, 200, 100);
    lay_out(&r, WINDOW, (const MPI_Offset[][2]){{299, 300}}, 1);
    assert_int_equal(r.count, 1);
    check_window(&r, 0, 200, 299, 1);
    lay_out(&r, WINDOW, (const MPI_Offset[][2]){{5, 5}, {0, 0}}, 2);
    assert_int_equal(r.count, 0);
}

static void windows_without_parts_do_not_count(void **state)
{
    struct rounds r;

    (void)state;
    lay_out(&r, WINDOW,
            (const MPI_Offset[][2]){{10750, 10901}, {20, 30}, {0, 0}, {80, 95}, {10800, 10810}, {101, 102}},
            6);
    assert_int_equal(r.count, 5);
    assert_int_equal(r.stretches, 3);
    check_window(&r, 0, 0, 20, 75); /* of two parts, and what lies between */
    check_window(&r, 1, 100, 101, 1);
    check_window(&r, 2, 10700, 10750, 50);
    check_window(&r, 3, 10800, 10800, 100); /* another part is within */
    check_window(&r, 4, 10900, 10900, 1);
}

static void the_last_window_ends_with_the_largest_offset(void **state)
{
    struct rounds r;
    struct rounds_window found;

    (void)state;
    lay_out(&r, 1 << 20, (const MPI_Offset[][2]){{INT64_MAX - 5, INT64_MAX}, {0, 1}}, 2);
    assert_int_equal(r.count, 2);
    found = rounds_window(&r, 1);
    assert_int_equal(found.begin, INT64_MAX - (1 << 20) + 1);
    assert_int_equal(found.limit, INT64_MAX);
    assert_int_equal(found.touched.at, INT64_MAX - 5);
    assert_int_equal(found.touched.bytes, 5);
    lay_out(&r, 1, (const MPI_Offset[][2]){{0, INT64_MAX}}, 1);
    assert_int_equal(r.count, INT64_MAX);
    assert_int_equal(rounds_window(&r, INT64_MAX - 1).touched.at, INT64_MAX - 1);
}

/* A view of 10 bytes of each 30, and an access of 25 bytes: runs at 0, 30 and 60. */
static void runs_are_cut_at_limits(void **state)
{
    static const struct {
        MPI_Offset limit, at, bytes, data; /* bytes 0: there is none */
    } steps[] = {{4, 0, 4, 0},     {4, 0, 0, 0},    {10, 4, 6, 4},   {30, 0, 0, 0},
                 {31, 30, 1, 10},  {61, 31, 9, 11}, {61, 60, 1, 20}, {61, 0, 0, 0},
                 {999, 61, 4, 21}, {999, 0, 0, 0},  {9999, 0, 0, 0}};
    struct datatype *ten, *type;
    struct rounds_cursor cursor = {.data = 0};
    struct file_run run;
    struct view view;
    MPI_Offset data;

    (void)state;
    assert_int_equal(datatype_contiguous(true, 10, datatype_predefined(MPI_BYTE), &ten), MPI_SUCCESS);
    assert_int_equal(datatype_resized(true, ten, 0, 30, &type), MPI_SUCCESS);
    assert_int_equal(datatype_commit(type), MPI_SUCCESS);
    assert_int_equal(view_make(0, datatype_predefined(MPI_BYTE), type, datarep_native(), true, &view),
                     MPI_SUCCESS);
    view_walk_begin(&cursor.walk, &view, 0, 25);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_int_equal(rounds_next(&cursor, steps[i].limit, &run, &data), steps[i].bytes > 0);
        if (!steps[i].bytes)
            continue;
        assert_int_equal(run.at, steps[i].at);
        assert_int_equal(run.bytes, steps[i].bytes);
        assert_int_equal(data, steps[i].data);
    }
    view_release(&view);
    datatype_unref(type);
    datatype_unref(ten);
}

static void data_ends_where_the_file_does(void **state)
{
    MPI_Offset read = 50;
    struct aggregator_half half = {.got = &read};
    struct rounds r = {.data_end = 90};

    (void)state;
    assert_int_equal(rounds_got(&half, 0, 50), 50);
    assert_int_equal(rounds_got(&half, 0, 49), 49);
    assert_int_equal(rounds_got(&half, 45, 10), 5);
    assert_int_equal(rounds_got(&half, 50, 10), 0);
    assert_int_equal(rounds_got(&half, 51, 10), 0);
    rounds_end_data(&r, 20, 10, 10);
    assert_int_equal(r.data_end, 90);
    rounds_end_data(&r, 40, 10, 9);
    assert_int_equal(r.data_end, 49);
    rounds_end_data(&r, 60, 10, 0); /* another window found the end before */
    assert_int_equal(r.data_end, 49);
    rounds_end_data(&r, 40, 10, 0);
    assert_int_equal(r.data_end, 40);
}

static void the_first_error_stays(void **state)
{
    struct rounds r = {.error = MPI_SUCCESS};

    (void)state;
    rounds_fail(&r, MPI_SUCCESS);
    assert_int_equal(r.error, MPI_SUCCESS);
    rounds_fail(&r, MPI_ERR_IO);
    rounds_fail(&r, MPI_ERR_NO_MEM);
    rounds_fail(&r, MPI_SUCCESS);
    assert_int_equal(r.error, MPI_ERR_IO);
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
        cmocka_unit_test(windows_end_with_the_stretch),
        cmocka_unit_test(windows_without_parts_do_not_count),
        cmocka_unit_test(the_last_window_ends_with_the_largest_offset),
        cmocka_unit_test(runs_are_cut_at_limits),
        cmocka_unit_test(data_ends_where_the_file_does),
        cmocka_unit_test(the_first_error_stays),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
