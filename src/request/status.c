#include "request/request.h"

#include "plain/fail.h"

#include <string.h>

/* MPI_internal: ints 0 and 1 hold the byte count, int 2 the cancelled flag (the ABI leaves them to the
 * library). */
enum {
    STATUS_BYTES = 0,
    STATUS_CANCELLED = 2
};

void status_write(const struct status *s, MPI_Status *out)
{
    if (out == MPI_STATUS_IGNORE)
        return;
    out->MPI_SOURCE = s->source;
    out->MPI_TAG = s->tag;
    memcpy(&out->MPI_internal[STATUS_BYTES], &s->bytes, sizeof s->bytes);
    out->MPI_internal[STATUS_CANCELLED] = s->cancelled;
}

void status_read(const MPI_Status *in, struct status *s)
{
    s->source = in->MPI_SOURCE;
    s->tag = in->MPI_TAG;
    s->error = in->MPI_ERROR;
    memcpy(&s->bytes, &in->MPI_internal[STATUS_BYTES], sizeof s->bytes);
    s->cancelled = in->MPI_internal[STATUS_CANCELLED] != 0;
}

int status_get_count(const MPI_Status *status, struct datatype *type, MPI_Count *count)
{
    struct status s;

    status_read(status, &s);
    *count = datatype_count(type, s.bytes);
    return MPI_SUCCESS;
}

int status_get_elements(const MPI_Status *status, struct datatype *type, MPI_Count *count)
{
    struct status s;

    status_read(status, &s);
    *count = datatype_elements(type, s.bytes);
    return MPI_SUCCESS;
}

int status_test_cancelled(const MPI_Status *status, int *flag)
{
    struct status s;

    status_read(status, &s);
    *flag = s.cancelled;
    return MPI_SUCCESS;
}

int status_get_source(const MPI_Status *status, int *source)
{
    *source = status->MPI_SOURCE;
    return MPI_SUCCESS;
}

int status_get_tag(const MPI_Status *status, int *tag)
{
    *tag = status->MPI_TAG;
    return MPI_SUCCESS;
}

int status_get_error(const MPI_Status *status, int *error)
{
    *error = status->MPI_ERROR;
    return MPI_SUCCESS;
}

int status_set_source(MPI_Status *status, int source)
{
    status->MPI_SOURCE = source;
    return MPI_SUCCESS;
}

int status_set_tag(MPI_Status *status, int tag)
{
    status->MPI_TAG = tag;
    return MPI_SUCCESS;
}

int status_set_error(MPI_Status *status, int error)
{
    status->MPI_ERROR = error;
    return MPI_SUCCESS;
}

int status_set_cancelled(MPI_Status *status, int flag)
{
    struct status s;

    status_read(status, &s);
    s.cancelled = flag != 0;
    status_write(&s, status);
    return MPI_SUCCESS;
}

int status_set_elements(MPI_Status *status, struct datatype *type, MPI_Count count)
{
    MPI_Count bytes = 0;
    struct status s;
    int error;

    if (count < 0)
        return fail(MPI_ERR_COUNT, "count %lld is negative", (long long)count);
    error = datatype_element_bytes(type, count, &bytes);
    if (error)
        return error;
    status_read(status, &s);
    s.bytes = bytes;
    status_write(&s, status);
    return MPI_SUCCESS;
}
