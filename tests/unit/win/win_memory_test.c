/* Memory of windows that all ranks must map. */
#define coll_agree pretended_agree

#include "unit.h"
#include "win/win_memory.c"

#include <mpi.h>

static int agreement; /* what the ranks' agreement returns */
static bool others_map;

int pretended_agree(struct comm *comm, uint64_t *word_and, uint64_t *word_or)
{
    (void)comm, (void)word_or;
    *word_and = *word_and && others_map;
    return agreement;
}

static void an_agreement_that_fails_is_the_error(void **state)
{
    struct win win = {.size = 1};

    (void)state;
    agreement = MPI_ERR_PROC_ABORTED;
    assert_int_equal(check_shared(&win), MPI_ERR_PROC_ABORTED);
    others_map = true;
    assert_int_equal(check_shared(&win), MPI_ERR_PROC_ABORTED);
    agreement = MPI_SUCCESS;
    assert_int_equal(check_shared(&win), MPI_SUCCESS);
    others_map = false;
    assert_int_equal(check_shared(&win), MPI_ERR_RMA_SHARED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_agreement_that_fails_is_the_error)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
