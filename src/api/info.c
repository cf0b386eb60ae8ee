#include "api/info.h"

#include "base/fail.h"
#include "comm/comm.h"
#include "info/info.h"

#include <mpi.h>

int api_info_get_string(struct info *info, const char *key, int *buflen, char *value, int *flag)
{
    size_t needed = 0;
    int error, found;

    if (*buflen < 0)
        return fail(MPI_ERR_ARG, "buflen %d is negative; 0 asks for the size that is needed", *buflen);
    if (*buflen > 0 && !value)
        return fail(MPI_ERR_ARG, "value is a null pointer, but buflen is %d", *buflen);
    error = info_get(info, key, value, (size_t)*buflen, &needed, &found);
    if (error)
        return error;
    if (found)
        *buflen = (int)needed;
    *flag = found;
    return MPI_SUCCESS;
}

int api_info_get(struct info *info, const char *key, int valuelen, char *value, int *flag)
{
    size_t needed;

    if (valuelen < 0)
        return fail(MPI_ERR_ARG, "valuelen %d is negative", valuelen);
    return info_get(info, key, value, (size_t)valuelen + 1, &needed, flag);
}

int api_info_get_valuelen(struct info *info, const char *key, int *valuelen, int *flag)
{
    size_t needed = 0;
    int error, found;

    error = info_get(info, key, NULL, 0, &needed, &found);
    if (error)
        return error;
    if (found)
        *valuelen = (int)needed - 1;
    *flag = found;
    return MPI_SUCCESS;
}

int api_comm_get_info(struct comm *comm, struct info **info)
{
    return info_of_hints(&comm->hints, info);
}
