#include "coll/coll.h"

#include "coll/algo/algorithm.h"
#include "coll/algo/host_groups.h"
#include "coll/algo/in_host.h"
#include "coll/dispatch.h"
#include "coll/shm/engine.h"
#include "coll/shm/single_copy.h"

#include <limits.h>
#include <stdint.h>

enum {
    IN_HOST_BRUCK = 64 * 1024, /* bytes of a vector, up to which it goes in few messages in a host, ... */
    BETWEEN_BRUCK = 16 * 1024 * 1024, /* ... and between hosts, ... */
    HOSTS_BRUCK = 5                   /* ... if these are so many at least */
};

/* Rank 0 combines everything and gives each rank its piece. */
static void combine_and_scatter(struct schedule *s, const struct places *input, struct coll_block piece)
{
    MPI_Count count = block_places_count(input, s->size);
    struct coll_block vector = block_at(input->base, 0, count, input->type), whole = {NULL, 0, input->type};
    struct places pieces;

    if (s->rank) {
        tree_reduce(s, vector, whole, 0);
        schedule_recv(s, piece, 0);
        return;
    }
    whole = schedule_scratch(s, count, input->type);
    tree_reduce(s, vector, whole, 0);
    pieces = block_places_in(input, whole.at);
    for (int r = 1; r < s->size; r++)
        schedule_send(s, whole.count ? block_place_of(&pieces, r) : whole, r);
    if (whole.count)
        schedule_copy(s, block_place_of(&pieces, 0), piece);
}

/* Each piece of all ranks' inputs goes to its owner, who combines them. */
static void scatter_and_combine(struct schedule *s, const struct places *input, struct coll_block piece)
{
    struct coll_block mine = block_place_of(input, s->rank);
    struct vectors others = schedule_vectors(s, s->size - 1, mine.count, mine.type);

    for (int i = 1; i < s->size; i++) {
        int to = (s->rank + i) % s->size, from = (s->rank - i + s->size) % s->size;

        schedule_recv(s, star_vector_of(s, &others, from, mine.count), from);
        schedule_send(s, block_place_of(input, to), to);
    }
    schedule_wait(s);
    star_combine(s, mine, &others, piece);
}

/* Few bytes go in few messages. */
static void combine_few_or_many(struct schedule *s, const struct places *input, struct coll_block piece)
{
    size_t bytes = (size_t)block_places_count(input, s->size) * (size_t)input->type->size;

    if (bytes <= IN_HOST_BRUCK)
        pieces_bruck(s, input, piece);
    else
        pieces_pairwise(s, input, piece);
}

/* Combines in each host the pieces that each of its ranks hands on; these go by in the order of `c`, and begin at `first`. */
static struct coll_block combine_in_host(struct schedule *s, const struct counterparts *c,
                                         const struct places *input, const MPI_Count *first)
{
    int size = c->local.size;
    MPI_Count all = first[s->size];
    struct coll_block sorted = schedule_scratch(s, all, input->type), sums;
    MPI_Count *count = schedule_offsets(s, size);
    struct places pieces = {.base = sorted.at, .type = input->type, .counts = {.wide = count}};

    for (int i = 0; sorted.count && i < s->size; i++)
        schedule_copy(s, block_place_of(input, c->to[i]),
                      block_slice(sorted, first[i], first[i + 1] - first[i]));
    for (int p = 0; p < size; p++)
        count[p] = sorted.count ? first[c->begin[p + 1]] - first[c->begin[p]] : 0;
    sums = schedule_scratch(s, count[c->local.me], input->type);
    schedule_enter(s, c->local);
    combine_few_or_many(s, &pieces, sums);
    schedule_wait(s);
    schedule_leave(s);
    return sums;
}

/* The counterparts hand the sums on among themselves. */
static void combine_among_counterparts(struct schedule *s, const struct counterparts *c,
                                       struct coll_block sums, const MPI_Count *first,
                                       struct coll_block piece)
{
    int begin = c->begin[c->local.me], hosts = c->hosts->count;
    MPI_Count *count = schedule_offsets(s, hosts);
    struct places pieces = {.base = sums.at, .type = sums.type, .counts = {.wide = count}};

