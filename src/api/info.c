#include "api/info.h"

#include "base/fail.h"
#include "coll/coll.h"
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

/* The reduction runs whatever this rank's info holds, and even when its memory is out: another rank may have
 * been given a key that all must agree on. */
int api_comm_set_info(struct comm *comm, struct info *info)
{
    struct hints copy;
    bool copied = hints_copy(&comm->hints, &copy);
    struct hints *next = copied ? &copy : &comm->hints;
    uint64_t all, any;
    int error;

    if (copied) {
        next->keep_kinds = comm->object.predefined;
        info_offer(info, next, AT_SET, "MPI_Comm_set_info");
    }
    all = any = hints_agreement(next);
    error = coll_agree(comm, &all, &any);
    if (!error && all != any)
        hints_disagreed(next);
    if (!copied)
        return error ? error : fail(MPI_ERR_NO_MEM, "no memory for the hints");
    if (!error)
        hints_move(&comm->hints, next);
    hints_fini(next);
    return error;
}

int api_comm_get_info(struct comm *comm, struct info **info)
{
    return info_of_hints(&comm->hints, info);
}
