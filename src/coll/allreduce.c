#include "coll/coll.h"

#include "coll/algo/algorithm.h"
#include "coll/algo/host_groups.h"
#include "coll/algo/in_host.h"
#include "coll/dispatch.h"
#include "coll/shm/engine.h"
#include "coll/shm/single_copy.h"

#include <limits.h>
#include <stdint.h>

/* Of the first 2*rest ranks each even one hands its input to the next, so that a power of two of them goes
 * on; these are numbered in rank order. */
struct doubling {
    int power, rest;
};

static int doubling_number(const struct doubling *d, int rank)
{
    return rank < 2 * d->rest ? rank / 2 : rank - d->rest;
}

static int doubling_rank(const struct doubling *d, int number)
{
    return number < d->rest ? 2 * number + 1 : number + d->rest;
}

/* Exchanges partial results with ranks 1, 2, 4 ... numbers away. The operands are put in the same order on
 * both sides, so that both compute the same bits. Returns the block that holds the result. */
static struct coll_block double_up(struct schedule *s, const struct doubling *d, struct coll_block sum,
                                   struct coll_block spare)
{
    for (int width = 1; width < d->power; width *= 2) {
        int peer = doubling_rank(d, doubling_number(d, s->rank) ^ width);
        struct coll_block old = sum;

        schedule_exchange(s, sum, peer, spare, peer);
        if (peer < s->rank) {
            schedule_reduce(s, spare, sum);
        } else {
            schedule_reduce(s, sum, spare);
            sum = spare;
            spare = old;
        }
    }
    return sum;
}

static void double_portion(struct schedule *s, const struct doubling *d, struct coll_block result,
                           struct coll_block spare)
{
    struct coll_block sum;
    bool is_even_extra = s->rank < 2 * d->rest && s->rank % 2 == 0;
    bool is_odd_extra = s->rank < 2 * d->rest && s->rank % 2 == 1;

    if (is_even_extra) {
        schedule_send(s, result, s->rank + 1);
        schedule_wait(s);
        schedule_recv(s, result, s->rank + 1);
        schedule_wait(s);
        return;
    }
    if (is_odd_extra) {
        schedule_recv(s, spare, s->rank - 1);
        schedule_wait(s);
        schedule_reduce(s, spare, result);
    }
    sum = double_up(s, d, result, spare);
    if (sum.at != result.at)
        schedule_copy(s, sum, result);
    if (is_odd_extra)
        schedule_send(s, result, s->rank - 1);
}

static void double_all(struct schedule *s, struct coll_block result)
{
    MPI_Count portion = block_portion(result.type);
    struct coll_block spare = schedule_scratch(s, block_slice(result, 0, portion).count, result.type);
    struct doubling d = {.power = 1};

    while (d.power <= s->size / 2)
        d.power *= 2;
    d.rest = s->size - d.power;
    for (MPI_Count at = 0; at == 0 || at < result.count; at += portion) {
        struct coll_block part = block_slice(result, at, portion);

        double_portion(s, &d, part, block_slice(spare, 0, part.count));
    }
}

static void allreduce_doubling(struct schedule *s, const struct coll_call *call)
{
    schedule_copy(s, call->in, call->out);
    double_all(s, call->out);
}

static void allreduce_pieces(struct schedule *s, const struct coll_call *call)
{
    struct places pieces = block_places_evenly(call->in, s->size),
                  results = block_places_in(&pieces, call->out.at);

    pieces_own(s, &pieces, &results);
    pieces_gather(s, block_place_of(&results, s->rank), &results);
}

static void allreduce_star(struct schedule *s, const struct coll_call *call)
{
    star_reduce(s, call->in, call->out, 0); /* waits: the call->in may be the call->out */
    if (s->rank)
        schedule_recv(s, call->out, 0);
    for (int r = 1; s->rank == 0 && r < s->size; r++)
        schedule_send(s, call->out, r);
}

static void allreduce_tree(struct schedule *s, const struct coll_call *call)
{
    tree_reduce(s, call->in, call->out, 0);
    tree_bcast(s, call->out, 0);
}

static void allreduce_hosts(struct schedule *s, const struct coll_call *call)
{
    const struct host_groups *hosts = host_groups_of(s->comm);
    struct schedule_team leaders = host_groups_leaders(s, hosts, -1);
    struct in_host host;

    in_host_open(&host, s, call, host_groups_local(hosts, s->rank), 0);
    in_host_reduce(&host, call->in, call->out);
    if (leaders.me >= 0) {
        schedule_enter(s, leaders);
        double_all(s, call->out);
        schedule_leave(s);
    }
    in_host_bcast(&host, call->out);
    in_host_close(&host);
}