    for (int h = 0; h < hosts; h++)
        count[h] = sums.count ? first[begin + h + 1] - first[begin + h] : 0;
    schedule_enter(s, host_counterparts_before(s, c));
    pieces_bruck(s, &pieces, piece);
    schedule_leave(s);
}

/* Sends them on, and combines what comes for this rank. */
static void combine_from_hosts(struct schedule *s, const struct counterparts *c, struct coll_block sums,
                               const MPI_Count *first, struct coll_block piece)
{
    struct schedule_team before = host_counterparts_before(s, c);
    int begin = c->begin[c->local.me], count = host_counterparts_count(c);
    struct vectors others;
    struct coll_block mine = {NULL, 0, sums.type};

    schedule_enter(s, before);
    others = schedule_vectors(s, before.size - 1, piece.count, piece.type);
    for (int i = 1; i < before.size; i++) {
        int from = (before.me - i + before.size) % before.size;

        schedule_recv(s, star_vector_of(s, &others, from, piece.count), from);
    }
    schedule_leave(s);
    for (int i = begin; i < begin + count; i++) {
        struct coll_block theirs = block_slice(sums, first[i] - first[begin], first[i + 1] - first[i]);

        if (c->to[i] == s->rank)
            mine = theirs;
        else
            schedule_send(s, theirs, c->to[i]);
    }
    schedule_wait(s);
    schedule_enter(s, before);
    star_combine(s, mine, &others, piece);
    schedule_leave(s);
}

/* As long as the rounds of few messages take less than all of them at once. */
static bool bruck_is_faster(const struct counterparts *c, size_t bytes)
{
    return c->hosts->count >= HOSTS_BRUCK && bytes <= BETWEEN_BRUCK && host_groups_are_equal(c->hosts);
}

static void combine_by_hosts(struct schedule *s, const struct places *input, struct coll_block piece)
{
    struct counterparts c = host_counterparts_of(s);
    MPI_Count *first = schedule_offsets(s, s->size + 1);
    struct coll_block sums;

    first[0] = 0;
    for (int i = 0; i < s->size; i++)
        first[i + 1] = first[i] + block_place_count(input, c.to[i]);
    sums = combine_in_host(s, &c, input, first);
    if (bruck_is_faster(&c, (size_t)first[s->size] * (size_t)input->type->size))
        combine_among_counterparts(s, &c, sums, first, piece);
    else
        combine_from_hosts(s, &c, sums, first, piece);
}

/* In place the piece lies in the input, so it is made elsewhere. */
static void build_piece(struct schedule *s, const struct coll_call *call,
                        void build(struct schedule *s, const struct places *input, struct coll_block piece))
{
    struct coll_block piece = call->out;

    if (call->places->is_in_place)
        piece = schedule_scratch(s, piece.count, piece.type);
    build(s, &call->places->from, piece);
    schedule_wait(s);
    if (piece.at != call->out.at)
        schedule_copy(s, piece, call->out);
}

static void reduce_scatter_tree(struct schedule *s, const struct coll_call *call)
{
    build_piece(s, call, combine_and_scatter);
}

/* The whole of the vectors, up and down. */
static void reduce_scatter_mailbox_tree(struct schedule *s, const struct coll_call *call)
{
    struct coll_block whole = schedule_scratch(s, call->in.count, call->in.type);
    struct in_host host;

    in_host_open(&host, s, call, in_host_all(s), 0);
    in_host_reduce(&host, call->in, whole);
    in_host_bcast(&host, whole);
    in_host_close(&host);
    if (whole.count)
        schedule_copy(s, block_slice(whole, call->first, call->out.count), call->out);
}

static void reduce_scatter_pairwise(struct schedule *s, const struct coll_call *call)
{
    build_piece(s, call, pieces_pairwise);
}

static void reduce_scatter_bruck(struct schedule *s, const struct coll_call *call)
{
    build_piece(s, call, pieces_bruck);
}

