#include "coll/algorithm.h"
#include "coll/coll.h"

enum {
    STAR_BYTES = 8 * 1024,   /* of all ranks together: up to here rank 0 collects and distributes ... */
    STAR_RANKS = 16,         /* ... for so many: two wake-ups a rank, the fewest when ranks outnumber cores */
    BRUCK_BYTES = 32 * 1024, /* of one rank: below, rounds cost more than copies */
    FLAT_BYTES = 8 * 1024    /* of all ranks together, for allgatherv */
};

void allgather_ring(struct schedule *s, struct block all, const struct cut *cut)
{
    int next = (s->rank + 1) % s->size, previous = (s->rank - 1 + s->size) % s->size;

    for (int step = 0; step < s->size - 1; step++) {
        int out = (s->rank - step + s->size) % s->size;
        int in = (out - 1 + s->size) % s->size;

        step_exchange(s, cut_piece(cut, all, out), next, cut_piece(cut, all, in), previous);
    }
}

/* Round k doubles what a rank has: `have` blocks, its own first, then those of the ranks behind it. They
 * are collected in that order and turned round at the end. log2(n) rounds for any n. */
static void allgather_bruck(struct schedule *s, struct block all, MPI_Count each)
{
    struct block tmp = schedule_scratch(s, all.count, all.type);
    struct datatype *type = all.type;
    MPI_Count unit = tmp.at ? each : 0; /* 0: no memory, or nothing to move */

    step_copy(s, block_at(all.at, s->rank * each, unit, type), block_at(tmp.at, 0, unit, type));
    for (int have = 1; have < s->size; have *= 2) {
        int more = have < s->size - have ? have : s->size - have;

        step_exchange(s, block_at(tmp.at, 0, more * unit, type), (s->rank - have + s->size) % s->size,
                      block_at(tmp.at, have * unit, more * unit, type), (s->rank + have) % s->size);
    }
    step_copy(s, block_at(tmp.at, 0, (s->size - s->rank) * unit, type),
              block_at(all.at, s->rank * each, (s->size - s->rank) * unit, type));
    step_copy(s, block_at(tmp.at, (s->size - s->rank) * unit, s->rank * unit, type),
              block_at(all.at, 0, s->rank * unit, type));
}

static void allgather_star(struct schedule *s, struct block all, const struct cut *cut)
{
    if (s->rank) {
        step_send(s, cut_piece(cut, all, s->rank), 0);
        step_wait(s); /* what is sent is also received into */
        step_recv(s, all, 0);
        return;
    }
    for (int r = 1; r < s->size; r++)
        step_recv(s, cut_piece(cut, all, r), r);
    step_wait(s);
    for (int r = 1; r < s->size; r++)
        step_send(s, all, r);
}

int coll_allgather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                   MPI_Count recvcount, struct datatype *recvtype, struct comm *comm, enum form form,
                   struct request **request)
{
    struct cut cut = {.each = recvcount};
    struct block all = {recvbuf, recvcount * comm->size, recvtype};
    struct schedule *s;
    int error = schedule_open(comm, form, NULL, &s);

    if (error)
        return error;
    if (sendbuf != MPI_IN_PLACE)
        step_copy(s, block_at(sendbuf, 0, sendcount, sendtype), cut_piece(&cut, all, s->rank));
    if (s->size > 2 && s->size <= STAR_RANKS && block_bytes(all) <= STAR_BYTES)
        allgather_star(s, all, &cut);
    else if (block_bytes(all) / (size_t)s->size < BRUCK_BYTES)
        allgather_bruck(s, all, recvcount);
    else
        allgather_ring(s, all, &cut);
    return schedule_close(s, request);
}

/* Everybody sends to everybody at once. Ranks start in the same order, so the limit of a round is safe. */
static void allgatherv_flat(struct schedule *s, const struct places *places)
{
    for (int i = 1; i < s->size; i++) {
        int from = (s->rank - i + s->size) % s->size;

        step_recv(s, place_of(places, from), from);
        step_send(s, place_of(places, s->rank), (s->rank + i) % s->size);
    }
}

static void allgatherv_ring(struct schedule *s, const struct places *places)
{
    int next = (s->rank + 1) % s->size, previous = (s->rank - 1 + s->size) % s->size;

    for (int step = 0; step < s->size - 1; step++) {
        int out = (s->rank - step + s->size) % s->size;
        int in = (out - 1 + s->size) % s->size;

        step_exchange(s, place_of(places, out), next, place_of(places, in), previous);
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
                    struct comm *comm, enum form form, struct request **request)
{
    struct places places = {.base = recvbuf, .counts = recvcounts, .displs = displs, .type = recvtype};
    struct schedule *s;
    int error = schedule_open(comm, form, NULL, &s);

    if (error)
        return error;
    if (sendbuf != MPI_IN_PLACE)
        step_copy(s, block_at(sendbuf, 0, sendcount, sendtype), place_of(&places, s->rank));
    if (is_small(&places, s->size))
        allgatherv_flat(s, &places);
    else
        allgatherv_ring(s, &places);
    return schedule_close(s, request);
}
