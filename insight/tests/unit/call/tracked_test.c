/* The table of records grows with those that are in it, not with those that have been; what is in it is found while it grows. */
#include "insight/call/tracked.c"

#include "unit.h"

enum {
    MANY = 100000,
    AT_ONCE = 100
};

static void test_come_and_go(void **state)
{
    (void)state;
    for (int i = 0; i < MANY; i++) {
        tracked_add(TRACKED_REQUEST, 1 + (uint64_t)i, sizeof(struct tracked), NULL);
        if (i >= AT_ONCE)
            tracked_remove(TRACKED_REQUEST, 1 + (uint64_t)(i - AT_ONCE));
    }
    assert_int_equal(bits, FEW_BITS);
    for (int i = MANY - AT_ONCE; i < MANY; i++)
        tracked_remove(TRACKED_REQUEST, 1 + (uint64_t)i);
    assert_int_equal(records, 0);
}

static void test_grow(void **state)
{
    (void)state;
    for (int i = 0; i < MANY; i++)
        tracked_add(TRACKED_WIN, 1 + (uint64_t)i, sizeof(struct tracked), NULL);
    assert_true(records < 2 * (1u << bits));
    for (int i = 0; i < MANY; i++) {
        const struct tracked *found = tracked_find(TRACKED_WIN, 1 + (uint64_t)i);

        assert_non_null(found);
        assert_true(found->kind == TRACKED_WIN && found->handle == 1 + (uint64_t)i);
        assert_null(tracked_find(TRACKED_FILE, 1 + (uint64_t)i));
        tracked_remove(TRACKED_WIN, 1 + (uint64_t)i);
    }
    assert_int_equal(records, 0);
    free(bucket);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_come_and_go),
        cmocka_unit_test(test_grow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
