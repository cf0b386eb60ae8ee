#include "coll/algo/algorithm.h"
#include "coll/algo/inter_coll.h"
#include "coll/coll.h"
#include "coll/shm/direct.h"

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
static struct coll_block largest_scratch(struct schedule *s, const struct places *both)
{
    struct coll_block largest = {NULL, 0, NULL};

    for (int r = 0; r < s->size; r++) {
        struct coll_block b = place_of(both, r);
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
    struct coll_block spare = largest_scratch(s, both);

    for (int r = 0; r < s->size; r++) {
        struct coll_block theirs = place_of(both, r);
        struct coll_block mine = block_slice(spare, 0, theirs.count * theirs.type->size);

        if (r == s->rank)
            continue;
        if (mine.count)
            step_copy(s, theirs, mine);
        step_exchange(s, mine, r, theirs, r);
    }
}

/* Blocks of a round: those whose number has this bit. Packs them, or puts back what has come. */
static MPI_Count bruck_copy(struct schedule *s, int bit, struct coll_block blocks, MPI_Count each,
                            struct coll_block packed, bool is_out)
{
    MPI_Count at = 0;

    for (int i = bit; i < s->size; i++) {
        struct coll_block block = block_slice(blocks, i * each, each), place = block_slice(packed, at, each);

        if (!(i & bit))
            continue;
        step_copy(s, is_out ? block : place, is_out ? place : block);
        at += each;
    }
    return at;
}

/* Block i is the one for the i-th rank behind. In round k all blocks with bit k of i set travel 2^k ranks on,
 * so that each arrives after as many rounds as it has bits. Half the blocks travel at a time. */
static void alltoall_bruck(struct schedule *s, const struct places *out, const struct places *in)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE);
    MPI_Count each = in->each * in->type->size;
    struct coll_block blocks = schedule_scratch(s, each * s->size, byte);
    struct coll_block going = schedule_scratch(s, each * s->size, byte),
                      come = schedule_scratch(s, each * s->size, byte);

    if (s->error)
        each = 0;
    for (int i = 0; i < s->size; i++)
        step_copy(s, place_of(out, (s->rank + i) % s->size), block_slice(blocks, i * each, each));
    for (int bit = 1; bit < s->size; bit *= 2) {
        MPI_Count bytes = bruck_copy(s, bit, blocks, each, going, true);

        step_exchange(s, block_slice(going, 0, bytes), (s->rank + bit) % s->size, block_slice(come, 0, bytes),
                      (s->rank - bit + s->size) % s->size);
        bruck_copy(s, bit, blocks, each, come, false);
    }
    for (int i = 0; i < s->size; i++)
        step_copy(s, block_slice(blocks, i * each, each), place_of(in, (s->rank - i + s->size) % s->size));
}

static int alltoall(const struct places *out, const struct places *in, bool is_equal, struct comm *comm,
                    enum form form, struct request **request)
{
    bool in_place = out->base == MPI_IN_PLACE;
    unsigned traits = (is_equal ? TRAIT_EQUAL : 0) | (in_place ? 0 : TRAIT_OUT_OF_PLACE);
    size_t bytes = is_equal ? (size_t)comm->size * block_bytes(place_of(in, 0)) : SIZE_MAX;
    struct schedule *s;
    int error;

    if (comm_is_inter(comm))
        return inter_coll_alltoall(out, in, comm, form, request);
    error = schedule_open(comm, form, NULL, &s);
    if (error)
        return error;
    if (choice_make(COLL_ALLTOALL, bytes, s->size, traits) == ALGORITHM_BRUCK)
        alltoall_bruck(s, out, in);
    else if (in_place)
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
    struct shm_call call = {.collective = COLL_ALLTOALL};
    struct mailboxes *boxes;
    int ranks = comm_peer_count(comm), error = block_of_all(recvbuf, recvcount, ranks, recvtype, &call.out);

    call.in = call.out;
    if (!error && sendbuf != MPI_IN_PLACE)
        error = block_of_all(sendbuf, sendcount, ranks, sendtype, &call.in);
    if (error)
        return error;
    call.bytes = block_bytes(call.out);
    boxes = shm_coll_for(comm, form, COLL_ALLTOALL, call.bytes);
    if (!boxes)
        boxes = direct_for(comm, form, &call);
    return boxes ? shm_coll_do(comm, boxes, &call, form, request)
                 : alltoall(&out, &in, true, comm, form, request);
}

int coll_alltoallv(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   struct datatype *sendtype, void *recvbuf, struct counts recvcounts, struct counts rdispls,
                   struct datatype *recvtype, struct comm *comm, enum form form, struct request **request)
{
    struct places out = {.base = sendbuf, .counts = sendcounts, .displs = sdispls, .type = sendtype};
    struct places in = {.base = recvbuf, .counts = recvcounts, .displs = rdispls, .type = recvtype};

    return alltoall(&out, &in, false, comm, form, request);
}

int coll_alltoallw(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   struct datatype *const *sendtypes, void *recvbuf, struct counts recvcounts,
                   struct counts rdispls, struct datatype *const *recvtypes, struct comm *comm,
                   enum form form, struct request **request)
{
    struct places out = {.base = sendbuf, .counts = sendcounts, .displs = sdispls, .types = sendtypes};
    struct places in = {.base = recvbuf, .counts = recvcounts, .displs = rdispls, .types = recvtypes};

    return alltoall(&out, &in, false, comm, form, request);
}