static void allreduce_mailbox_tree(struct schedule *s, const struct coll_call *call)
{
    struct in_host host;

    in_host_open(&host, s, call, in_host_all(s), 0);
    in_host_reduce(&host, call->in, call->out);
    in_host_bcast(&host, call->out);
    in_host_close(&host);
}

static void allreduce_inter(struct schedule *s, const struct coll_call *call)
{
    struct coll_block sum = inter_combine_local(s, call->in);

    if (s->owner->rank == 0) {
        inter_enter_remote(s);
        schedule_exchange(s, sum, 0, call->out, 0);
        inter_enter_local(s);
    }
    tree_bcast(s, call->out, 0);
}

/* The piece of the vector that a rank combines: whole cache lines, where items allow it. */
static struct coll_block allreduce_piece_of(const struct shm_run *run, int rank)
{
    struct coll_block vector = run->call->out;
    MPI_Count size = run->boxes->size, each = (vector.count + size - 1) / size;
    MPI_Count unit = PAYLOAD_UNIT % vector.type->size ? 1 : PAYLOAD_UNIT / vector.type->size;
    MPI_Count piece = (each + unit - 1) / unit * unit, first = piece * rank;

    return block_slice(vector, first < vector.count ? first : vector.count, piece);
}

static size_t allreduce_piece_begin(const struct shm_run *run, struct coll_block piece)
{
    return (size_t)((char *)piece.at - (char *)run->call->out.at);
}

static size_t allreduce_piece_due(const struct shm_run *run, int rank)
{
    return block_bytes(allreduce_piece_of(run, rank));
}

static bool allreduce_put_vector(struct shm_run *run)
{
    size_t bytes = block_bytes(run->call->in);

    if (!engine_put_block(run, run->call->in, 0, bytes, 1))
        return false;
    engine_check_sent(run, bytes, run->call->bytes);
    return true;
}

/* No other rank reads this piece of the vector that this rank has published: the result takes its place. */
static void allreduce_combine_piece(struct shm_run *run)
{
    struct coll_block piece = allreduce_piece_of(run, run->boxes->rank);
    MPI_Count first = (MPI_Count)allreduce_piece_begin(run, piece) / piece.type->size;

    engine_combine(run, run->boxes->size - 1, first, piece, run->payload);
}

static bool allreduce_put_piece(struct shm_run *run)
{
    if (!mailbox_is_writable(run->boxes, run->sequence))
        return false;
    engine_put(run, allreduce_piece_due(run, run->boxes->rank));
    return true;
}

static void allreduce_take_pieces(struct shm_run *run)
{
    struct mailboxes *s = run->boxes;

    for (int i = 1; i < s->size; i++) {
        int r = (s->rank + i) % s->size;
        struct coll_block piece = allreduce_piece_of(run, r);

        engine_copy_out(
            run, mailbox_payload(s, r, mailbox_line(s, r, run->sequence)) + allreduce_piece_begin(run, piece),
            piece);
    }
}

static bool allreduce_put_result(struct shm_run *run)
{
    return engine_put_block(run, run->call->out, 0, block_bytes(run->call->out), 0);
}

static const struct shm_step flat_steps[] = {
    {.way = WAY_ALL, .put = engine_put_input, .take = engine_combine_all}};
static const struct shm_step up_down_steps[] = {
    {.way = WAY_TO_ROOT, .put = engine_put_input, .take = engine_combine_all},
    {.way = WAY_FROM_ROOT, .put = allreduce_put_result, .take = engine_take_result},
};
static const struct shm_step piece_steps[] = {
    {.way = WAY_ALL, .put = allreduce_put_vector, .take = allreduce_combine_piece},
    {.way = WAY_ALL, .put = allreduce_put_piece, .take = allreduce_take_pieces, .due = allreduce_piece_due},
};

enum {
    PIECES_LEAST = 16 * 1024 /* bytes from which on each rank combines a piece in its mailbox */
};

static void allreduce_mailbox(struct shm_run *run)
{
    if (run->call->bytes >= PIECES_LEAST)
        engine_set_steps(run, piece_steps, 2);
    else if (run->boxes->size > FLAT_MOST)
        engine_set_steps(run, up_down_steps, 2);
    else
        engine_set_steps(run, flat_steps, 1);
}

static bool allreduce_expose(struct shm_run *run)
{
    return single_copy_expose(run, USE_INPUT | USE_RESULT | USE_PUT);
}

static int allreduce_store_everywhere(const struct single_copy *c, size_t at, size_t bytes, const void *sum)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < c->size && !error; i++)
        error = single_copy_store(c, (c->rank + i) % c->size, at, sum, bytes);
    return error;
}

static int allreduce_combine_and_store(const struct single_copy *c)
{
    return single_copy_combine_piece(c, 0, allreduce_store_everywhere);
}

