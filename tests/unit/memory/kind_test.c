/* Kinds of memory whose driver is not there: it is looked for once, and each says why. */
#include "memory/kind.h"

#include "unit.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* The number of a descriptor may have come to another file meanwhile. */
static void a_descriptor_of_another_file_is_not_taken(void **state)
{
    struct descriptor d;
    int file = memfd_create("kind_test", MFD_CLOEXEC), taken;

    (void)state;
    assert_true(file >= 0 && kind_descriptor_export(file, &d));
    taken = kind_descriptor_import(&d);
    assert_true(taken >= 0);
    close(taken);
    d.inode++;
    assert_int_equal(kind_descriptor_import(&d), -1);
    close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drivers_are_looked_for_once),
                                       cmocka_unit_test(what_needs_no_driver_is_there),
                                       cmocka_unit_test(the_test_kind_is_enabled),
                                       cmocka_unit_test(a_descriptor_of_another_file_is_not_taken)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
