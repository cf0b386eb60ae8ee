#include "insight/checks/buffer/buffer_use.h"

#include "insight/findings/finding.h"
#include "insight/objects/type_check.h"

void overlap_check_sendrecv(struct intercept *call)
{
    if (intercept_argument(call, AT_DEST) == MPI_PROC_NULL ||
        intercept_argument(call, AT_SOURCE) == MPI_PROC_NULL ||
        !type_check_overlap(
            (void *)(intptr_t)intercept_argument(call, AT_BUF), intercept_argument(call, AT_COUNT),
            (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE),
            (void *)(intptr_t)intercept_argument(call, AT_BUF2), intercept_argument(call, AT_COUNT2),
            (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE2)))
        return;
    finding_add(&(struct finding_about){.class = FINDING_BUFFER,
                                        .call = call,
                                        .fix = "give two buffers, or call MPI_Sendrecv_replace"},
                "the buffers that %s sends and receives have bytes in common", call->procedure->name);
}

/* No location is written twice (MPI-5.0 section 6.5). */
static void say_twice(struct intercept *call, int rank)
{
    finding_add(
        &(struct finding_about){.class = FINDING_BUFFER,
                                .call = call,
                                .fix = "give displacements at which no two blocks have a byte in common"},
        "%s writes memory twice: what comes from rank %d overlaps what comes from a lower rank",
        call->procedure->name, rank);
}

/* Whether what is sent overlaps what is received. */
static bool has_alias(const struct intercept *call, const struct blocks *received)
{
    struct buffer_block sent, written;

    if (!intercept_has(call, AT_BUF2) || !blocks_sent_as_one(call, &sent))
        return false;
    if (received)
        return blocks_find_overlap(received, sent.buffer, sent.count, sent.type) >= 0;
    return blocks_written_as_one(call, &written) &&
           type_check_overlap(sent.buffer, sent.count, sent.type, written.buffer, written.count,
                              written.type);
}

void overlap_check_collective(struct intercept *call, const struct blocks *received)
{
    int twice = blocks_find_double(received);

    if (twice >= 0)
        say_twice(call, twice);
    else if (has_alias(call, received))
        finding_add(&(struct finding_about){.class = FINDING_BUFFER,
                                            .call = call,
                                            .fix = "give two buffers, or MPI_IN_PLACE where it is allowed"},
                    "what %s sends and what it receives have bytes in common", call->procedure->name);
}
