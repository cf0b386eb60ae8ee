#include "coll/coll.h"

#include "coll/algo/algorithm.h"
#include "coll/algo/in_host.h"
#include "coll/algo/packed.h"
#include "coll/dispatch.h"
#include "coll/shm/engine.h"
#include "coll/shm/single_copy.h"

#include <limits.h>
#include <stdint.h>

enum {
    LEADERS_BRUCK = 64 * 1024, /* bytes of all, up to which leaders double what they have */
    LEADERS_EACH = 16 * 1024,  /* or so many of each host */
    RING_RANKS = 33,           /* so many ranks go round a ring from ... */
    RING_EACH = 1024,          /* ... so many bytes of each of them on, and ... */
    RING_HOST = 10 * 1024,     /* ... so many of each host */
    PACKED_MOST = 1024 * 1024  /* bytes of all, up to which they are packed */
};

/* Before all else this rank's block goes to its place. */
static const struct places *put_own(struct schedule *s, const struct coll_call *call)
{
    const struct places *all = &call->places->to;

    schedule_keep(s, call->in, block_place_of(all, s->rank));
    return all;
}

static void allgather_ring(struct schedule *s, const struct coll_call *call)
{
    pieces_gather(s, call->in, &call->places->to);
}

/* Round k doubles what a rank has: `have` blocks, its own first, then those of the ranks behind it. They
 * are collected in that order and turned round at the end. log2(n) rounds for any n. */
static void allgather_bruck(struct schedule *s, const struct coll_call *call)
{
    const struct places *all = put_own(s, call);
    struct datatype *type = all->type;
    struct coll_block tmp = schedule_scratch(s, all->each * s->size, type);
    MPI_Count unit = tmp.at ? all->each : 0; /* 0: no memory, or nothing to move */

    schedule_copy(s, block_at(all->base, s->rank * unit, unit, type), block_at(tmp.at, 0, unit, type));
    for (int have = 1; have < s->size; have *= 2) {
        int more = have < s->size - have ? have : s->size - have;

        schedule_exchange(s, block_at(tmp.at, 0, more * unit, type), (s->rank - have + s->size) % s->size,
                          block_at(tmp.at, have * unit, more * unit, type), (s->rank + have) % s->size);
    }
    schedule_copy(s, block_at(tmp.at, 0, (s->size - s->rank) * unit, type),
                  block_at(all->base, s->rank * unit, (s->size - s->rank) * unit, type));
    schedule_copy(s, block_at(tmp.at, (s->size - s->rank) * unit, s->rank * unit, type),
                  block_at(all->base, 0, s->rank * unit, type));
}

/* Rank `to` gets the blocks of the ranks from `first` to below `end`, except its own. */
static void send_blocks(struct schedule *s, const struct places *all, int first, int end, int to)
{
    for (int r = first; r < end; r++)
        schedule_send(s, block_place_of(all, r), to);
}

static void recv_blocks(struct schedule *s, const struct places *all, int first, int end, int from)
{
    for (int r = first; r < end; r++)
        schedule_recv(s, block_place_of(all, r), from);
}

/* Equal blocks are one message. Others are one each: what lies between them is not ours. */
static struct coll_block all_blocks(const struct schedule *s, const struct places *all)
{
    return block_at(all->base, 0, all->each * s->size, all->type);
}

static void star_bcast(struct schedule *s, const struct places *all, bool is_equal)
{
    if (s->rank && is_equal)
        schedule_recv(s, all_blocks(s, all), 0);
    else if (s->rank)
        recv_blocks(s, all, 0, s->size, 0);
    for (int r = 1; s->rank == 0 && r < s->size; r++) {
        if (is_equal)
            schedule_send(s, all_blocks(s, all), r);
        else
            send_blocks(s, all, 0, s->size, r);
    }
}

static void allgather_star(struct schedule *s, const struct coll_call *call)
{
    const struct places *all = put_own(s, call);

    if (s->rank)
        schedule_send(s, block_place_of(all, s->rank), 0);
    for (int r = 1; s->rank == 0 && r < s->size; r++)
        schedule_recv(s, block_place_of(all, r), r);
    schedule_wait(s); /* what is sent is also received into */
    star_bcast(s, all, !call->is_irregular);
}

