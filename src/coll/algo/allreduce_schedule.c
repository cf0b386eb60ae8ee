#include "coll/algo/algorithm.h"
#include "coll/algo/host_groups.h"

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

static void allreduce_doubling(struct schedule *s, struct coll_block result)
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

static void allreduce_pieces(struct schedule *s, struct coll_block input, struct coll_block result)
{
    struct places pieces = block_places_evenly(input, s->size), results = block_places_in(&pieces, result.at);

    reduce_own_piece(s, &pieces, &results);
    allgather_ring(s, block_place_of(&results, s->rank), &results);
}

static void allreduce_star(struct schedule *s, struct coll_block input, struct coll_block result)
{
    reduce_star(s, input, result, 0); /* waits: the input may be the result */
    if (s->rank)
        schedule_recv(s, result, 0);
    for (int r = 1; s->rank == 0 && r < s->size; r++)
        schedule_send(s, result, r);
}

static void allreduce_tree(struct schedule *s, struct coll_block input, struct coll_block result)
{
    reduce_tree(s, input, result, 0);
    bcast_tree(s, result, 0);
}

static void allreduce_hosts(struct schedule *s, struct coll_block input, struct coll_block result)
{
    const struct host_groups *hosts = host_groups_of(s->comm);
    struct schedule_team local = host_groups_local(hosts, s->rank),
                         leaders = host_groups_leaders(s, hosts, -1);

    schedule_enter(s, local);
    reduce_tree(s, input, result, 0);
    if (leaders.me >= 0) {
        schedule_enter(s, leaders);
        allreduce_doubling(s, result);
    }
    schedule_enter(s, local);
    bcast_tree(s, result, 0);
}

void algo_allreduce(struct schedule *s, const struct coll_call *call, enum algorithm algorithm)
{
    if (algorithm == ALGORITHM_STAR) {
        allreduce_star(s, call->in, call->out);
    } else if (algorithm == ALGORITHM_TREE) {
        allreduce_tree(s, call->in, call->out);
    } else if (algorithm == ALGORITHM_PIECES) {
        allreduce_pieces(s, call->in, call->out);
    } else if (algorithm == ALGORITHM_HOSTS) {
        allreduce_hosts(s, call->in, call->out);
    } else {
        schedule_copy(s, call->in, call->out);
        allreduce_doubling(s, call->out);
    }
}
