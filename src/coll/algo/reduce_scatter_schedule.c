#include "coll/algo/algorithm.h"

/* Rank 0 combines everything and gives each rank its piece. */
static void reduce_scatter_tree(struct schedule *s, const struct places *input, MPI_Count count,
                                struct coll_block piece)
{
    struct coll_block vector = block_at(input->base, 0, count, input->type), whole = {NULL, 0, input->type};
    struct places pieces;

    if (s->rank) {
        reduce_tree(s, vector, whole, 0);
        schedule_recv(s, piece, 0);
        return;
    }
    whole = schedule_scratch(s, count, input->type);
    reduce_tree(s, vector, whole, 0);
    pieces = block_places_in(input, whole.at);
    for (int r = 1; r < s->size; r++)
        schedule_send(s, whole.count ? block_place_of(&pieces, r) : whole, r);
    if (whole.count)
        schedule_copy(s, block_place_of(&pieces, 0), piece);
}

/* Each piece of all ranks' inputs goes to its owner, who combines them. */
static void reduce_scatter_linear(struct schedule *s, const struct places *input, struct coll_block piece)
{
    struct coll_block mine = block_place_of(input, s->rank);
    struct vectors others = schedule_vectors(s, s->size - 1, mine.count, mine.type);

    for (int i = 1; i < s->size; i++) {
        int to = (s->rank + i) % s->size, from = (s->rank - i + s->size) % s->size;

        schedule_recv(s, reduce_vector_of(s, &others, from, mine.count), from);
        schedule_send(s, block_place_of(input, to), to);
    }
    schedule_wait(s);
    reduce_vectors(s, mine, &others, piece);
}

void algo_reduce_scatter(struct schedule *s, const struct coll_call *call, enum algorithm algorithm)
{
    const struct places *input = &call->places->from;
    struct coll_block piece = call->out;

    if (call->places->is_in_place) /* the piece lies in the input */
        piece = schedule_scratch(s, piece.count, piece.type);
    if (algorithm == ALGORITHM_PAIRWISE)
        reduce_scatter_pairwise(s, input, piece);
    else if (algorithm == ALGORITHM_LINEAR)
        reduce_scatter_linear(s, input, piece);
    else
        reduce_scatter_tree(s, input, call->in.count, piece);
    schedule_wait(s);
    if (piece.at != call->out.at)
        schedule_copy(s, piece, call->out);
}
