/* The library's own collectives on plain memory; see coll.h. */
#include "coll/coll.h"

int coll_allgather_bytes(struct comm *comm, const void *mine, void *all, size_t size)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE);

    return coll_allgather(mine, (MPI_Count)size, byte, all, (MPI_Count)size, byte, comm, FORM_BLOCKING, NULL);
}

/* OR is AND of the complements, so one reduction does both. */
int coll_agree(struct comm *comm, uint64_t *word_and, uint64_t *word_or)
{
    uint64_t words[2] = {word_and ? *word_and : 0, word_or ? ~*word_or : 0};
    int error = coll_allreduce(MPI_IN_PLACE, words, 2, datatype_predefined(MPI_UINT64_T),
                               &op_predefined[OP_BAND], comm, FORM_BLOCKING, NULL);

    if (error)
        return error;
    if (word_and)
        *word_and = words[0];
    if (word_or)
        *word_or = ~words[1];
    return 0;
}
