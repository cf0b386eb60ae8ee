#include "coll/algorithm.h"
#include "coll/coll.h"

enum {
    STAR_BYTES = 8 * 1024,   /* of all ranks together: up to here rank 0 collects and distributes ... */
    STAR_RANKS = 16,         /* ... for so many: two wake-ups a rank, the fewest when ranks outnumber cores */
    BRUCK_BYTES = 32 * 1024, /* of one rank: below, rounds cost more than copies */
    FLAT_BYTES = 8 * 1024    /* of all ranks together, for allgatherv */
};

void allgather_ring(struct coll *c, struct block all, const struct cut *cut)
{
    int next = (c->rank + 1) % c->size, previous = (c->rank - 1 + c->size) % c->size;

    for (int step = 0; step < c->size - 1; step++) {
        int out = (c->rank - step + c->size) % c->size;
        int in = (out - 1 + c->size) % c->size;

        step_exchange(c, cut_piece(cut, all, out), next, cut_piece(cut, all, in), previous);
    }
}

/* Round k doubles what a rank has: `have` blocks, its own first, then those of the ranks behind it. They
 * are collected in that order and turned round at the end. log2(n) rounds for any n. */
static void allgather_bruck(struct coll *c, struct block all, MPI_Count each)
{
    struct block tmp = step_scratch(c, all.count, all.type);
    struct datatype *type = all.type;
    MPI_Count unit = tmp.at ? each : 0; /* 0: no memory, or nothing to move */

    step_copy(c, block_at(all.at, c->rank * each, unit, type), block_at(tmp.at, 0, unit, type));
    for (int have = 1; have < c->size; have *= 2) {
        int more = have < c->size - have ? have : c->size - have;

        step_exchange(c, block_at(tmp.at, 0, more * unit, type), (c->rank - have + c->size) % c->size,
                      block_at(tmp.at, have * unit, more * unit, type), (c->rank + have) % c->size);
    }
    step_copy(c, block_at(tmp.at, 0, (c->size - c->rank) * unit, type),
              block_at(all.at, c->rank * each, (c->size - c->rank) * unit, type));
    step_copy(c, block_at(tmp.at, (c->size - c->rank) * unit, c->rank * unit, type),
              block_at(all.at, 0, c->rank * unit, type));
    step_free(tmp);
}

static void allgather_star(struct coll *c, struct block all, const struct cut *cut)
{
    if (c->rank) {
        step_send(c, cut_piece(cut, all, c->rank), 0);
        step_recv(c, all, 0);
        return;
    }
    for (int r = 1; r < c->size; r++)
        step_post_recv(c, cut_piece(cut, all, r), r);
    step_wait_posted(c);
    for (int r = 1; r < c->size; r++)
        step_post_send(c, all, r);
}

int coll_allgather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                   MPI_Count recvcount, struct datatype *recvtype, struct comm *comm)
{
    struct cut cut = {.each = recvcount};
    struct block all = {recvbuf, recvcount * comm->size, recvtype};
    struct coll c;
    int error = coll_start(&c, comm);

    if (error)
        return error;
    if (sendbuf != MPI_IN_PLACE)
        step_copy(&c, block_at(sendbuf, 0, sendcount, sendtype), cut_piece(&cut, all, c.rank));
    if (c.size > 2 && c.size <= STAR_RANKS && block_bytes(all) <= STAR_BYTES)
        allgather_star(&c, all, &cut);
    else if (block_bytes(all) / (size_t)c.size < BRUCK_BYTES)
        allgather_bruck(&c, all, recvcount);
    else
        allgather_ring(&c, all, &cut);
    return coll_finish(&c);
}

/* Where each rank's items go. */
struct places {
    void *base;
    struct counts counts, displs;
    struct datatype *type;
};

static struct block place_of(const struct places *p, int rank)
{
    return block_at(p->base, count_at(p->displs, rank), count_at(p->counts, rank), p->type);
}

/* Everybody sends to everybody at once. Ranks post in the same order, so the limit on posts is safe. */
static void allgatherv_flat(struct coll *c, const struct places *places)
{
    for (int i = 1; i < c->size; i++) {
        int from = (c->rank - i + c->size) % c->size;

        step_post_recv(c, place_of(places, from), from);
        step_post_send(c, place_of(places, c->rank), (c->rank + i) % c->size);
    }
}

static void allgatherv_ring(struct coll *c, const struct places *places)
{
    int next = (c->rank + 1) % c->size, previous = (c->rank - 1 + c->size) % c->size;

    for (int step = 0; step < c->size - 1; step++) {
        int out = (c->rank - step + c->size) % c->size;
        int in = (out - 1 + c->size) % c->size;

        step_exchange(c, place_of(places, out), next, place_of(places, in), previous);
    }
}

static bool is_small(const struct places *places, int size)
{
    size_t bytes = 0;

    for (int r = 0; r < size && bytes < FLAT_BYTES; r++)
        bytes += block_bytes(place_of(places, r));
    return bytes < FLAT_BYTES;
}

int coll_allgatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                    struct counts recvcounts, struct counts displs, struct datatype *recvtype,
                    struct comm *comm)
{
    struct places places = {recvbuf, recvcounts, displs, recvtype};
    struct coll c;
    int error = coll_start(&c, comm);

    if (error)
        return error;
    if (sendbuf != MPI_IN_PLACE)
        step_copy(&c, block_at(sendbuf, 0, sendcount, sendtype), place_of(&places, c.rank));
    if (is_small(&places, c.size))
        allgatherv_flat(&c, &places);
    else
        allgatherv_ring(&c, &places);
    return coll_finish(&c);
}
