/* ranks: 1 2 3 */
/* R45: MPI_INFO_ENV says how this process was started and which kinds of memory are supported, and is read-only. */
#include "hints.h"

#include <unistd.h>

static void check_start(MPI_Info info, const char *command)
{
    char number[16], directory[1024];
    const char *arguments = value_of(info, "argv");

    CHECK(!arguments || !*arguments);
    snprintf(number, sizeof number, "%d", size_of(MPI_COMM_WORLD));
    CHECK_STR(value_of(info, "maxprocs"), number);
    CHECK_STR(value_of(info, "command"), command);
    CHECK_STR(value_of(info, "wdir"), getcwd(directory, sizeof directory));
    CHECK(value_of(info, "thread_level") == NULL); /* none was asked for at launch; see launch/options.py */
    CHECK_STR(value_of(info, KINDS), "mpi,system");
}

static void check_read_only(void)
{
    MPI_Info env = MPI_INFO_ENV, copy;

    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(MPI_INFO_ENV, "a", "b"), MPI_ERR_INFO);
    CHECK_EQ(MPI_Info_delete(MPI_INFO_ENV, "command"), MPI_ERR_INFO);
    CHECK_EQ(MPI_Info_free(&env), MPI_ERR_INFO);
    CHECK(env == MPI_INFO_ENV);
    CHECK(value_of(MPI_INFO_ENV, "a") == NULL);
    CHECK_EQ(MPI_Info_dup(MPI_INFO_ENV, &copy), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(copy, "a", "b"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&copy), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Info info;

    CHECK_EQ(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), MPI_SUCCESS);
    check_start(MPI_INFO_ENV, argv[0]);
    CHECK_HINT(MPI_COMM_WORLD, KINDS, value_of(MPI_INFO_ENV, KINDS));
    CHECK_EQ(MPI_Info_create_env(argc, argv, &info), MPI_SUCCESS);
    CHECK(info != MPI_INFO_ENV);
    check_start(info, argv[0]);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_create_env(0, NULL, &info), MPI_SUCCESS);
    check_start(info, argv[0]);
    CHECK_EQ(MPI_Info_set(info, "command", "changed"), MPI_SUCCESS); /* a copy of the caller */
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    check_read_only();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
