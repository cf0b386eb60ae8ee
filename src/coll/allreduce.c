#include "coll/coll.h"

#include "coll/dispatch.h"

int coll_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                   struct comm *comm, enum form form, struct info *info, struct request **request)
{
    struct coll_call call = {.collective = COLL_ALLREDUCE,
                             .in = block_of(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type),
                             .out = {recvbuf, count, type},
                             .bytes = (size_t)count * (size_t)type->size,
                             .op = op};
    int error = op_check_items(op, count, type);

    return error ? error : dispatch_call(comm, &call, form, info, request);
}

/* OR is AND of the complements, so one reduction does both. */
int coll_agree(struct comm *comm, uint64_t *word_and, uint64_t *word_or)
{
    uint64_t words[2] = {word_and ? *word_and : 0, word_or ? ~*word_or : 0};
    int error = coll_allreduce(MPI_IN_PLACE, words, 2, datatype_predefined(MPI_UINT64_T),
                               &op_predefined[OP_BAND], comm, FORM_BLOCKING, NULL, NULL);

    if (error)
        return error;
    if (word_and)
        *word_and = words[0];
    if (word_or)
        *word_or = ~words[1];
    return MPI_SUCCESS;
}
