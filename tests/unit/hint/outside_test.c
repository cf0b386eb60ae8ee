#include "hint/outside.h"

#include "plain/fail.h"
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
    refused("no_locks=perhaps@noon@win", MPI_ERR_OTHER, "no_locks cannot be \"perhaps@noon\"");
    refused("inkling_ring_size=4K", MPI_ERR_OTHER, "is a setting of the library");
    refused("no_locks", MPI_ERR_INFO, "KEY=VALUE or !KEY");
    refused("!no_locks=true", MPI_ERR_INFO, "KEY=VALUE or !KEY");
    refused("=true", MPI_ERR_INFO, "KEY=VALUE or !KEY");
    refused("no_locks=true@", MPI_ERR_INFO, "line 1: a line is KEY=VALUE");
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
    assert_false(outside_switches_off(&h, "same_size"));
    hints_fini(&h);
    offer(&h, ON_WIN, NULL, "MPI_Win_create", text);
    assert_int_equal(hint_value(&h, HINT_NO_LOCKS), 1);
    assert_true(outside_switches_off(&h, "same_size"));
    assert_false(outside_switches_off(&h, "no_locks"));
    hints_fini(&h);
}

static void offer_name(struct hints *h, const char *name)
{
    h->name = name;
    if (outside_knows_name(name))
        outside_offer_named(h);
}

static void names_that_come_later_choose_objects(void **state)
{
    static const char text[] = "mpi_assert_no_any_tag=true@halo\nmpi_assert_no_any_source=true@halo\n"
                               "mpi_assert_strict_persistent_collective_ordering=true@halo\n!no_locks@win\n";
    struct hints h;

    (void)state;
    offer(&h, ON_COMM, NULL, "MPI_Comm_dup", text);
    h.giver = "MPI_Comm_set_info";
    hint_offer(&h, AT_SET, "mpi_assert_no_any_source", "false");
    offer_name(&h, "other");
    assert_int_equal(hint_value(&h, HINT_NO_ANY_TAG), 0);
    offer_name(&h, "halo");
    assert_int_equal(hint_value(&h, HINT_NO_ANY_TAG), 1);
    assert_int_equal(hint_value(&h, HINT_NO_ANY_SOURCE), 0);              /* the program's own word */
    assert_int_equal(hint_value(&h, HINT_STRICT_PERSISTENT_ORDERING), 0); /* must be the same on all ranks */
    assert_false(outside_knows_name("field"));
    hints_fini(&h);
}

static void what_is_switched_off_stays_so_in_a_copy(void **state)
{
    struct hints h, copy;

    (void)state;
    offer(&h, ON_WIN, "w", "MPI_Win_create", "!no_locks@MPI_Win_create\n!same_size@w\n");
    assert_true(hints_copy(&h, &copy));
    assert_true(outside_switches_off(&copy, "no_locks"));
    assert_true(outside_switches_off(&copy, "same_size"));
    hints_fini(&copy);
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
        cmocka_unit_test(names_that_come_later_choose_objects),
        cmocka_unit_test(what_is_switched_off_stays_so_in_a_copy),
        cmocka_unit_test(a_malformed_setting_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
