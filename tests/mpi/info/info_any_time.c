/* ranks: 1 2 */
/* Info procedures work before MPI_Init, after MPI_Finalize and in any thread; objects outlive both. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>

static void *use_infos(void *unused)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int size, found = 0;
    MPI_Info info, dup;

    for (int i = 0; i < 100; i++) {
        CHECK_EQ(MPI_Info_create_env(0, NULL, &info), MPI_SUCCESS);
        CHECK_EQ(MPI_Info_set(info, "key", "value"), MPI_SUCCESS);
        CHECK_EQ(MPI_Info_dup(info, &dup), MPI_SUCCESS);
        size = sizeof value;
        CHECK_EQ(MPI_Info_get_string(dup, "key", &size, value, &found), MPI_SUCCESS);
        CHECK(found);
        CHECK_STR(value, "value");
        CHECK_EQ(MPI_Info_free(&dup), MPI_SUCCESS);
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
        size = sizeof value;
        CHECK_EQ(MPI_Info_get_string(MPI_INFO_ENV, "command", &size, value, &found), MPI_SUCCESS);
        CHECK(found && *value);
    }
    return unused;
}

static void use_infos_in_threads(void)
{
    pthread_t thread[3];

    for (int i = 0; i < 3; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, use_infos, NULL), 0);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
}

/* The initial handler has them where no object's handler is there. */
static void errors_are_returned(MPI_Info info)
{
    int class = MPI_SUCCESS;

    CHECK_EQ(MPI_Error_class(MPI_Info_set(info, "", "value"), &class), MPI_SUCCESS);
    CHECK_EQ(class, MPI_ERR_INFO_KEY);
}

int main(int argc, char **argv)
{
    MPI_Info kept;
    int count = 0;

    setenv("INKLING_JOB_ERRHANDLER", "mpi_errors_return", 1); /* as mpiexec -initial-errhandler does */
    use_infos_in_threads();
    CHECK_EQ(MPI_Info_create(&kept), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(kept, "a", "b"), MPI_SUCCESS);
    errors_are_returned(kept);
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    use_infos(NULL);
    errors_are_returned(kept);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    errors_are_returned(kept);
    CHECK_EQ(MPI_Info_get_nkeys(kept, &count), MPI_SUCCESS);
    CHECK_EQ(count, 1);
    CHECK_EQ(MPI_Info_free(&kept), MPI_SUCCESS);
    use_infos_in_threads();
    return 0;
}