static void reduce_scatter_linear(struct schedule *s, const struct coll_call *call)
{
    build_piece(s, call, scatter_and_combine);
}

static void reduce_scatter_hosts(struct schedule *s, const struct coll_call *call)
{
    build_piece(s, call, combine_by_hosts);
}

/* Rank 0 swaps with the other group's, and gives each rank of its own its piece. */
static void swap_and_scatter(struct schedule *s, struct coll_block sum, const struct places *pieces,
                             struct coll_block piece)
{
    struct coll_block theirs = schedule_scratch(s, sum.count, sum.type);
    struct places parts = block_places_in(pieces, theirs.at);

    inter_enter_remote(s);
    schedule_exchange(s, sum, 0, theirs, 0);
    inter_enter_local(s);
    for (int r = 1; r < s->size; r++)
        schedule_send(s, theirs.count ? block_place_of(&parts, r) : theirs, r);
    if (theirs.count)
        schedule_copy(s, block_place_of(&parts, 0), piece);
}

static void reduce_scatter_inter(struct schedule *s, const struct coll_call *call)
{
    struct coll_block sum = inter_combine_local(s, call->in);

    if (s->owner->rank == 0)
        swap_and_scatter(s, sum, &call->places->from, call->out);
    else
        schedule_recv(s, call->out, 0);
}

static void reduce_scatter_combine_piece(struct shm_run *run)
{
    engine_combine(run, run->boxes->size - 1, run->call->first, run->call->out, NULL);
}

static const struct shm_step mailbox_steps[] = {
    {.way = WAY_ALL, .put = engine_put_input, .take = reduce_scatter_combine_piece}};

static void reduce_scatter_mailbox(struct shm_run *run)
{
    engine_set_steps(run, mailbox_steps, 1);
}

static bool reduce_scatter_expose(struct shm_run *run)
{
    return single_copy_expose(run, USE_INPUT | USE_RESULT | USE_READ_ON);
}

static int reduce_scatter_combine_own(const struct single_copy *c)
{
    const struct coll_call *call = c->run->call;
    size_t begin = (size_t)call->first * (size_t)call->in.type->size;

    return single_copy_combine(c, begin, begin + block_bytes(call->out), c->out, NULL);
}

static void reduce_scatter_combine_from_all(struct shm_run *run)
{
    single_copy_move(run, reduce_scatter_combine_own);
}

static const struct shm_step copy_steps[] = {
    {.way = WAY_ALL,
     .put = reduce_scatter_expose,
     .take = reduce_scatter_combine_from_all,
     .due = single_copy_due},
    {.way = WAY_ALL, .put = engine_put_nothing, .take = engine_take_nothing, .due = engine_due_nothing},
};

static void reduce_scatter_single_copy(struct shm_run *run)
{
    engine_set_steps(run, copy_steps, 2);
}

/* `places` are those of the input. */
static int coll_reduce_scatter_from(void *recvbuf, struct coll_places *places, struct op *op,
                                    struct comm *comm, enum form form, struct info *info,
                                    struct request **request)
{
    struct places *input = &places->from;
    MPI_Count count = block_places_count(input, comm->size);
    struct coll_call call = {.list = &reduce_scatter_list,
                             .out = {recvbuf, 0, input->type},
                             .bytes = (size_t)count * (size_t)input->type->size,
                             .first = block_places_count(input, comm->rank),
                             .op = op,
                             .places = places};
    int error = op_check_items(op, count, input->type);

    places->is_in_place = input->base == MPI_IN_PLACE;
    if (places->is_in_place)
        input->base = recvbuf;
    call.in = block_of(input->base, count, input->type);
    call.out.count = block_place_of(input, comm->rank).count;
    return error ? error : dispatch_call(comm, &call, form, info, request);
}

int coll_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, struct datatype *type,
                              struct op *op, struct comm *comm, enum form form, struct info *info,
                              struct request **request)
{
    struct coll_places places = {.from = {.base = sendbuf, .type = type, .each = recvcount}};

