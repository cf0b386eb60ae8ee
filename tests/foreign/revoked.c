/* Extensions for faults, which these libraries and Inkling have under the same names (mpiexec --survive): the last rank dies. */
#include "check.h"

#include <signal.h>

int MPIX_Comm_revoke(MPI_Comm comm);
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);
int MPIX_Comm_agree(MPI_Comm comm, int *flag);
int MPIX_Comm_get_failed(MPI_Comm comm, MPI_Group *group);

static int rank, size;

/* A message to the dead fails with a class of the ABI. */
static void check_death(void)
{
    int error, failed, got, class;
    MPI_Group group;
    char text[MPI_MAX_ERROR_STRING];

    if (rank == size - 1)
        raise(SIGKILL);
    error = MPI_Recv(&got, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(MPI_Error_class(error, &class), MPI_SUCCESS);
    CHECK_EQ(class, MPIX_ERR_PROC_FAILED);
    CHECK_EQ(MPI_Error_string(MPIX_ERR_PROC_FAILED, text, &got), MPI_SUCCESS);
    CHECK(strstr(text, "MPIX_ERR_PROC_FAILED") != NULL);
    CHECK_EQ(MPIX_Comm_get_failed(MPI_COMM_WORLD, &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_size(group, &failed), MPI_SUCCESS);
    CHECK_EQ(failed, 1);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
}

static void check_revoked(MPI_Comm comm)
{
    int there, sum, flag = rank ? 6 : 3, error, class;
    MPI_Comm left;

    CHECK_EQ(MPIX_Comm_revoke(comm), MPI_SUCCESS);
    error = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK_EQ(MPI_Error_class(error, &class), MPI_SUCCESS);
    CHECK_EQ(class, MPIX_ERR_REVOKED);
    CHECK_EQ(MPIX_Comm_shrink(comm, &left), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(left, &there), MPI_SUCCESS);
    CHECK_EQ(there, size - 1);
    CHECK_EQ(MPIX_Comm_agree(left, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 2);
    CHECK_EQ(MPI_Comm_free(&left), MPI_SUCCESS);
}

/* Open MPI calls it MPI_FT. */
static void check_attribute(void)
{
#ifdef MPIX_FT
    int *survives, flag;

    CHECK_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &survives, &flag), MPI_SUCCESS);
    CHECK(flag && *survives);
#endif
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    check_attribute();
    check_death();
    check_revoked(comm);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
