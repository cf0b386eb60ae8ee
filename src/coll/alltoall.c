#include "coll/coll.h"

#include "coll/algo/algorithm.h"
#include "coll/algo/host_groups.h"
#include "coll/algo/packed.h"
#include "coll/dispatch.h"
#include "coll/shm/engine.h"
#include "coll/shm/single_copy.h"
#include "plain/fail.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

/* Step i: to the i-th rank behind, from the i-th before. All ranks start the same steps together, as many as
 * the limit of a round allows, so the steps overlap and cannot block each other. */
static void exchange_pairs(struct schedule *s, const struct places *out, const struct places *in)
{
    for (int i = 1; i < s->size; i++) {
        int to = (s->rank + i) % s->size, from = (s->rank - i + s->size) % s->size;

        schedule_recv(s, block_place_of(in, from), from);
        schedule_send(s, block_place_of(out, to), to);
    }
    schedule_copy(s, block_place_of(out, s->rank), block_place_of(in, s->rank));
}

/* Memory for the largest part that goes to another rank. */
static struct coll_block largest_scratch(struct schedule *s, const struct places *both)
{
    struct coll_block largest = {NULL, 0, NULL};

    for (int r = 0; r < s->size; r++) {
        struct coll_block b = block_place_of(both, r);
        MPI_Count bytes = b.count * b.type->size;

        if (r != s->rank && bytes > largest.count)
            largest.count = bytes;
    }
    return schedule_scratch(s, largest.count, datatype_predefined(MPI_BYTE));
}

/* Swaps with one rank after the other, lower ranks first: then the pair with the smallest sum of ranks that
 * is left can always go on. One part of extra memory. */
static void swap_pairs(struct schedule *s, const struct places *both)
{
    struct coll_block spare = largest_scratch(s, both);

    for (int r = 0; r < s->size; r++) {
        struct coll_block theirs = block_place_of(both, r);
        struct coll_block mine = block_slice(spare, 0, theirs.count * theirs.type->size);

        if (r == s->rank)
            continue;
        if (mine.count)
            schedule_copy(s, theirs, mine);
        schedule_exchange(s, mine, r, theirs, r);
    }
}

static void alltoall_pairwise(struct schedule *s, const struct coll_call *call)
{
    if (call->places->is_in_place)
        swap_pairs(s, &call->places->to);
    else
        exchange_pairs(s, &call->places->from, &call->places->to);
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
        schedule_copy(s, is_out ? block : place, is_out ? place : block);
        at += each;
    }
    return at;
}

/* Block i is the one for the i-th rank behind. In round k all blocks with bit k of i set travel 2^k ranks on,
 * so that each arrives after as many rounds as it has bits. Half the blocks travel at a time. */
static void alltoall_bruck(struct schedule *s, const struct coll_call *call)
{
    const struct places *out = &call->places->from, *in = &call->places->to;
    struct datatype *byte = datatype_predefined(MPI_BYTE);
    MPI_Count each = in->each * in->type->size;
    struct coll_block blocks = schedule_scratch(s, each * s->size, byte);
    struct coll_block going = schedule_scratch(s, each * s->size, byte),
                      come = schedule_scratch(s, each * s->size, byte);

    if (s->error)
        each = 0;
    for (int i = 0; i < s->size; i++)
        schedule_copy(s, block_place_of(out, (s->rank + i) % s->size), block_slice(blocks, i * each, each));
    for (int bit = 1; bit < s->size; bit *= 2) {
        MPI_Count bytes = bruck_copy(s, bit, blocks, each, going, true);

        schedule_exchange(s, block_slice(going, 0, bytes), (s->rank + bit) % s->size,
                          block_slice(come, 0, bytes), (s->rank - bit + s->size) % s->size);
        bruck_copy(s, bit, blocks, each, come, false);
    }
    for (int i = 0; i < s->size; i++)
        schedule_copy(s, block_slice(blocks, i * each, each),
                      block_place_of(in, (s->rank - i + s->size) % s->size));
}

/* Each rank of the host gets what the others have for those that it speaks to; `out` has that in their order. Returns it by these, and for
 * each of them by the ranks of the host. */
static struct coll_block exchange_in_host(struct schedule *s, const struct counterparts *c,
                                          struct coll_block out, MPI_Count each)
{
    int size = c->local.size, me = c->local.me, count = host_counterparts_count(c);
    struct coll_block in = schedule_scratch(s, each * count * size, out.type),
                      turned = schedule_scratch(s, each * count * size, out.type);

