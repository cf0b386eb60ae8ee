/* Memory that a collective needs for itself. */
#include "coll/sched/schedule.h"

#include "unit.h"

#include <mpi.h>
#include <stdlib.h>

/* So many bytes that their number wraps around to none. */
static void vectors_beyond_all_addresses(void **state)
{
    struct schedule s = {0};
    struct vectors v;

    (void)state;
    datatype_init();
    v = schedule_vectors(&s, 4, (MPI_Count)1 << 59, datatype_predefined(MPI_DOUBLE));
    assert_int_equal(s.error, MPI_ERR_COUNT);
    assert_int_equal(v.first.count, 0);
    free(s.note);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors_beyond_all_addresses)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
