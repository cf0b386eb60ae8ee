/* Of each key one warning. */
#include "hint/warn.h"

#include "unit.h"

#include <stdio.h>

enum {
    KEYS = 1000
};

static void each_key_is_due_once(void **state)
{
    int due = 0;

    (void)state;
    for (int i = 0; i < KEYS; i++) {
        char key[16];

        snprintf(key, sizeof key, "key%d", i);
        due += warn_is_due(key);
        assert_false(warn_is_due(key));
    }
    assert_int_equal(due, KEYS);
    assert_true(warn_is_due("key0")); /* forgotten: only the last ones are remembered */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_key_is_due_once)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
