#include "coll/algorithm.h"
#include "coll/coll.h"

enum {
    STAR_BYTES = 2 * 1024, /* up to here rank 0 does the work alone ... */
    STAR_RANKS = 16        /* ... for so many: two wake-ups a rank, the fewest when ranks outnumber cores */
};

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
static struct block double_up(struct coll *c, const struct doubling *d, struct block sum, struct block spare,
                              const struct op *op)
{
    for (int width = 1; width < d->power; width *= 2) {
        int peer = doubling_rank(d, doubling_number(d, c->rank) ^ width);
        struct block old = sum;

        step_exchange(c, sum, peer, spare, peer);
        if (peer < c->rank) {
            step_reduce(op, spare, sum);
        } else {
            step_reduce(op, sum, spare);
            sum = spare;
            spare = old;
        }
    }
    return sum;
}

static void double_portion(struct coll *c, const struct doubling *d, struct block result, const struct op *op)
{
    struct block spare, sum;
    bool is_even_extra = c->rank < 2 * d->rest && c->rank % 2 == 0;
    bool is_odd_extra = c->rank < 2 * d->rest && c->rank % 2 == 1;

    if (is_even_extra) {
        step_send(c, result, c->rank + 1);
        step_recv(c, result, c->rank + 1);
        return;
    }
    spare = step_scratch(c, result.count, result.type);
    if (is_odd_extra) {
        step_recv(c, spare, c->rank - 1);
        step_reduce(op, spare, result);
    }
    sum = double_up(c, d, result, spare, op);
    if (sum.at != result.at)
        step_copy(c, sum, result);
    if (is_odd_extra)
        step_send(c, result, c->rank - 1);
    step_free(spare);
}

static void allreduce_doubling(struct coll *c, struct block result, const struct op *op)
{
    MPI_Count portion = block_portion(result.type);
    struct doubling d = {.power = 1};

    while (d.power <= c->size / 2)
        d.power *= 2;
    d.rest = c->size - d.power;
    for (MPI_Count at = 0; at == 0 || at < result.count; at += portion)
        double_portion(c, &d, block_slice(result, at, portion), op);
}

static void allreduce_pieces(struct coll *c, struct block input, struct block result, const struct op *op)
{
    struct cut cut = cut_evenly(input.count, c->size);

    reduce_own_piece(c, input, &cut, result, op);
    allgather_ring(c, result, &cut);
}

/* Combines all ranks' vectors on rank 0, the last ranks first. */
static void star_centre(struct coll *c, struct block input, struct block result, const struct op *op)
{
    struct block all = step_scratch(c, input.count * (c->size - 1), input.type);
    MPI_Count unit = all.count ? input.count : 0;
    struct block last = block_slice(all, (c->size - 2) * unit, unit);

    for (int r = 1; r < c->size; r++)
        step_post_recv(c, block_slice(all, (r - 1) * unit, unit), r);
    step_wait_posted(c);
    for (int r = c->size - 2; r > 0; r--)
        step_reduce(op, block_slice(all, (r - 1) * unit, unit), last);
    step_reduce(op, input, last);
    if (unit)
        step_copy(c, last, result);
    for (int r = 1; r < c->size; r++)
        step_post_send(c, result, r);
    step_wait_posted(c);
    step_free(all);
}

static void allreduce_star(struct coll *c, struct block input, struct block result, const struct op *op)
{
    if (c->rank == 0) {
        star_centre(c, input, result, op);
        return;
    }
    step_send(c, input, 0);
    step_recv(c, result, 0);
}

static bool is_for_star(const struct coll *c, struct block b)
{
    return c->size > 2 && c->size <= STAR_RANKS && block_bytes(b) <= STAR_BYTES;
}

int coll_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                   struct comm *comm)
{
    struct block result = {recvbuf, count, type};
    struct block input = sendbuf == MPI_IN_PLACE ? result : block_at(sendbuf, 0, count, type);
    struct coll c;
    int error = op_check(op, type);

    if (!error)
        error = coll_start(&c, comm);
    if (error)
        return error;
    if (reduce_is_worth_cutting(&c, input, op)) {
        allreduce_pieces(&c, input, result, op);
    } else if (is_for_star(&c, input)) {
        allreduce_star(&c, input, result, op);
    } else {
        step_copy(&c, input, result);
        allreduce_doubling(&c, result, op);
    }
    return coll_finish(&c);
}