    return coll_reduce_scatter_from(recvbuf, &places, op, comm, form, info, request);
}

int coll_reduce_scatter(const void *sendbuf, void *recvbuf, struct counts recvcounts, struct datatype *type,
                        struct op *op, struct comm *comm, enum form form, struct info *info,
                        struct request **request)
{
    struct coll_places places = {.from = {.base = sendbuf, .type = type, .counts = recvcounts}};

    return coll_reduce_scatter_from(recvbuf, &places, op, comm, form, info, request);
}

/* The rows of the table. gen/coll_rows.py copies all that follows, without builders and plans, for `inkling coll` and the hint rows. */
enum {
    MAILBOX,
    SINGLE_COPY,
    TREE,
    PAIRWISE,
    HOSTS,
    MAILBOX_TREE,
    BRUCK,
    LINEAR
};

static const struct choice_algorithm algorithms[] = {
    [MAILBOX] = {"mailbox", TRAIT_MAILBOX, "through memory that the ranks of a host share",
                 .plan = reduce_scatter_mailbox},
    [SINGLE_COPY] = {"single_copy", TRAIT_SINGLE_COPY,
                     "each rank of a host combines its piece of all vectors where they are",
                     .plan = reduce_scatter_single_copy},
    [TREE] = {"tree", 0, "reduces to rank 0, which scatters", .build = reduce_scatter_tree},
    [PAIRWISE] = {"pairwise", TRAIT_COMMUTATIVE, "each piece to its owner, one after the other",
                  .build = reduce_scatter_pairwise},
    [HOSTS] = {"hosts", TRAIT_HOSTS | TRAIT_COMMUTATIVE,
               "each rank combines what its host has for some ranks of others, and hands it on",
               .build = reduce_scatter_hosts},
    [MAILBOX_TREE] = {"mailbox_tree", TRAIT_TREE | TRAIT_COMMUTATIVE,
                      "whole vectors up and down a tree of the ranks of a host, in its memory; few bytes",
                      .build = reduce_scatter_mailbox_tree},
    [BRUCK] = {"bruck", TRAIT_COMMUTATIVE,
               "log2(ranks) rounds that each hand on the sums for half of the ranks",
               .build = reduce_scatter_bruck},
    [LINEAR] = {"linear", 0, "each piece to its owner, all at once", .build = reduce_scatter_linear},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, 8 * KIB, 2, 2},
    {MAILBOX, 0, 64 * KIB, 3, 64},
    {SINGLE_COPY, 8 * KIB, SIZE_MAX, 2, 2},
    {SINGLE_COPY, 64 * KIB, SIZE_MAX, 3, 64},
    {MAILBOX_TREE, 0, 2 * KIB, 65, 1024},
    {HOSTS, 0, 64 * KIB, 5, 32}, /* these: docs/SCALE.md */
    {HOSTS, 0, SIZE_MAX, 33, INT_MAX},
    {PAIRWISE, 0, SIZE_MAX, 1, 2},
    {LINEAR, 0, 8 * KIB, 2, 8},
    {BRUCK, 0, 256 * KIB, 9, 32},
    {BRUCK, 0, MIB, 33, 128},
    {BRUCK, 0, 4 * MIB, 129, 512},
    {BRUCK, 0, 16 * MIB, 513, INT_MAX},
    {LINEAR, 0, 8 * KIB, 9, 32},
    {TREE, 4 * KIB, 64 * KIB, 65, INT_MAX},
    {PAIRWISE, 4 * KIB, SIZE_MAX, 2, INT_MAX},
    {TREE, 0, SIZE_MAX, 1, INT_MAX},
};

const struct choice_list reduce_scatter_list = {.name = "reduce_scatter",
                                                .collective = COLL_REDUCE_SCATTER,
                                                .algorithm = algorithms,
                                                .algorithms = sizeof algorithms / sizeof *algorithms,
                                                .rule = rules,
                                                .rules = sizeof rules / sizeof *rules,
                                                .inter = reduce_scatter_inter};