static void allreduce_combine_for_all(struct shm_run *run)
{
    single_copy_move(run, allreduce_combine_and_store);
}

static const struct shm_step copy_steps[] = {
    {.way = WAY_ALL, .put = allreduce_expose, .take = allreduce_combine_for_all, .due = single_copy_due},
    {.way = WAY_ALL, .put = engine_put_nothing, .take = engine_take_nothing, .due = engine_due_nothing},
};

static void allreduce_single_copy(struct shm_run *run)
{
    engine_set_steps(run, copy_steps, 2);
}

int coll_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                   struct comm *comm, enum form form, struct info *info, struct request **request)
{
    struct coll_call call = {.list = &allreduce_list,
                             .in = block_of(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type),
                             .out = {recvbuf, count, type},
                             .bytes = (size_t)count * (size_t)type->size,
                             .op = op};
    int error = op_check_items(op, count, type);

    return error ? error : dispatch_call(comm, &call, form, info, request);
}

/* OR is AND of the complements, so one reduction does both. */
int coll_agree(struct comm *comm, uint64_t *word_and, uint64_t *word_or)
{
    uint64_t words[2] = {word_and ? *word_and : 0, word_or ? ~*word_or : 0};
    int error = coll_allreduce(MPI_IN_PLACE, words, 2, datatype_predefined(MPI_UINT64_T),
                               &op_predefined[OP_BAND], comm, FORM_BLOCKING, NULL, NULL);

    if (error)
        return error;
    if (word_and)
        *word_and = words[0];
    if (word_or)
        *word_or = ~words[1];
    return MPI_SUCCESS;
}

/* The rows of the table. gen/coll_rows.py copies all that follows, without builders and plans, for `inkling coll` and the hint rows. */
enum {
    MAILBOX,
    SINGLE_COPY,
    STAR,
    TREE,
    PIECES,
    HOSTS,
    MAILBOX_TREE,
    DOUBLING
};

static const struct choice_algorithm algorithms[] = {
    [MAILBOX] = {"mailbox", TRAIT_MAILBOX, "through memory that the ranks of a host share",
                 .plan = allreduce_mailbox},
    [SINGLE_COPY] = {"single_copy", TRAIT_SINGLE_COPY,
                     "each rank of a host combines a piece of all vectors where they are, for all",
                     .plan = allreduce_single_copy},
    [STAR] = {"star", 0, "rank 0 combines all vectors and sends the result", .build = allreduce_star},
    [TREE] = {"tree", 0, "reduces to rank 0 and broadcasts, both along binomial trees",
              .build = allreduce_tree},
    [PIECES] = {"pieces", TRAIT_COMMUTATIVE | TRAIT_ITEMS,
                "each rank combines a piece; they are gathered round a ring", .build = allreduce_pieces},
    [HOSTS] = {"hosts", TRAIT_HOSTS | TRAIT_COMMUTATIVE,
               "in the memory of each host, or along a tree, doubling between their leaders, and back",
               .build = allreduce_hosts},
    [MAILBOX_TREE] = {"mailbox_tree", TRAIT_TREE | TRAIT_COMMUTATIVE,
                      "up and down a tree of the ranks of a host, in its memory; few bytes",
                      .build = allreduce_mailbox_tree},
    [DOUBLING] = {"doubling", 0, "log2(ranks) exchanges of whole vectors", .build = allreduce_doubling},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, 8 * KIB, 2, 2},
    {MAILBOX, 0, 16 * KIB, 3, 5},
    {MAILBOX, 0, 64 * KIB, 6, 32},
    {MAILBOX, 0, 16 * KIB, 33, 64},
    {SINGLE_COPY, 8 * KIB, SIZE_MAX, 2, 5},
    {SINGLE_COPY, 64 * KIB, SIZE_MAX, 6, 64},
    {MAILBOX_TREE, 0, SIZE_MAX, 65, 1024},
    {HOSTS, 0, SIZE_MAX, 2, INT_MAX},
    {STAR, 0, 2 * KIB, 3, 16},
    {STAR, 0, 256, 17, 64},
    {PIECES, 8 * KIB, SIZE_MAX, 2, 2},
    {PIECES, 64 * KIB, SIZE_MAX, 3, INT_MAX},
    {DOUBLING, 0, SIZE_MAX, 1, INT_MAX},
};

const struct choice_list allreduce_list = {.name = "allreduce",
                                           .collective = COLL_ALLREDUCE,
                                           .algorithm = algorithms,
                                           .algorithms = sizeof algorithms / sizeof *algorithms,
                                           .rule = rules,
                                           .rules = sizeof rules / sizeof *rules,
                                           .inter = allreduce_inter};
