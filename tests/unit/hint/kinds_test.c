#include "hint/parse.h"

#include "hint/hint.h"
#include "unit.h"

#include <mpi.h>
#include <string.h>

/* An info value has up to MPI_MAX_INFO_VAL characters: a session keeps a list of so many whole. */
static void the_longest_list_is_kept(void **state)
{
    char requested[MPI_MAX_INFO_VAL + 1] = "system,mpi,mpi";
    struct hints h;

    (void)state;
    while (strlen(requested) + strlen(":alloc_mem") < sizeof requested)
        strcat(requested, ":alloc_mem");
    assert_int_equal(strlen(requested), MPI_MAX_INFO_VAL);
    hints_init(&h, ON_SESSION);
    assert_int_equal(hint_offer(&h, AT_SESSION, "mpi_memory_alloc_kinds", requested), HINT_ACCEPTED);
    assert_string_equal(hint_kinds(&h), requested);
    hints_fini(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_list_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
