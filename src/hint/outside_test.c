#include "hint/outside.h"

#include "base/fail.h"
#include "unit.h"

#include <mpi.h>
#include <string.h>

static void refused(const char *text, int error, const char *note)
{
    assert_int_equal(outside_check("a file", text), error);
    assert_non_null(strstr(fail_note(), note));
}

static void malformed_lines_are_named(void **state)
{
    (void)state;
    assert_int_equal(outside_check("a file", ""), MPI_SUCCESS);
    assert_int_equal(
        outside_check("a file", "# nothing\n\n  mpi_assert_no_any_tag = true @ comm\n!no_locks\n"),
        MPI_SUCCESS);
    refused("no_locks=true\n\nmpi_assert_no_any_tagg=true", MPI_ERR_OTHER,
            "a file, line 3: there is no hint");
    refused("mpi_assert_no_any_tagg=true", MPI_ERR_OTHER, "did you mean mpi_assert_no_any_tag?");
    refused("!no_lock", MPI_ERR_OTHER, "did you mean no_locks?");
    refused("no_locks=perhaps", MPI_ERR_OTHER,
            "line 1: no_locks cannot be \"perhaps\"; it takes true or false");
    refused("inkling_eager_limit=1", MPI_ERR_OTHER, "is a setting of the library");
    refused("no_locks", MPI_ERR_INFO, "KEY=VALUE or !KEY");
    refused("!no_locks=true", MPI_ERR_INFO, "KEY=VALUE or !KEY");
    refused("=true", MPI_ERR_INFO, "KEY=VALUE or !KEY");
}

static void offer(struct hints *h, unsigned on, const char *name, const char *call, const char *text)
{
    assert_int_equal(hint_process_set("INKLING_HINTS", text), MPI_SUCCESS);
    hints_init(h, on);
    h->name = name;
    outside_offer(h, AT_CREATE, call);
}

static void places_choose_objects(void **state)
{
    static const char text[] =
        "mpi_assert_no_any_tag=true@MPI_COMM_WORLD\nmpi_assert_no_any_source=true@MPI_Comm_dup\n"
        "mpi_assert_exact_length=true @ comm\nno_locks=true\n!same_size @ win\n";
    struct hints h;

    (void)state;
    offer(&h, ON_COMM, "MPI_COMM_WORLD", "MPI_Init", text);
    assert_int_equal(hint_value(&h, HINT_NO_ANY_TAG), 1);
    assert_int_equal(hint_value(&h, HINT_NO_ANY_SOURCE), 0);
    assert_int_equal(hint_value(&h, HINT_EXACT_LENGTH), 1);
    assert_string_equal(hint_origin(&h, HINT_NO_ANY_TAG), "mpiexec --hint");
    hints_fini(&h);
    offer(&h, ON_COMM, NULL, "MPI_Comm_dup", text);
    assert_int_equal(hint_value(&h, HINT_NO_ANY_TAG), 0);
    assert_int_equal(hint_value(&h, HINT_NO_ANY_SOURCE), 1);
    assert_false(outside_switches_off(&h, "MPI_Comm_dup", "same_size"));
    hints_fini(&h);
    offer(&h, ON_WIN, NULL, "MPI_Win_create", text);
    assert_int_equal(hint_value(&h, HINT_NO_LOCKS), 1);
    assert_true(outside_switches_off(&h, "MPI_Win_create", "same_size"));
    assert_false(outside_switches_off(&h, "MPI_Win_create", "no_locks"));
    hints_fini(&h);
}

static void a_malformed_setting_is_refused(void **state)
{
    (void)state;
    assert_int_equal(hint_process_set("INKLING_HINTS", "no_locks"), MPI_ERR_INFO);
    assert_non_null(strstr(fail_note(), "INKLING_HINTS, line 1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_lines_are_named),
        cmocka_unit_test(places_choose_objects),
        cmocka_unit_test(a_malformed_setting_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
