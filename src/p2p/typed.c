/* Sends of items that have gaps in memory, or that only a device reaches: small ones are packed and sent,
 * others go through a pipeline, and where none is free they are packed as a whole and sent as bytes. A device's
 * memory in one run may be exported instead (ipc_copy.h). */
#include "p2p/typed.h"

#include "base/fail.h"
#include "p2p/rndv/ipc_copy.h"
#include "p2p/rndv/pack_pipeline.h"
#include "p2p/rndv/recv_advert.h"

#include <stdlib.h>

enum {
    SMALL_BYTES = 4096 /* packed on the stack; not more than the default eager limit */
};

static int send_bytes(const void *bytes, size_t n, const struct envelope *e, enum send_mode mode,
                      struct request **request)
{
    return p2p_isend(bytes, (MPI_Count)n, datatype_predefined(MPI_BYTE), e->peer, e->tag, e->comm, e->plane,
                     mode, request);
}

/* False when the message cannot leave at once. */
static bool send_small(const void *buf, size_t bytes, struct datatype *type, const struct envelope *e,
                       enum send_mode mode)
{
    unsigned char packed[SMALL_BYTES];

    if (bytes > SMALL_BYTES || mode == SEND_SYNCHRONOUS)
        return false;
    datatype_pack(type, buf, 0, packed, bytes);
    return send_eager(packed, bytes, e->peer, e->tag, e->comm, e->plane);
}

static int send_packed(const void *buf, size_t bytes, struct datatype *type, const struct device *device,
                       const struct envelope *e, enum send_mode mode, struct request **request)
{
    void *packed = malloc(bytes ? bytes : 1);
    int error;

    if (!packed)
        return fail(MPI_ERR_NO_MEM, "no memory to pack a message of %zu bytes", bytes);
    error = datatype_pack_from(device, type, buf, 0, packed, bytes);
    if (!error)
        error = send_bytes(packed, bytes, e, mode, request);
    if (error || *request == request_done_send())
        free(packed);
    else
        transfer_of(*request)->packed = packed;
    return error;
}

int typed_isend(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm,
                enum plane plane, enum send_mode mode, struct request **request)
{
    const struct device *device = datatype_device(type, buf, hint_buffer_kinds(&comm->hints));
    struct envelope e = {dest, tag, comm, plane};
    const void *run;
    size_t bytes;
    int error = datatype_bytes(type, count, &bytes);

    if (error)
        return error;
    if (device && datatype_is_run(type, count, buf, &run) && !recv_advert_is_on(comm, plane)) {
        error = ipc_copy_isend(run, bytes, device, &e, request);
        if (error || *request)
            return error;
    }
    /* Advertised receives want their messages as bytes. */
    if (device || recv_advert_is_on(comm, plane))
        return send_packed(buf, bytes, type, device, &e, mode, request);
    if (datatype_is_run(type, count, buf, &run))
        return send_bytes(run, bytes, &e, mode, request);
    if (send_small(buf, bytes, type, &e, mode)) {
        *request = request_done_send();
        return MPI_SUCCESS;
    }
    error = pack_pipeline_isend(buf, bytes, type, &e, mode, request);
    return error || *request ? error : send_packed(buf, bytes, type, NULL, &e, mode, request);
}
