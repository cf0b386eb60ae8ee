#include "file/file.h"

#include "coll/coll.h"
#include "making/make.h"
#include "plain/fail.h"

int agreement_on_largest(struct comm *comm, int64_t *word, int words)
{
    return coll_allreduce(MPI_IN_PLACE, word, words, datatype_predefined(MPI_INT64_T), &op_predefined[OP_MAX],
                          comm, FORM_BLOCKING, NULL, NULL);
}

int64_t agreement_word(const struct comm *comm, int error)
{
    return error ? (int64_t)make_error_for_peers(error) << 32 | (INT32_MAX - comm->rank) : 0;
}

int agreement_error(const char *call, const char *name, int error, int64_t word)
{
    int rank = INT32_MAX - (int)(word & INT32_MAX);

    if (error || !word)
        return error;
    return fail((int)(word >> 32), "%s: rank %d failed on \"%.200s\"", call, rank, name);
}

int agreement_on_error(struct comm *comm, const char *call, const char *name, int error)
{
    int64_t word = agreement_word(comm, error);
    int failed = agreement_on_largest(comm, &word, 1);

    if (failed)
        return error ? error : failed;
    return agreement_error(call, name, error, word);
}

int agreement_on_value(struct comm *comm, const char *call, const char *name, const char *what, int64_t value,
                       int error)
{
    int64_t word[3] = {agreement_word(comm, error), value, ~value};
    int failed = agreement_on_largest(comm, word, 3);

    if (failed)
        return error ? error : failed;
    error = agreement_error(call, name, error, word[0]);
    if (!error && word[1] != ~word[2])
        error =
            fail(MPI_ERR_NOT_SAME, "%s on \"%.200s\": %s is %lld to %lld; it must be the same on all ranks",
                 call, name, what, (long long)~word[2], (long long)word[1]);
    return error;
}

int agreement_with(struct comm *comm, int rank, const char *call, const char *name, int error)
{
    int64_t word = agreement_word(comm, error);
    int failed =
        coll_bcast(&word, 1, datatype_predefined(MPI_INT64_T), rank, comm, FORM_BLOCKING, NULL, NULL);

    if (failed)
        return error ? error : failed;
    return agreement_error(call, name, error, word);
}

int agreement_with_first(struct file *file, int reason, const char *what)
{
    int error =
        coll_bcast(&reason, 1, datatype_predefined(MPI_INT), 0, file->comm, FORM_BLOCKING, NULL, NULL);

    if (error)
        return error;
    return reason ? file_system_error(what, file->name, reason) : MPI_SUCCESS;
}
