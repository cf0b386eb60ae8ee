#include "p2p/assert_check.h"

#include "plain/fail.h"

static int fail_wildcard(int error, const char *wildcard, struct comm *comm, enum hint_id id)
{
    return fail(error,
                "%s must not be used on this communicator: %s is true, set by %s; receive with a definite "
                "%s, or set the hint to false",
                wildcard, hint_table[id].key, hint_origin(&comm->hints, id),
                error == MPI_ERR_RANK ? "source" : "tag");
}

int assert_check_wildcards(struct comm *comm, int source, int tag)
{
    if (source == MPI_ANY_SOURCE)
        hint_count(&comm->hints, COUNTED_ANY_SOURCE);
    if (tag == MPI_ANY_TAG)
        hint_count(&comm->hints, COUNTED_ANY_TAG);
    if (source == MPI_ANY_SOURCE && hint_value(&comm->hints, HINT_NO_ANY_SOURCE))
        return fail_wildcard(MPI_ERR_RANK, "MPI_ANY_SOURCE", comm, HINT_NO_ANY_SOURCE);
    if (tag == MPI_ANY_TAG && hint_value(&comm->hints, HINT_NO_ANY_TAG))
        return fail_wildcard(MPI_ERR_TAG, "MPI_ANY_TAG", comm, HINT_NO_ANY_TAG);
    return MPI_SUCCESS;
}

static int fail_collective(int source, size_t sent, size_t room)
{
    if (!sent)
        return fail(MPI_ERR_OTHER,
                    "rank %d has no data for this collective, where %zu bytes are due: it met an error, or "
                    "called it with other arguments",
                    source, room);
    return fail(MPI_ERR_TRUNCATE,
                "rank %d has %zu bytes for this collective, where %zu are due: the counts or types of the "
                "ranks do not fit together",
                source, sent, room);
}

int assert_check_fail_length(struct comm *comm, enum plane plane, int source, int tag, size_t sent,
                             size_t room)
{
    if (plane == PLANE_COLL)
        return fail_collective(source, sent, room);
    return fail(
        MPI_ERR_TRUNCATE,
        "%zu bytes arrived from rank %d with tag %d for a receive of exactly %zu bytes: %s is true on "
        "this communicator, set by %s",
        sent, source, tag, room, hint_table[HINT_EXACT_LENGTH].key,
        hint_origin(&comm->hints, HINT_EXACT_LENGTH));
}
