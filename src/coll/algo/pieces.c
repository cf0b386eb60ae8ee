#include "coll/algo/algorithm.h"
#include "coll/algo/packed.h"

/* What is sent first is sent from where it lies: the copy that this rank has just made is in its own cache,
 * and the next one would have to fetch it from there. */
void pieces_gather(struct schedule *s, struct coll_block mine, const struct places *all)
{
    int next = (s->rank + 1) % s->size, previous = (s->rank - 1 + s->size) % s->size;

    for (int step = 0; step < s->size - 1; step++) {
        int out = (s->rank - step + s->size) % s->size;
        int in = (out - 1 + s->size) % s->size;

        schedule_recv(s, block_place_of(all, in), previous);
        schedule_send(s, step ? block_place_of(all, out) : mine, next);
        if (step == 0)
            schedule_keep(s, mine, block_place_of(all, s->rank));
        schedule_wait(s);
    }
    if (s->size == 1)
        schedule_keep(s, mine, block_place_of(all, s->rank));
}

/* Sends `out`, and combines the `expected` items that come into `piece`. */
static void exchange_portions(struct schedule *s, struct coll_block out, int to, struct coll_block piece,
                              int from, MPI_Count expected, struct coll_block tmp)
{
    MPI_Count portion = block_portion(piece.type);

    for (MPI_Count at = 0; at < out.count || at < expected; at += portion) {
        struct coll_block part = block_slice(piece, at, portion), in = block_slice(tmp, 0, part.count);

        if (at < expected)
            schedule_recv(s, in, from);
        if (at < out.count)
            schedule_send(s, block_slice(out, at, portion), to);
        schedule_wait(s);
        schedule_reduce(s, in, part);
    }
}

void pieces_pairwise(struct schedule *s, const struct places *input, struct coll_block piece)
{
    MPI_Count portion = block_portion(piece.type);
    struct coll_block mine = block_place_of(input, s->rank);
    struct coll_block tmp = schedule_scratch(s, mine.count < portion ? mine.count : portion, mine.type);

    schedule_copy(s, mine, piece);
    for (int i = 1; i < s->size; i++) {
        int to = (s->rank + i) % s->size, from = (s->rank - i + s->size) % s->size;

        exchange_portions(s, block_place_of(input, to), to, piece, from, mine.count, tmp);
    }
}

static struct packed packed_of_places(struct schedule *s, const struct places *input)
{
    MPI_Count *first = schedule_offsets(s, s->size + 1);

    first[0] = 0;
    for (int r = 0; r < s->size; r++)
        first[r + 1] = first[r] + block_place_count(input, r);
    return (struct packed){.type = input->type, .first = first};
}

/* What MPI_Allgather's of that name does, backwards. The sums are for the ranks from this one on. */
void pieces_bruck(struct schedule *s, const struct places *input, struct coll_block piece)
{
    struct packed p = packed_of_places(s, input);
    MPI_Count all = p.first[s->size], before = p.first[s->rank];
    struct coll_block whole = block_at(input->base, 0, all, input->type);
    struct coll_block sums = schedule_scratch(s, all, input->type),
                      theirs = schedule_scratch(s, packed_upto(s, &p, s->rank, s->size / 2), input->type);
    int have = 1;

    if (sums.count) {
        schedule_copy(s, block_slice(whole, before, all - before), block_slice(sums, 0, all - before));
        schedule_copy(s, block_slice(whole, 0, before), block_slice(sums, all - before, before));
    }
    while (have < s->size)
        have *= 2;
    while (have /= 2) {
        int more = have < s->size - have ? have : s->size - have;
        MPI_Count at = packed_upto(s, &p, s->rank, have);
        struct coll_block in = block_slice(theirs, 0, packed_upto(s, &p, s->rank, more));

        schedule_exchange(s, block_slice(sums, at, packed_upto(s, &p, s->rank, have + more) - at),
                          (s->rank + have) % s->size, in, (s->rank - have + s->size) % s->size);
        schedule_reduce(s, in, sums);
    }
    if (sums.count)
        schedule_copy(s, block_slice(sums, 0, packed_upto(s, &p, s->rank, 1)), piece);
}

void pieces_own(struct schedule *s, const struct places *input, const struct places *result)
{
    struct coll_block mine = block_place_of(result, s->rank);
    struct coll_block piece = input->base == result->base ? schedule_scratch(s, mine.count, mine.type) : mine;

    pieces_pairwise(s, input, piece);
    if (piece.at != mine.at)
        schedule_copy(s, piece, mine);
}
