/* Of each key one warning; former names of values are told. */
#include "hint/warn.h"

#include "hint/parse.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

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

static void offer_former_names(void)
{
    struct hints h;

    hints_init(&h, ON_COMM);
    assert_int_equal(hint_offer(&h, AT_SET, "inkling_allgather", " slots "), HINT_ACCEPTED);
    assert_int_equal(hint_value(&h, HINT_ALLGATHER), 1);
    assert_int_equal(hint_offer(&h, AT_SET, "inkling_allgather", "direct"), HINT_ACCEPTED);
    hint_offer(&h, AT_SET, "inkling_barrier", "reach"); /* it has none */
    assert_int_equal(h.verdict[HINT_BARRIER], HINT_BAD_VALUE);
    hints_fini(&h);
}

/* Old names of values are taken for the new ones. */
static void former_names_are_told(void **state)
{
    char said[1024];
    int64_t value;

    (void)state;
    hear_stderr(offer_former_names, said, sizeof said);
    assert_non_null(
        strstr(said, "\"direct\" of \"inkling_allgather\" is taken for its new name; write \"linear\"\n"));
    assert_non_null(strstr(said, "is taken for its new name; write \"mailbox\"\n"));
    assert_non_null(strstr(said, "\"inkling_barrier\" cannot be \"reach\""));
    assert_false(parse_value(&hint_table[HINT_BARRIER], "slot", &value));
    assert_false(parse_value(&hint_table[HINT_BARRIER], "slots=mailbox", &value));
    assert_false(parse_value(&hint_table[HINT_BARRIER], "", &value));
    assert_true(parse_value(&hint_table[HINT_BCAST], "reach", &value));
    assert_int_equal(value, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_key_is_due_once),
                                       cmocka_unit_test(former_names_are_told)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