/* Two ranks are a pair; `pair` of them, counted round the ring. */
static void pair_send(struct schedule *s, const struct places *all, int pair, int to)
{
    int first = (pair + s->size) % (s->size / 2) * 2;

    send_blocks(s, all, first, first + 2, to);
}

static void pair_recv(struct schedule *s, const struct places *all, int pair, int from)
{
    int first = (pair + s->size) % (s->size / 2) * 2;

    recv_blocks(s, all, first, first + 2, from);
}

/* Which pair's blocks a rank of `pair` has learnt in a round: first its own, then those on its outer side and
 * those that its partner has learnt there, in turn, ever farther away. */
static int learnt(int pair, int round, int outward)
{
    return pair + (round % 2 ? outward : -outward) * ((round + 1) / 2);
}

/* Every rank speaks with its partner and with its neighbour on the outer side in turn, and tells what it has
 * learnt in the round before. n/2 rounds. */
static void allgather_neighbour(struct schedule *s, const struct coll_call *call)
{
    const struct places *all = put_own(s, call);
    int outward = s->rank % 2 ? 1 : -1, pair = s->rank / 2;
    int outer = (s->rank + outward + s->size) % s->size, partner = s->rank - outward;

    schedule_exchange(s, block_place_of(all, s->rank), partner, block_place_of(all, partner), partner);
    for (int round = 1; round < s->size / 2; round++) {
        int peer = round % 2 ? outer : partner;

        pair_recv(s, all, learnt(pair, round, outward), peer);
        pair_send(s, all, learnt(pair, round - 1, outward), peer);
        schedule_wait(s);
    }
}

/* Everybody sends to everybody at once. Ranks start in the same order, so the limit of a round is safe. */
static void allgather_linear(struct schedule *s, const struct coll_call *call)
{
    const struct places *all = put_own(s, call);

    for (int i = 1; i < s->size; i++) {
        int from = (s->rank - i + s->size) % s->size;

        schedule_recv(s, block_place_of(all, from), from);
        schedule_send(s, block_place_of(all, s->rank), (s->rank + i) % s->size);
    }
}

/* Hosts take as positions what they have: `first[h]` is where it begins in `whole`. */
static struct coll_block part_of_hosts(struct coll_block whole, const MPI_Count *first, int from, int end)
{
    return block_slice(whole, first[from], first[end] - first[from]);
}

/* Leaders exchange the parts of their hosts round a ring, each where it is to be. */
static void ring_of_leaders(struct schedule *s, struct coll_block whole, const MPI_Count *first)
{
    int next = (s->rank + 1) % s->size, previous = (s->rank - 1 + s->size) % s->size;

    for (int step = 0; step < s->size - 1; step++) {
        int out = (s->rank - step + s->size) % s->size, in = (out - 1 + s->size) % s->size;

        schedule_exchange(s, part_of_hosts(whole, first, out, out + 1), next,
                          part_of_hosts(whole, first, in, in + 1), previous);
    }
}

/* As allgather_bruck, of parts of different lengths. */
static void bruck_of_leaders(struct schedule *s, struct coll_block whole, const MPI_Count *first)
{
    struct packed p = {.type = whole.type, .first = first};
    struct coll_block tmp = schedule_scratch(s, whole.count, whole.type),
                      behind = part_of_hosts(whole, first, s->rank, s->size),
                      before = part_of_hosts(whole, first, 0, s->rank);

    schedule_copy(s, part_of_hosts(whole, first, s->rank, s->rank + 1),
                  block_slice(tmp, 0, packed_upto(s, &p, s->rank, 1)));
    for (int have = 1; have < s->size; have *= 2) {
        int more = have < s->size - have ? have : s->size - have, to = (s->rank - have + s->size) % s->size;
        MPI_Count at = packed_upto(s, &p, s->rank, have);

        schedule_exchange(s, block_slice(tmp, 0, packed_upto(s, &p, s->rank, more)), to,
                          block_slice(tmp, at, packed_upto(s, &p, s->rank, have + more) - at),
                          (s->rank + have) % s->size);
    }
    schedule_copy(s, block_slice(tmp, 0, behind.count), behind);
    schedule_copy(s, block_slice(tmp, behind.count, before.count), before);
}

