#include "coll/coll.h"

#include "coll/algo/algorithm.h"
#include "coll/dispatch.h"
#include "coll/shm/engine.h"
#include "coll/shm/single_copy.h"

#include <limits.h>
#include <stdint.h>

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

static void reduce_scatter_pairwise(struct schedule *s, const struct coll_call *call)
{
    build_piece(s, call, pieces_pairwise);
}

static void reduce_scatter_linear(struct schedule *s, const struct coll_call *call)
{
    build_piece(s, call, scatter_and_combine);
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
    [LINEAR] = {"linear", 0, "each piece to its owner, all at once", .build = reduce_scatter_linear},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, 8 * KIB, 2, 2},
    {MAILBOX, 0, 64 * KIB, 3, 64},
    {SINGLE_COPY, 8 * KIB, SIZE_MAX, 2, 2},
    {SINGLE_COPY, 64 * KIB, SIZE_MAX, 3, 64},
    {PAIRWISE, 0, SIZE_MAX, 1, 2},
    {LINEAR, 0, 8 * KIB, 2, 32},
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
