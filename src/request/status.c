#include "request/request.h"

#include <string.h>

/* MPI_internal: ints 0 and 1 hold the byte count, int 2 the cancelled flag (the ABI leaves them to us). */
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