/* Where the blocks of the ranks begin, by host: in items, or packed. */
static MPI_Count *find_parts(struct schedule *s, const struct places *all, const struct host_groups *hosts,
                             bool is_packed)
{
    MPI_Count *first = schedule_offsets(s, s->size + 1);

    first[0] = 0;
    for (int i = 0; i < s->size; i++) {
        struct coll_block block = block_place_of(all, host_groups_at(hosts, i));

        first[i + 1] = first[i] + (is_packed ? (MPI_Count)block_bytes(block) : block.count);
    }
    return first;
}

/* A step of the ring takes a latency, which few bytes of each host are not worth. */
static size_t leaders_bruck_most(int hosts)
{
    size_t most = (size_t)hosts * LEADERS_EACH;

    return most > LEADERS_BRUCK ? most : LEADERS_BRUCK;
}

static void exchange_of_leaders(struct schedule *s, const struct host_groups *hosts, struct coll_block whole,
                                const MPI_Count *first)
{
    MPI_Count *begin = schedule_offsets(s, hosts->count + 1);

    for (int h = 0; h <= hosts->count; h++)
        begin[h] = first[hosts->first[h]];
    if (block_bytes(whole) <= leaders_bruck_most(hosts->count))
        bruck_of_leaders(s, whole, begin);
    else
        ring_of_leaders(s, whole, begin);
}

/* `whole`: the blocks of all ranks by host, of which this rank's own is to be filled. */
static void gather_by_hosts(struct schedule *s, const struct coll_call *call, const struct host_groups *hosts,
                            struct coll_block whole, const MPI_Count *first)
{
    struct schedule_team local = host_groups_local(hosts, s->rank),
                         leaders = host_groups_leaders(s, hosts, -1);
    int near = hosts->first[hosts->mine], far = hosts->first[hosts->mine + 1];
    struct packed parts = {.type = whole.type, .first = first + near};
    struct coll_call bcast = *call; /* of the whole, in the host */
    struct in_host host;

    bcast.bytes = (size_t)first[s->size] * (size_t)whole.type->size;
    in_host_open(&host, s, &bcast, local, 0);
    schedule_enter(s, local);
    packed_gather(s, &parts, call->in, block_slice(whole, first[near], first[far] - first[near]), 0);
    if (leaders.me >= 0) {
        schedule_enter(s, leaders);
        exchange_of_leaders(s, hosts, whole, first);
    }
    schedule_leave(s);
    in_host_bcast(&host, whole);
    in_host_close(&host);
}

static bool ring_is_faster(const struct schedule *s, const struct host_groups *hosts, size_t bytes)
{
    return s->size >= RING_RANKS && bytes >= RING_EACH * (size_t)s->size &&
           bytes >= RING_HOST * (size_t)hosts->count;
}

/* Blocks are packed unless they lie as they are exchanged. */
static void allgather_hosts(struct schedule *s, const struct coll_call *call)
{
    const struct places *all = &call->places->to;
    const struct host_groups *hosts = host_groups_of(s->comm);
    bool is_packed = call->is_irregular || hosts->member;
    const MPI_Count *first = find_parts(s, all, hosts, is_packed);
    struct coll_block whole = all_blocks(s, all);
    size_t bytes = (size_t)first[s->size] * (size_t)(is_packed ? 1 : all->type->size);

    if ((is_packed && bytes > PACKED_MOST) || ring_is_faster(s, hosts, bytes)) {
        allgather_ring(s, call);
        return;
    }
    if (is_packed)
        whole = schedule_scratch(s, first[s->size], datatype_predefined(MPI_BYTE));
    gather_by_hosts(s, call, hosts, whole, first);
    for (int i = 0; is_packed && whole.count && i < s->size; i++)
        schedule_copy(s, block_slice(whole, first[i], first[i + 1] - first[i]),
                      block_place_of(all, host_groups_at(hosts, i)));
}

static void allgather_mailbox_tree(struct schedule *s, const struct coll_call *call)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE);
    MPI_Count each = (MPI_Count)call->bytes;
    struct coll_block whole = schedule_scratch(s, each * s->size, byte);
    struct in_host host;

    in_host_open_all(&host, s, call, 0);
    in_host_gather(&host, call->in, byte, each, whole);
    in_host_bcast(&host, whole);
    in_host_close(&host);
    packed_take(s, whole, in_host_order(&host), s->size, &call->places->to);
}

