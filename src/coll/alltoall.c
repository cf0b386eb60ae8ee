#include "coll/coll.h"

/* Step i: to the i-th rank behind, from the i-th before. All ranks start the same steps together, as many as
 * the limit of a round allows, so the steps overlap and cannot block each other. */
static void alltoall_pairwise(struct schedule *s, const struct places *out, const struct places *in)
{
    for (int i = 1; i < s->size; i++) {
        int to = (s->rank + i) % s->size, from = (s->rank - i + s->size) % s->size;

        step_recv(s, place_of(in, from), from);
        step_send(s, place_of(out, to), to);
    }
    step_copy(s, place_of(out, s->rank), place_of(in, s->rank));
}

/* Memory for the largest part that goes to another rank. */
static struct block largest_scratch(struct schedule *s, const struct places *both)
{
    struct block largest = {NULL, 0, NULL};

    for (int r = 0; r < s->size; r++) {
        struct block b = place_of(both, r);
        MPI_Count bytes = b.count * b.type->size;

        if (r != s->rank && bytes > largest.count)
            largest.count = bytes;
    }
    return schedule_scratch(s, largest.count, datatype_predefined(MPI_BYTE));
}

/* Swaps with one rank after the other, lower ranks first: then the pair with the smallest sum of ranks that
 * is left can always go on. One part of extra memory. */
static void alltoall_in_place(struct schedule *s, const struct places *both)
{
    struct block spare = largest_scratch(s, both);

    for (int r = 0; r < s->size; r++) {
        struct block theirs = place_of(both, r);
        struct block mine = block_slice(spare, 0, theirs.count * theirs.type->size);

        if (r == s->rank)
            continue;
        if (mine.count)
            step_copy(s, theirs, mine);
        step_exchange(s, mine, r, theirs, r);
    }
}

static int alltoall(const struct places *out, const struct places *in, struct comm *comm, enum form form,
                    struct request **request)
{
    struct schedule *s;
    int error = schedule_open(comm, form, NULL, &s);

    if (error)
        return error;
    if (out->base == MPI_IN_PLACE)
        alltoall_in_place(s, in);
    else
        alltoall_pairwise(s, out, in);
    return schedule_close(s, request);
}

int coll_alltoall(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                  MPI_Count recvcount, struct datatype *recvtype, struct comm *comm, enum form form,
                  struct request **request)
{
    struct places out = {.base = sendbuf, .each = sendcount, .type = sendtype};
    struct places in = {.base = recvbuf, .each = recvcount, .type = recvtype};

    return alltoall(&out, &in, comm, form, request);
}

int coll_alltoallv(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   struct datatype *sendtype, void *recvbuf, struct counts recvcounts, struct counts rdispls,
                   struct datatype *recvtype, struct comm *comm, enum form form, struct request **request)
{
    struct places out = {.base = sendbuf, .counts = sendcounts, .displs = sdispls, .type = sendtype};
    struct places in = {.base = recvbuf, .counts = recvcounts, .displs = rdispls, .type = recvtype};

    return alltoall(&out, &in, comm, form, request);
}

int coll_alltoallw(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   struct datatype *const *sendtypes, void *recvbuf, struct counts recvcounts,
                   struct counts rdispls, struct datatype *const *recvtypes, struct comm *comm,
                   enum form form, struct request **request)
{
    struct places out = {.base = sendbuf, .counts = sendcounts, .displs = sdispls, .types = sendtypes};
    struct places in = {.base = recvbuf, .counts = recvcounts, .displs = rdispls, .types = recvtypes};

    return alltoall(&out, &in, comm, form, request);
}
