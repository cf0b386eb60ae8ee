#include "coll/coll.h"

#include "coll/algo/algorithm.h"
#include "coll/algo/host_groups.h"
#include "coll/dispatch.h"

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
    struct schedule_team local = host_groups_local(hosts, s->rank),
                         leaders = host_groups_leaders(s, hosts, -1);

    schedule_enter(s, local);
    tree_reduce(s, call->in, call->out, 0);
    if (leaders.me >= 0) {
        schedule_enter(s, leaders);
        double_all(s, call->out);
    }
    schedule_enter(s, local);
    tree_bcast(s, call->out, 0);
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

/* The rows of the table. gen/coll_rows.py copies all that follows, without builders, for `inkling coll` and the hint rows. */
enum {
    MAILBOX,
    SINGLE_COPY,
    STAR,
    TREE,
    PIECES,
    HOSTS,
    DOUBLING
};

static const struct choice_algorithm algorithms[] = {
    [MAILBOX] = {"slots", TRAIT_MAILBOX, "through memory that the ranks of a host share"},
    [SINGLE_COPY] = {"reach", TRAIT_DIRECT,
                     "each rank of a host combines a piece of all vectors where they are, for all"},
    [STAR] = {"star", 0, "rank 0 combines all vectors and sends the result", .build = allreduce_star},
    [TREE] = {"tree", 0, "reduces to rank 0 and broadcasts, both along binomial trees",
              .build = allreduce_tree},
    [PIECES] = {"pieces", TRAIT_COMMUTATIVE | TRAIT_ITEMS,
                "each rank combines a piece; they are gathered round a ring", .build = allreduce_pieces},
    [HOSTS] = {"hosts", TRAIT_HOSTS | TRAIT_COMMUTATIVE,
               "a tree in each host, doubling between their leaders, a tree back", .build = allreduce_hosts},
    [DOUBLING] = {"doubling", 0, "log2(ranks) exchanges of whole vectors", .build = allreduce_doubling},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, 8 * KIB, 2, 2},
    {MAILBOX, 0, 16 * KIB, 3, 5},
    {MAILBOX, 0, 64 * KIB, 6, 32},
    {MAILBOX, 0, 16 * KIB, 33, 64},
    {SINGLE_COPY, 8 * KIB, SIZE_MAX, 2, 5},
    {SINGLE_COPY, 64 * KIB, SIZE_MAX, 6, 64},
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