    schedule_enter(s, c->local);
    for (int i = 0; i < size; i++) {
        int to = (me + i) % size, from = (me - i + size) % size;
        struct coll_block theirs = block_slice(in, from * count * each, count * each),
                          mine =
                              block_slice(out, c->begin[to] * each, (c->begin[to + 1] - c->begin[to]) * each);

        if (i == 0) {
            schedule_copy(s, mine, theirs);
            continue;
        }
        schedule_recv(s, theirs, from);
        schedule_send(s, mine, to);
    }
    schedule_wait(s);
    schedule_leave(s);
    for (int i = 0; i < size; i++)
        for (int d = 0; d < count; d++)
            schedule_copy(s, block_slice(in, (i * count + d) * each, each),
                          block_slice(turned, (d * size + i) * each, each));
    return turned;
}

/* Sends these on, and receives those for this rank, in the order by hosts. */
static void exchange_by_hosts(struct schedule *s, const struct counterparts *c, struct coll_block out,
                              struct coll_block in)
{
    const struct host_groups *hosts = c->hosts;
    int count = host_counterparts_count(c), next = 0;
    MPI_Count each = in.count / s->size;

    schedule_enter(s, host_counterparts_before(s, c));
    for (int i = 1; i < hosts->count; i++) {
        int h = (hosts->mine - i + hosts->count) % hosts->count;

        schedule_recv(s, block_slice(in, hosts->first[h] * each, host_groups_size(hosts, h) * each), h);
    }
    schedule_leave(s);
    while (host_counterparts_at(c, next) != s->rank)
        next++;
    for (int i = 0; i < count; i++, next = (next + 1) % count) {
        int to = host_counterparts_at(c, next);
        struct coll_block theirs =
            block_slice(out, (MPI_Count)next * c->local.size * each, c->local.size * each);

        if (to == s->rank)
            schedule_copy(s, theirs, block_slice(in, hosts->first[hosts->mine] * each, theirs.count));
        else
            schedule_send(s, theirs, to);
    }
    schedule_wait(s);
}

static void exchange_packed(struct schedule *s, const struct counterparts *c, struct coll_block out,
                            struct coll_block in)
{
    exchange_by_hosts(s, c, exchange_in_host(s, c, out, out.count / s->size), in);
}

/* What does not fit into slots, in the order of exchange_pairs. `slots`: what has come, by host. */
static void exchange_long(struct schedule *s, const struct places *out, struct coll_block slots,
                          const struct host_groups *hosts, const struct places *in)
{
    int *slot = schedule_ranks(s, s->size);

    for (int i = 0; i < s->size; i++)
        slot[host_groups_at(hosts, i)] = i;
    for (int i = 1; i < s->size; i++) {
        int to = (s->rank + i) % s->size, from = (s->rank - i + s->size) % s->size;

        schedule_unpack(s, packed_slot(slots, slot[from]), block_place_of(in, from), from);
        if (!packed_slot_holds(block_place_of(out, to)))
            schedule_send(s, block_place_of(out, to), to);
    }
    schedule_copy(s, block_place_of(out, s->rank), block_place_of(in, s->rank));
}

static void exchange_slots(struct schedule *s, const struct counterparts *c, const struct places *from,
                           const struct places *to)
{
    struct coll_block out = packed_slots(s, s->size), in = packed_slots(s, s->size);

    for (int i = 0; i < s->size; i++)
        packed_slot_put(s, block_place_of(from, c->to[i]), packed_slot(out, i));
    exchange_packed(s, c, out, in);
    exchange_long(s, from, in, c->hosts, to);
}

static void alltoall_hosts(struct schedule *s, const struct coll_call *call)
{
    const struct places *to = &call->places->to, *from = call->places->is_in_place ? to : &call->places->from;
    struct counterparts c;
    struct coll_block out, in;

    if (call->is_irregular && call->places->is_in_place) {
        alltoall_pairwise(s, call);
        return;
    }
    c = host_counterparts_of(s);
    if (call->is_irregular) {
        exchange_slots(s, &c, from, to);
        return;
    }
    out = schedule_scratch(s, (MPI_Count)block_bytes(call->out), datatype_predefined(MPI_BYTE));
    in = schedule_scratch(s, out.count, out.type);
    packed_put(s, from, c.to, s->size, out);
    exchange_packed(s, &c, out, in);
    packed_take(s, in, packed_order(s, c.hosts, host_groups_at(c.hosts, 0)), s->size, to);
}