/* Both groups count upwards, so rounds cannot block each other: the pair of ranks with the smallest sum that
 * is left can always go on. */
static void allgather_inter(struct schedule *s, const struct coll_call *call)
{
    inter_enter_remote(s);
    for (int r = 0; r < s->size; r++) {
        schedule_recv(s, block_place_of(&call->places->to, r), r);
        schedule_send(s, call->in, r);
    }
}

static struct coll_block allgather_block_from(const struct shm_run *run, int rank)
{
    const struct coll_call *call = run->call;
    MPI_Count each = call->out.count / run->boxes->size;

    return call->is_irregular ? block_place_of(&call->places->to, rank)
                              : block_slice(call->out, rank * each, each);
}

/* Copies out the block of a rank, unless it is in its place. */
static void allgather_take_block(struct shm_run *run, int rank)
{
    const struct coll_call *call = run->call;
    struct coll_block to = allgather_block_from(run, rank);

    if (rank != run->boxes->rank || call->in.at != to.at || call->in.type != to.type)
        engine_take_block(run, rank, 0, to);
}

/* Its own block a rank copies while those of the others are in flight. */
static bool allgather_put_block(struct shm_run *run)
{
    if (!engine_put_input(run))
        return false;
    if (!run->error && run->call->out.count)
        allgather_take_block(run, run->boxes->rank);
    return true;
}

static void allgather_take_blocks(struct shm_run *run)
{
    struct mailboxes *s = run->boxes;

    for (int i = 1, r = s->rank; i < s->size && run->call->out.count; i++) {
        r = r + 1 < s->size ? r + 1 : 0;
        allgather_take_block(run, r);
    }
}

static size_t allgather_block_due(const struct shm_run *run, int rank)
{
    return block_bytes(allgather_block_from(run, rank));
}

static const struct shm_step equal_steps[] = {
    {.way = WAY_ALL, .put = allgather_put_block, .take = allgather_take_blocks}};
static const struct shm_step unequal_steps[] = {
    {.way = WAY_ALL, .put = allgather_put_block, .take = allgather_take_blocks, .due = allgather_block_due}};

static void allgather_mailbox(struct shm_run *run)
{
    engine_set_steps(run, run->call->is_irregular ? unequal_steps : equal_steps, 1);
}

static bool allgather_expose(struct shm_run *run)
{
    return single_copy_expose(run, USE_INPUT | USE_RESULT);
}

static int allgather_copy_block(const struct single_copy *c, int rank)
{
    size_t each = c->run->call->bytes;

    return single_copy_take(c, rank, 0, (size_t)rank * each, each);
}

static int allgather_copy_each(const struct single_copy *c)
{
    return single_copy_each(c, allgather_copy_block);
}

static void allgather_copy_blocks(struct shm_run *run)
{
    single_copy_move(run, allgather_copy_each);
}

static const struct shm_step copy_steps[] = {
    {.way = WAY_ALL, .put = allgather_expose, .take = allgather_copy_blocks, .due = single_copy_due},
    {.way = WAY_ALL, .put = engine_put_nothing, .take = engine_take_nothing, .due = engine_due_nothing},
};

static void allgather_single_copy(struct shm_run *run)
{
    engine_set_steps(run, copy_steps, 2);
}

int coll_allgather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                   MPI_Count recvcount, struct datatype *recvtype, struct comm *comm, enum form form,
                   struct info *info, struct request **request)
{
    struct coll_places places = {
        .to = {.base = recvbuf, .each = recvtype->size ? recvcount : 0, .type = recvtype}};
    struct coll_block place = block_place_of(&places.to, comm->rank);
    struct coll_call call = {.list = &allgather_list,
                             .in = sendbuf == MPI_IN_PLACE ? place : block_of(sendbuf, sendcount, sendtype),
                             .bytes = block_bytes(place),
                             .places = &places};
    int error = block_of_all(recvbuf, recvcount, comm_peer_count(comm), recvtype, &call.out);

    return error ? error : dispatch_call(comm, &call, form, info, request);
}

