/* Kinds of memory whose driver is not there: it is looked for once, and each says why. */
#include "memory/kind.h"

#include "unit.h"

#include <dlfcn.h>
#include <string.h>

static int looks; /* for libraries */

__attribute__((visibility("default"))) void *dlopen(const char *name, int how)
{
    (void)name;
    (void)how;
    looks++;
    return NULL;
}

static void drivers_are_looked_for_once(void **state)
{
    (void)state;
    for (enum kind_id id = KIND_CUDA; id <= KIND_LEVEL_ZERO; id++) {
        int before = looks;

        assert_false(kind_is_there(id));
        assert_true(looks > before);
        before = looks;
        assert_false(kind_is_there(id));
        assert_non_null(strstr(kind_why_absent(id), "cannot be opened"));
        assert_int_equal(looks, before);
    }
}

static void what_needs_no_driver_is_there(void **state)
{
    int before = looks;

    (void)state;
    assert_true(kind_is_there(KIND_SYSTEM));
    assert_true(kind_is_there(KIND_MPI));
    assert_string_equal(kind_why_absent(KIND_MPI), "");
    assert_int_equal(looks, before);
}

/* The pretended device is there for who asks for it alone. */
static void the_test_kind_is_enabled(void **state)
{
    (void)state;
    assert_false(kind_is_there(KIND_TEST));
    kind_enable_test();
    assert_true(kind_is_there(KIND_TEST));
    kind_enable_test();
    assert_true(kind_is_there(KIND_TEST));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drivers_are_looked_for_once),
                                       cmocka_unit_test(what_needs_no_driver_is_there),
                                       cmocka_unit_test(the_test_kind_is_enabled)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
