/* The names of the levels of threads. */
#include "session/session.h"

#include "unit.h"

#include <mpi.h>

static void levels_have_names(void **state)
{
    (void)state;
    assert_int_equal(session_level_named("MPI_THREAD_SINGLE"), MPI_THREAD_SINGLE);
    assert_int_equal(session_level_named("MPI_THREAD_FUNNELED"), MPI_THREAD_FUNNELED);
    assert_int_equal(session_level_named("MPI_THREAD_SERIALIZED"), MPI_THREAD_SERIALIZED);
    assert_int_equal(session_level_named("MPI_THREAD_MULTIPLE"), MPI_THREAD_MULTIPLE);
}

/* As where no launcher names one, or one of a newer version does. */
static void other_names_are_the_least(void **state)
{
    (void)state;
    assert_int_equal(session_level_named(NULL), MPI_THREAD_SINGLE);
    assert_int_equal(session_level_named(""), MPI_THREAD_SINGLE);
    assert_int_equal(session_level_named("MPI_THREAD_MULTIPLE_AND_MORE"), MPI_THREAD_SINGLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_have_names),
                                       cmocka_unit_test(other_names_are_the_least)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