int coll_allgatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                    struct counts recvcounts, struct counts displs, struct datatype *recvtype,
                    struct comm *comm, enum form form, struct info *info, struct request **request)
{
    struct coll_places places = {
        .to = {.base = recvbuf, .counts = recvcounts, .displs = displs, .type = recvtype}};
    struct coll_call call = {.list = &allgather_list,
                             .in = sendbuf == MPI_IN_PLACE ? block_place_of(&places.to, comm->rank)
                                                           : block_of(sendbuf, sendcount, sendtype),
                             .out = block_of(recvbuf, 0, recvtype),
                             .places = &places,
                             .is_irregular = true};

    if (!comm_is_inter(comm)) {
        call.bytes = block_bytes(block_place_of(&places.to, comm->rank));
        call.out.count = block_places_count(&places.to, comm->size);
    }
    return dispatch_call(comm, &call, form, info, request);
}

int coll_allgather_bytes(struct comm *comm, const void *mine, void *all, size_t size)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE);

    return coll_allgather(mine, (MPI_Count)size, byte, all, (MPI_Count)size, byte, comm, FORM_BLOCKING, NULL,
                          NULL);
}

/* The rows of the table. gen/coll_rows.py copies all that follows, without builders and plans, for `inkling coll` and the hint rows. */
enum {
    MAILBOX,
    SINGLE_COPY,
    STAR,
    BRUCK,
    NEIGHBOUR,
    LINEAR,
    HOSTS,
    MAILBOX_TREE,
    RING
};

static const struct choice_algorithm algorithms[] = {
    [MAILBOX] = {"mailbox", TRAIT_MAILBOX, "through memory that the ranks of a host share",
                 .plan = allgather_mailbox},
    [SINGLE_COPY] = {"single_copy", TRAIT_SINGLE_COPY, "ranks of a host copy out of each other's buffers",
                     .plan = allgather_single_copy},
    [STAR] = {"star", 0, "rank 0 gathers and sends everything to all", .build = allgather_star},
    [BRUCK] = {"bruck", TRAIT_EQUAL, "log2(ranks) rounds that double what a rank has",
               .build = allgather_bruck},
    [NEIGHBOUR] = {"neighbour", TRAIT_EVEN, "exchanges with the neighbours in turn, two blocks at a time",
                   .build = allgather_neighbour},
    [LINEAR] = {"linear", 0, "everybody sends to everybody at once", .build = allgather_linear},
    [HOSTS] = {"hosts", TRAIT_HOSTS,
               "leaders gather what their hosts have, exchange and broadcast it; many bytes: as ring",
               .build = allgather_hosts},
    [MAILBOX_TREE] = {"mailbox_tree", TRAIT_TREE,
                      "up and down a tree of the ranks of a host, in its memory; few bytes",
                      .build = allgather_mailbox_tree},
    [RING] = {"ring", 0, "blocks travel round a ring", .build = allgather_ring},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, 4 * KIB, 2, 2},
    {MAILBOX, 0, 64 * KIB, 3, 5},
    {MAILBOX, 0, 512 * KIB, 6, 16},
    {MAILBOX, 0, 2 * MIB, 17, 64},
    {SINGLE_COPY, 16 * KIB, SIZE_MAX, 2, 2},
    {SINGLE_COPY, 64 * KIB, SIZE_MAX, 3, 64},
    {MAILBOX_TREE, 0, SIZE_MAX, 65, 1024},
    {RING, 0, SIZE_MAX, 1, 2},
    {HOSTS, 0, SIZE_MAX, 2, INT_MAX}, /* this and what is for more than 32 ranks: docs/SCALE.md */
    {STAR, 0, 8 * KIB, 3, 16},
    {BRUCK, 0, 256 * KIB, 3, 32},
    {BRUCK, 0, 2 * MIB, 33, 128},
    {BRUCK, 0, 8 * MIB, 129, 512},
    {BRUCK, 0, 32 * MIB, 513, 2047},
    {BRUCK, 0, SIZE_MAX, 2048, INT_MAX},
    {LINEAR, 0, 8 * KIB, 3, INT_MAX},
    {RING, 0, SIZE_MAX, 3, INT_MAX},
};

const struct choice_list allgather_list = {.name = "allgather",
                                           .collective = COLL_ALLGATHER,
                                           .algorithm = algorithms,
                                           .algorithms = sizeof algorithms / sizeof *algorithms,
                                           .rule = rules,
                                           .rules = sizeof rules / sizeof *rules,
                                           .inter = allgather_inter};
