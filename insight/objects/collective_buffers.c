#include "insight/objects/collective_buffers.h"

#include <string.h>

/* On an intercommunicator the root says MPI_ROOT, and the others of its group MPI_PROC_NULL. */
static bool is_root(const struct intercept *call, const struct comm_record *comm)
{
    return intercept_argument(call, AT_ROOT) == (comm->is_inter ? MPI_ROOT : comm->rank);
}

bool collective_check_takes_part(const struct intercept *call, const struct comm_record *comm)
{
    int64_t root = intercept_argument(call, AT_ROOT);

    return (root >= 0 && root < comm->targets) || is_root(call, comm);
}

static bool is_one_to_all(const struct intercept *call)
{
    return !intercept_has(call, AT_BUF2) || strstr(call->procedure->name, "catter");
}

bool collective_check_gives(const struct intercept *call, const struct comm_record *comm)
{
    if (!intercept_has(call, AT_ROOT))
        return true;
    if (is_one_to_all(call))
        return is_root(call, comm);
    return collective_check_takes_part(call, comm) && !(comm->is_inter && is_root(call, comm));
}

bool collective_check_takes(const struct intercept *call, const struct comm_record *comm)
{
    if (!intercept_has(call, AT_ROOT))
        return true;
    if (!is_one_to_all(call))
        return is_root(call, comm);
    return collective_check_takes_part(call, comm) &&
           (!is_root(call, comm) || (!comm->is_inter && intercept_has(call, AT_BUF2)));
}
