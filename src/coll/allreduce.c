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
static struct block double_up(struct schedule *s, const struct doubling *d, struct block sum,
                              struct block spare)
{
    for (int width = 1; width < d->power; width *= 2) {
        int peer = doubling_rank(d, doubling_number(d, s->rank) ^ width);
        struct block old = sum;

        step_exchange(s, sum, peer, spare, peer);
        if (peer < s->rank) {
            step_reduce(s, spare, sum);
        } else {
            step_reduce(s, sum, spare);
            sum = spare;
            spare = old;
        }
    }
    return sum;
}

static void double_portion(struct schedule *s, const struct doubling *d, struct block result,
                           struct block spare)
{
    struct block sum;
    bool is_even_extra = s->rank < 2 * d->rest && s->rank % 2 == 0;
    bool is_odd_extra = s->rank < 2 * d->rest && s->rank % 2 == 1;

    if (is_even_extra) {
        step_send(s, result, s->rank + 1);
        step_wait(s);
        step_recv(s, result, s->rank + 1);
        step_wait(s);
        return;
    }
    if (is_odd_extra) {
        step_recv(s, spare, s->rank - 1);
        step_wait(s);
        step_reduce(s, spare, result);
    }
    sum = double_up(s, d, result, spare);
    if (sum.at != result.at)
        step_copy(s, sum, result);
    if (is_odd_extra)
        step_send(s, result, s->rank - 1);
}

static void allreduce_doubling(struct schedule *s, struct block result)
{
    MPI_Count portion = block_portion(result.type);
    struct block spare = schedule_scratch(s, block_slice(result, 0, portion).count, result.type);
    struct doubling d = {.power = 1};

    while (d.power <= s->size / 2)
        d.power *= 2;
    d.rest = s->size - d.power;
    for (MPI_Count at = 0; at == 0 || at < result.count; at += portion) {
        struct block part = block_slice(result, at, portion);

        double_portion(s, &d, part, block_slice(spare, 0, part.count));
    }
}

static void allreduce_pieces(struct schedule *s, struct block input, struct block result)
{
    struct cut cut = cut_evenly(input.count, s->size);

    reduce_own_piece(s, input, &cut, result);
    allgather_ring(s, result, &cut);
}

/* Combines all ranks' vectors on rank 0, the last ranks first. */
static void star_centre(struct schedule *s, struct block input, struct block result)
{
    struct block all = schedule_scratch(s, input.count * (s->size - 1), input.type);
    MPI_Count unit = all.count ? input.count : 0;
    struct block last = block_slice(all, (s->size - 2) * unit, unit);

    for (int r = 1; r < s->size; r++)
        step_recv(s, block_slice(all, (r - 1) * unit, unit), r);
    step_wait(s);
    for (int r = s->size - 2; r > 0; r--)
        step_reduce(s, block_slice(all, (r - 1) * unit, unit), last);
    step_reduce(s, input, last);
    if (unit)
        step_copy(s, last, result);
    for (int r = 1; r < s->size; r++)
        step_send(s, result, r);
}

static void allreduce_star(struct schedule *s, struct block input, struct block result)
{
    if (s->rank == 0) {
        star_centre(s, input, result);
        return;
    }
    step_send(s, input, 0);
    step_wait(s); /* the input may be the result */
    step_recv(s, result, 0);
}

static bool is_for_star(const struct schedule *s, struct block b)
{
    return s->size > 2 && s->size <= STAR_RANKS && block_bytes(b) <= STAR_BYTES;
}

int coll_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                   struct comm *comm, enum form form, struct request **request)
{
    struct block result = {recvbuf, count, type};
    struct block input = sendbuf == MPI_IN_PLACE ? result : block_at(sendbuf, 0, count, type);
    struct schedule *s;
    int error = op_check(op, type);

    if (!error)
        error = schedule_open(comm, form, op, &s);
    if (error)
        return error;
    if (reduce_is_worth_cutting(s, input)) {
        allreduce_pieces(s, input, result);
    } else if (is_for_star(s, input)) {
        allreduce_star(s, input, result);
    } else {
        step_copy(s, input, result);
        allreduce_doubling(s, result);
    }
    return schedule_close(s, request);
}
