/* Which way collective accesses take, by their pattern. */
#include "file/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double all = 64 << 20;

/* Ranks access blocks of so many bytes in turn. */
static struct cost_pattern in_turn(int ranks, double block, bool is_write)
{
    return (struct cost_pattern){.is_write = is_write,
                                 .runs = all / block,
                                 .bytes = all,
                                 .span = all,
                                 .spans = all * ranks,
                                 .aggregators = 2,
                                 .windows = all / (1 << 20)};
}

static void small_blocks_go_through_buffers(void **state)
{
    (void)state;
    for (int write = 0; write < 2; write++)
        for (int ranks = 2; ranks <= 64; ranks *= 2) {
            struct cost_pattern p = in_turn(ranks, 256, write);

            assert_true(cost_favours_buffers(&p));
        }
}

static void large_blocks_do_not(void **state)
{
    (void)state;
    for (int write = 0; write < 2; write++) {
        struct cost_pattern p = in_turn(4, 1 << 20, write);

        assert_false(cost_favours_buffers(&p));
    }
}

static void parts_one_behind_the_other_do_not(void **state)
{
    struct cost_pattern p = in_turn(4, 8, true);

    (void)state;
    p.spans = p.span;
    assert_true(cost_estimate(&p).buffered < cost_estimate(&p).independent);
    assert_false(cost_favours_buffers(&p));
}

/* Reading far more than is wanted costs more than many calls. */
static void few_bytes_far_apart_do_not(void **state)
{
    struct cost_pattern p = in_turn(4, 256, false);

    (void)state;
    p.bytes /= 1000;
    p.runs /= 1000;
    assert_false(cost_favours_buffers(&p));
}

static void the_table_names_both_ways(void **state)
{
    char text[4096] = "";
    FILE *to = fmemopen(text, sizeof text, "w");

    (void)state;
    cost_print(to, 8, 2);
    fclose(to);
    assert_non_null(strstr(text, "8 ranks"));
    assert_non_null(strstr(text, "through buffers"));
    assert_non_null(strstr(text, "each rank for itself"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_blocks_go_through_buffers), cmocka_unit_test(large_blocks_do_not),
        cmocka_unit_test(parts_one_behind_the_other_do_not), cmocka_unit_test(few_bytes_far_apart_do_not),
        cmocka_unit_test(the_table_names_both_ways)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