static void alltoall_inter(struct schedule *s, const struct coll_call *call)
{
    inter_enter_remote(s);
    for (int r = 0; r < s->size; r++) {
        schedule_recv(s, block_place_of(&call->places->to, r), r);
        schedule_send(s, block_place_of(&call->places->from, r), r);
    }
}

/* Copies out the block of a rank for this one; of this rank's own, too. */
static void alltoall_take_block(struct shm_run *run, int rank)
{
    struct mailboxes *s = run->boxes;
    MPI_Count each = run->call->out.count / s->size;
    struct coll_block to = block_slice(run->call->out, rank * each, each);

    engine_take_block(run, rank, block_bytes(to) * (size_t)s->rank, to);
}

/* Its own block a rank copies while those of the others are in flight. */
static bool alltoall_put_blocks(struct shm_run *run)
{
    if (!engine_put_input(run))
        return false;
    if (!run->error && run->call->out.count)
        alltoall_take_block(run, run->boxes->rank);
    return true;
}

static void alltoall_take_blocks(struct shm_run *run)
{
    struct mailboxes *s = run->boxes;

    for (int i = 1, r = s->rank; i < s->size && run->call->out.count; i++) {
        r = r + 1 < s->size ? r + 1 : 0;
        alltoall_take_block(run, r);
    }
}

static const struct shm_step mailbox_steps[] = {
    {.way = WAY_ALL, .put = alltoall_put_blocks, .take = alltoall_take_blocks}};

static void alltoall_mailbox(struct shm_run *run)
{
    engine_set_steps(run, mailbox_steps, 1);
}

static bool alltoall_expose(struct shm_run *run)
{
    return single_copy_expose(run,
                              USE_INPUT | USE_RESULT | (single_copy_is_in_place(run->call) ? USE_SWAP : 0));
}

static int alltoall_copy_block(const struct single_copy *c, int rank)
{
    const struct coll_call *call = c->run->call;
    size_t each = call->bytes / (size_t)c->size;
    bool is_in_place = single_copy_is_in_place(call);

    if (is_in_place && rank == c->rank)
        return MPI_SUCCESS;
    if ((is_in_place && !c->run->in_bounces) || c->result[rank].address)
        return single_copy_swap(c, rank, each);
    return single_copy_take(c, rank, (size_t)c->rank * each, (size_t)rank * each, each);
}

static int alltoall_copy_each(const struct single_copy *c)
{
    return single_copy_each(c, alltoall_copy_block);
}

static void alltoall_copy_blocks(struct shm_run *run)
{
    single_copy_move(run, alltoall_copy_each);
}

static const struct shm_step copy_steps[] = {
    {.way = WAY_ALL, .put = alltoall_expose, .take = alltoall_copy_blocks, .due = single_copy_due},
    {.way = WAY_ALL, .put = engine_put_nothing, .take = engine_take_nothing, .due = engine_due_nothing},
};

static void alltoall_single_copy(struct shm_run *run)
{
    engine_set_steps(run, copy_steps, 2);
}

int coll_alltoall(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                  MPI_Count recvcount, struct datatype *recvtype, struct comm *comm, enum form form,
                  struct info *info, struct request **request)
{
    struct coll_places places = {.from = {.base = sendbuf, .each = sendcount, .type = sendtype},
                                 .to = {.base = recvbuf, .each = recvcount, .type = recvtype},
                                 .is_in_place = sendbuf == MPI_IN_PLACE};
    struct coll_call call = {.list = &alltoall_list, .places = &places};
    int ranks = comm_peer_count(comm), error = block_of_all(recvbuf, recvcount, ranks, recvtype, &call.out);

    call.in = call.out;
    if (!error && !places.is_in_place)
        error = block_of_all(sendbuf, sendcount, ranks, sendtype, &call.in);
    if (error)
        return error;
    call.bytes = block_bytes(call.out);
    return dispatch_call(comm, &call, form, info, request);
}

int coll_alltoallv(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   struct datatype *sendtype, void *recvbuf, struct counts recvcounts, struct counts rdispls,
                   struct datatype *recvtype, struct comm *comm, enum form form, struct info *info,
                   struct request **request)
{
    struct coll_places places = {
        .from = {.base = sendbuf, .counts = sendcounts, .displs = sdispls, .type = sendtype},
        .to = {.base = recvbuf, .counts = recvcounts, .displs = rdispls, .type = recvtype},
        .is_in_place = sendbuf == MPI_IN_PLACE};
    struct coll_call call = {.list = &alltoall_list, .places = &places, .is_irregular = true};

