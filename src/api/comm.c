#include "api/comm.h"

#include "api/handle.h"
#include "base/fail.h"

#include <string.h>

int api_comm_size(const struct comm *comm, int *size)
{
    *size = comm->size;
    return MPI_SUCCESS;
}

int api_comm_rank(const struct comm *comm, int *rank)
{
    *rank = comm->rank;
    return MPI_SUCCESS;
}

int api_comm_test_inter(const struct comm *comm, int *flag)
{
    *flag = comm_is_inter(comm);
    return MPI_SUCCESS;
}

int api_comm_remote_size(const struct comm *comm, int *size)
{
    if (!comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "an intracommunicator has no remote group");
    *size = comm->remote->size;
    return MPI_SUCCESS;
}

int api_comm_compare(const struct comm *a, const struct comm *b, int *result)
{
    *result = comm_compare(a, b);
    return MPI_SUCCESS;
}

int api_comm_get_name(MPI_Comm comm, char *name, int *length)
{
    static const char null_name[] = "MPI_COMM_NULL";
    struct comm *c = handle_find_comm(comm);

    if (c)
        return comm_get_name(c, name, length);
    if (comm != MPI_COMM_NULL)
        return fail(MPI_ERR_COMM, "comm is no communicator, or one that has been freed");
    memcpy(name, null_name, sizeof null_name);
    *length = (int)sizeof null_name - 1;
    return MPI_SUCCESS;
}

int api_comm_get_parent(struct comm **parent)
{
    *parent = NULL;
    return MPI_SUCCESS;
}
