#include "insight/objects/request_record.h"

struct request_record *request_record_active;

struct request_record *request_check_find(MPI_Request request)
{
    return request == MPI_REQUEST_NULL ? NULL : tracked_find(TRACKED_REQUEST, (uint64_t)(uintptr_t)request);
}

MPI_Comm request_check_comm(const struct intercept *call)
{
    return call->procedure->family >= FAMILY_START && call->procedure->family <= FAMILY_CANCEL
               ? (MPI_Comm)(intptr_t)call->saved[1]
               : NULL;
}