    return dispatch_call(comm, &call, form, info, request);
}

/* The entry point has checked that all types are valid. */
static void find_types(const MPI_Datatype handles[], struct datatype **types, int count)
{
    for (int i = 0; i < count; i++)
        types[i] = datatype_find(handles[i]);
}

int coll_alltoallw(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   const MPI_Datatype sendtypes[], void *recvbuf, struct counts recvcounts,
                   struct counts rdispls, const MPI_Datatype recvtypes[], struct comm *comm, enum form form,
                   struct info *info, struct request **request)
{
    int n = comm_peer_count(comm), error;
    struct datatype **types = malloc(2 * (size_t)n * sizeof *types);
    struct coll_places places;
    struct coll_call call = {.list = &alltoall_list, .places = &places, .is_irregular = true};

    if (!types)
        return fail(MPI_ERR_NO_MEM, "no memory for the datatypes of %d ranks", n);
    if (sendbuf != MPI_IN_PLACE)
        find_types(sendtypes, types, n);
    find_types(recvtypes, types + n, n);
    places = (struct coll_places){
        .from = {.base = sendbuf, .counts = sendcounts, .displs = sdispls, .types = types},
        .to = {.base = recvbuf, .counts = recvcounts, .displs = rdispls, .types = types + n},
        .is_in_place = sendbuf == MPI_IN_PLACE};
    error = dispatch_call(comm, &call, form, info, request);
    free(types);
    return error;
}

/* The rows of the table. gen/coll_rows.py copies all that follows, without builders and plans, for `inkling coll` and the hint rows. */
enum {
    MAILBOX,
    SINGLE_COPY,
    BRUCK,
    HOSTS,
    PAIRWISE
};

static const struct choice_algorithm algorithms[] = {
    [MAILBOX] = {"mailbox", TRAIT_MAILBOX, "through memory that the ranks of a host share",
                 .plan = alltoall_mailbox},
    [SINGLE_COPY] = {"single_copy", TRAIT_SINGLE_COPY, "ranks of a host copy out of each other's buffers",
                     .plan = alltoall_single_copy},
    [BRUCK] = {"bruck", TRAIT_EQUAL | TRAIT_OUT_OF_PLACE, "log2(ranks) rounds of packed blocks",
               .build = alltoall_bruck},
    [HOSTS] = {"hosts", TRAIT_HOSTS,
               "each rank of a host hands on what all of its host have for some ranks of others",
               .build = alltoall_hosts},
    [PAIRWISE] = {"pairwise", 0, "in round i with the i-th ranks behind and before",
                  .build = alltoall_pairwise},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, 4 * KIB, 2, 2},
    {MAILBOX, 0, 32 * KIB, 3, 5},
    {MAILBOX, 0, 64 * KIB, 6, 16},
    {MAILBOX, 0, 256 * KIB, 17, 64},
    {SINGLE_COPY, 16 * KIB, SIZE_MAX, 2, 5},
    {SINGLE_COPY, 64 * KIB, SIZE_MAX, 6, 64},
    {HOSTS, 0, 8 * KIB, 5, 16}, /* these: docs/SCALE.md */
    {HOSTS, 0, 32 * KIB, 17, 64},
    {HOSTS, 0, 64 * KIB, 65, 255},
    {HOSTS, 0, 128 * KIB, 256, 1023}, /* from here on so much a rank */
    {HOSTS, 0, 512 * KIB, 1024, 4095},
    {HOSTS, 0, 2 * MIB, 4096, 16383},
    {HOSTS, 0, 8 * MIB, 16384, INT_MAX},
    {HOSTS, SIZE_MAX, SIZE_MAX, 33, INT_MAX}, /* of blocks of several lengths */
    {BRUCK, 0, 32 * KIB, 65, 255},
    {BRUCK, 0, 128 * KIB, 256, 1023},
    {BRUCK, 0, 512 * KIB, 1024, 4095},
    {BRUCK, 0, 2 * MIB, 4096, 16383},
    {BRUCK, 0, 8 * MIB, 16384, INT_MAX},
    {PAIRWISE, 0, SIZE_MAX, 1, INT_MAX},
};

const struct choice_list alltoall_list = {.name = "alltoall",
                                          .collective = COLL_ALLTOALL,
                                          .algorithm = algorithms,
                                          .algorithms = sizeof algorithms / sizeof *algorithms,
                                          .rule = rules,
                                          .rules = sizeof rules / sizeof *rules,
                                          .inter = alltoall_inter};
