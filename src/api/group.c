#include "api/group.h"

#include <mpi.h>

int api_group_size(const struct group *group, int *size)
{
    *size = group->size;
    return MPI_SUCCESS;
}

int api_group_rank(const struct group *group, int *rank)
{
    *rank = group->rank;
    return MPI_SUCCESS;
}

int api_group_compare(const struct group *a, const struct group *b, int *result)
{
    *result = group_compare(a, b);
    return MPI_SUCCESS;
}
