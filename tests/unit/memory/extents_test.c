#include "memory/extents.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SIZE = 1 << 20,
    LIVE = 200,
    ROUNDS = 20000
};

static struct extents e;

static int set_up(void **state)
{
    (void)state;
    assert_true(extents_init(&e, SIZE));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    extents_fini(&e);
    return 0;
}

/* In order, without gap or overlap, and no two free neighbours. */
static void check_order(void)
{
    size_t at = 0;
    bool was_free = false;

    for (struct link *l = e.all.next; l != &e.all; l = l->next) {
        struct extent *x = LIST_ENTRY(l, struct extent, order);

        assert_int_equal(x->at, at);
        assert_true(x->size > 0 && x->size % EXTENT_UNIT == 0);
        assert_false(was_free && x->is_free);
        assert_true(!x->is_free || x->loose <= x->size);
        at += x->size;
        was_free = x->is_free;
    }
    assert_int_equal(at, SIZE);
}

static void all_of_it_can_be_taken(void **state)
{
    struct extent *x = extents_take(&e, SIZE, 1);

    (void)state;
    assert_non_null(x);
    assert_int_equal(x->at, 0);
    assert_null(extents_take(&e, 1, 1));
    assert_false(extents_are_unused(&e));
    assert_ptr_equal(extents_give(&e, x), x);
    assert_true(extents_are_unused(&e));
}

static void too_much_is_refused(void **state)
{
    (void)state;
    assert_null(extents_take(&e, SIZE + 1, 1));
    assert_null(extents_take(&e, SIZE_MAX, 1));
    assert_null(extents_take(&e, SIZE_MAX - 62, 1));
    assert_null(extents_take(&e, 1, (size_t)1 << 63));
    assert_true(extents_are_unused(&e));
}

static void alignment_is_kept(void **state)
{
    struct extent *first = extents_take(&e, 1, 1), *x[16];

    (void)state;
    for (int i = 0; i < 16; i++) {
        x[i] = extents_take(&e, 100, (size_t)1 << i);
        assert_non_null(x[i]);
        assert_int_equal(x[i]->at % ((size_t)1 << i), 0);
        assert_int_equal(x[i]->size, 128);
        check_order();
    }
    for (int i = 0; i < 16; i++)
        extents_give(&e, x[i]);
    extents_give(&e, first);
    assert_true(extents_are_unused(&e));
}

/* Holes of every size are reused, although larger ones exist. */
static void holes_are_filled(void **state)
{
    struct extent *x[40], *wall[40];

    (void)state;
    for (size_t i = 0; i < 40; i++) {
        x[i] = extents_take(&e, (i + 1) * EXTENT_UNIT, 1);
        wall[i] = extents_take(&e, 1, 1);
    }
    for (size_t i = 0; i < 40; i++)
        extents_give(&e, x[i]);
    for (size_t i = 40; i-- > 0;) {
        x[i] = extents_take(&e, (i + 1) * EXTENT_UNIT, 1);
        assert_true(x[i]->at < wall[39]->at);
    }
    for (size_t i = 0; i < 40; i++) {
        extents_give(&e, x[i]);
        extents_give(&e, wall[i]);
    }
    assert_true(extents_are_unused(&e));
}

/* Of one class, but too small: a larger one is found behind them, however many they are. */
static void small_ones_of_a_class_hide_no_larger_one(void **state)
{
    struct extent *x[40], *wall[40], *taken;

    (void)state;
    for (size_t i = 0; i < 40; i++) {
        x[i] = extents_take(&e, 16 * EXTENT_UNIT, 1);
        wall[i] = extents_take(&e, 1, 1);
    }
    for (size_t i = 0; i < 40; i++)
        extents_give(&e, x[i]);
    for (size_t units = 16; units < 20; units++) {
        taken = extents_take(&e, units * EXTENT_UNIT, 1);
        assert_non_null(taken);
        extents_give(&e, taken);
    }
    for (size_t i = 0; i < 40; i++)
        extents_give(&e, wall[i]);
    assert_true(extents_are_unused(&e));
}

/* A freed extent has pages, one that was never taken has none. */
static void loose_bytes_are_counted(void **state)
{
    struct extent *a = extents_take(&e, 4096, 1), *b = extents_take(&e, 4096, 1), *whole;

    (void)state;
    whole = extents_give(&e, a);
    assert_int_equal(whole->loose, 4096);
    whole = extents_give(&e, b);
    assert_int_equal(whole->size, SIZE);
    assert_int_equal(whole->loose, 8192);
    whole->loose = 0;
    a = extents_take(&e, 64, 1);
    assert_int_equal(extents_give(&e, a)->loose, 64);
}

static void random_use_keeps_order(void **state)
{
    struct extent *live[LIVE] = {0};
    unsigned char *owner = calloc(SIZE / EXTENT_UNIT, 1);
    unsigned seed = (unsigned)time(NULL);
    int refused = 0;

    (void)state;
    printf("seed %u\n", seed);
    srand(seed);
    for (int round = 0; round < ROUNDS; round++) {
        int i = rand() % LIVE;
        size_t bytes = 1 + (size_t)rand() % ((size_t)1 << rand() % 16), alignment = (size_t)1 << rand() % 14;

        if (live[i]) {
            memset(owner + live[i]->at / EXTENT_UNIT, 0, live[i]->size / EXTENT_UNIT);
            extents_give(&e, live[i]);
            live[i] = NULL;
        } else if ((live[i] = extents_take(&e, bytes, alignment))) {
            assert_true(live[i]->size >= bytes && live[i]->size < bytes + EXTENT_UNIT);
            assert_int_equal(live[i]->at % alignment, 0);
            for (size_t unit = live[i]->at / EXTENT_UNIT; unit < (live[i]->at + live[i]->size) / EXTENT_UNIT;
                 unit++)
                assert_int_equal(owner[unit]++, 0);
        } else {
            refused++;
        }
        if (round % 16 == 0)
            check_order();
    }
    assert_true(refused < ROUNDS / 4);
    for (int i = 0; i < LIVE; i++)
        if (live[i])
            extents_give(&e, live[i]);
    assert_true(extents_are_unused(&e));
    free(owner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_of_it_can_be_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_much_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(alignment_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(holes_are_filled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(small_ones_of_a_class_hide_no_larger_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(loose_bytes_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_use_keeps_order, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
