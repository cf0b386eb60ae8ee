#include "coll/step.h"

#include "base/fail.h"
#include "p2p/p2p.h"

#include <limits.h>
#include <stdlib.h>

enum {
    PORTION_BYTES = 128 * 1024
};

int coll_start(struct coll *coll, struct comm *comm)
{
    if (comm_is_inter(comm))
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "collectives on intercommunicators are not written yet");
    coll->comm = comm;
    coll->rank = comm->rank;
    coll->size = comm->size;
    coll->tag = (int)(comm->coll_sequence++ & INT_MAX);
    coll->error = 0;
    coll->posted = 0;
    return 0;
}

int coll_finish(struct coll *coll)
{
    step_wait_posted(coll);
    return coll->error;
}

void step_note(struct coll *coll, int error)
{
    if (error && !coll->error)
        coll->error = error;
}

void step_send(struct coll *coll, struct block from, int dest)
{
    step_note(coll, p2p_send(from.at, from.count, from.type, dest, coll->tag, coll->comm, PLANE_COLL,
                             SEND_STANDARD));
}

void step_recv(struct coll *coll, struct block to, int source)
{
    step_note(coll, p2p_recv(to.at, to.count, to.type, source, coll->tag, coll->comm, PLANE_COLL, NULL));
}

void step_exchange(struct coll *coll, struct block from, int dest, struct block to, int source)
{
    step_note(coll, p2p_sendrecv(from.at, from.count, from.type, dest, coll->tag, to.at, to.count, to.type,
                                 source, coll->tag, coll->comm, PLANE_COLL, NULL));
}

void step_copy(struct coll *coll, struct block from, struct block to)
{
    step_note(coll, datatype_copy(from.at, from.count, from.type, to.at, to.count, to.type));
}

void step_reduce(const struct op *op, struct block from, struct block into)
{
    op_apply(op, from.at, into.at, from.count < into.count ? from.count : into.count, into.type);
}

void step_wait_posted(struct coll *coll)
{
    for (int i = 0; i < coll->posted; i++) {
        step_note(coll, request_wait(coll->post[i]));
        request_unref(coll->post[i]);
    }
    coll->posted = 0;
}

static struct request **free_post(struct coll *coll)
{
    if (coll->posted == STEP_POSTED_LIMIT)
        step_wait_posted(coll);
    return &coll->post[coll->posted];
}

void step_post_send(struct coll *coll, struct block from, int dest)
{
    int error = p2p_isend(from.at, from.count, from.type, dest, coll->tag, coll->comm, PLANE_COLL,
                          SEND_STANDARD, free_post(coll));

    coll->posted += !error;
    step_note(coll, error);
}

void step_post_recv(struct coll *coll, struct block to, int source)
{
    int error =
        p2p_irecv(to.at, to.count, to.type, source, coll->tag, coll->comm, PLANE_COLL, free_post(coll));

    coll->posted += !error;
    step_note(coll, error);
}

/* Reduction kernels, and users' ones, read and write whole items: padding behind the last one's data as well.
 */
static size_t padding_of(const struct datatype *type)
{
    return type->extent > type->true_extent ? (size_t)(type->extent - type->true_extent) : 0;
}

struct block step_scratch(struct coll *coll, MPI_Count count, struct datatype *type)
{
    struct block b = {NULL, count, type};
    MPI_Count begin;
    size_t bytes;
    void *memory = NULL;
    int error = datatype_span(type, count, &begin, &bytes);

    if (!error && bytes)
        memory = malloc(bytes + padding_of(type));
    if (!error && bytes && !memory)
        error = fail(MPI_ERR_NO_MEM, "no memory for %zu bytes that a collective needs", bytes);
    step_note(coll, error);
    if (error)
        b.count = 0;
    if (memory)
        b.at = layout_at(memory, -begin);
    return b;
}

void step_free(struct block scratch)
{
    MPI_Count begin;
    size_t bytes;

    if (scratch.at && datatype_span(scratch.type, scratch.count, &begin, &bytes) == 0)
        free(layout_at(scratch.at, begin));
}

struct block block_slice(struct block block, MPI_Count first, MPI_Count count)
{
    MPI_Count rest = block.count > first ? block.count - first : 0;

    return block_at(block.at, first, rest < count ? rest : count, block.type);
}

MPI_Count block_portion(const struct datatype *type)
{
    return type->size < PORTION_BYTES ? PORTION_BYTES / (type->size ? type->size : 1) : 1;
}

size_t block_bytes(struct block block)
{
    return (size_t)block.count * (size_t)block.type->size;
}
