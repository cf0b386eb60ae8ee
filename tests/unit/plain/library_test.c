/* A library that lacks a function is not kept. */
#include "plain/library.h"

#include "plain/fail.h"
#include "unit.h"

#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

static const char *const libraries[] = {"libBrokenLocale.so.1", NULL}; /* of glibc; no program has it */

static void library_of_another_version_is_closed(void **state)
{
    void (*place)(void) = NULL;
    const struct library_function functions[] = {{&place, "no_function_has_this_name"}, {0}};
    void *found = dlopen(libraries[0], RTLD_NOW | RTLD_LOCAL);

    (void)state;
    if (!found)
        skip();
    dlclose(found);
    assert_null(dlopen(libraries[0], RTLD_NOW | RTLD_NOLOAD));
    assert_int_equal(library_load(libraries, functions), MPI_ERR_UNSUPPORTED_OPERATION);
    assert_non_null(strstr(fail_note(), "no_function_has_this_name"));
    assert_null(place);
    assert_null(dlopen(libraries[0], RTLD_NOW | RTLD_NOLOAD));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(library_of_another_version_is_closed)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
