#include "coll/coll.h"
#include "coll/step.h"

/* One side of an all-to-all: what goes to, or comes from, each rank. The three forms differ in which members
 * are given. */
struct side {
    const void *base;
    MPI_Count each;               /* alltoall: equal blocks */
    struct counts counts, displs; /* alltoallv: in items; alltoallw: displs in bytes */
    struct datatype *type;
    struct datatype *const *types; /* alltoallw */
};

static struct block side_block(const struct side *s, int rank)
{
    if (s->types)
        return (struct block){(char *)(uintptr_t)s->base + count_at(s->displs, rank),
                              count_at(s->counts, rank), s->types[rank]};
    if (s->counts.narrow || s->counts.wide)
        return block_at(s->base, count_at(s->displs, rank), count_at(s->counts, rank), s->type);
    return block_at(s->base, rank * s->each, s->each, s->type);
}

/* Step i: to the i-th rank behind, from the i-th before. All ranks post the same steps together, as many as
 * the limit on posts allows, so the steps overlap and cannot block each other. */
static void alltoall_pairwise(struct coll *c, const struct side *out, const struct side *in)
{
    for (int i = 1; i < c->size; i++) {
        int to = (c->rank + i) % c->size, from = (c->rank - i + c->size) % c->size;

        step_post_recv(c, side_block(in, from), from);
        step_post_send(c, side_block(out, to), to);
    }
    step_copy(c, side_block(out, c->rank), side_block(in, c->rank));
}

/* Swaps with one rank after the other, lower ranks first: then the pair with the smallest sum of ranks that
 * is left can always go on. One block of extra memory. */
static void alltoall_in_place(struct coll *c, const struct side *both)
{
    for (int r = 0; r < c->size; r++) {
        struct block theirs, mine;

        if (r == c->rank)
            continue;
        theirs = side_block(both, r);
        mine = step_scratch(c, theirs.count, theirs.type);
        if (mine.count)
            step_copy(c, theirs, mine);
        step_exchange(c, mine, r, theirs, r);
        step_free(mine);
    }
}

static int alltoall(const struct side *out, const struct side *in, struct comm *comm)
{
    struct coll c;
    int error = coll_start(&c, comm);

    if (error)
        return error;
    if (out->base == MPI_IN_PLACE)
        alltoall_in_place(&c, in);
    else
        alltoall_pairwise(&c, out, in);
    return coll_finish(&c);
}

int coll_alltoall(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                  MPI_Count recvcount, struct datatype *recvtype, struct comm *comm)
{
    struct side out = {.base = sendbuf, .each = sendcount, .type = sendtype};
    struct side in = {.base = recvbuf, .each = recvcount, .type = recvtype};

    return alltoall(&out, &in, comm);
}

int coll_alltoallv(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   struct datatype *sendtype, void *recvbuf, struct counts recvcounts, struct counts rdispls,
                   struct datatype *recvtype, struct comm *comm)
{
    struct side out = {.base = sendbuf, .counts = sendcounts, .displs = sdispls, .type = sendtype};
    struct side in = {.base = recvbuf, .counts = recvcounts, .displs = rdispls, .type = recvtype};

    return alltoall(&out, &in, comm);
}

int coll_alltoallw(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   struct datatype *const *sendtypes, void *recvbuf, struct counts recvcounts,
                   struct counts rdispls, struct datatype *const *recvtypes, struct comm *comm)
{
    struct side out = {.base = sendbuf, .counts = sendcounts, .displs = sdispls, .types = sendtypes};
    struct side in = {.base = recvbuf, .counts = recvcounts, .displs = rdispls, .types = recvtypes};

    return alltoall(&out, &in, comm);
}
