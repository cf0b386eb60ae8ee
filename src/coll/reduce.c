#include "coll/algorithm.h"
#include "coll/coll.h"

enum {
    PIECES_BYTES = 64 * 1024 /* from here on each rank combines one piece of the vector for all */
};

/* A partial result that grows by what other ranks have. */
struct fold {
    struct coll *coll;
    const struct op *op;
    struct block sum;     /* the partial result so far; at first the input, which must not be written */
    struct block room[2]; /* memory to work in; room[0] is where the result is wanted, if given */
};

static bool is_writable(const struct fold *f)
{
    return f->sum.at == f->room[0].at || f->sum.at == f->room[1].at;
}

/* The room that the partial result is not in. */
static struct block free_room(struct fold *f)
{
    int i = f->sum.at == f->room[0].at;

    if (!f->room[i].at)
        f->room[i] = step_scratch(f->coll, f->sum.count, f->sum.type);
    return f->room[i];
}

/* Takes in what `source` has, as the left or the right operand. */
static void fold_in(struct fold *f, int source, bool is_left)
{
    struct block in = free_room(f);

    step_recv(f->coll, in, source);
    if (f->op->commutative ? is_writable(f) : is_left) {
        if (!is_writable(f)) {
            struct block *other = &f->room[in.at == f->room[0].at];

            *other = other->at ? *other : step_scratch(f->coll, in.count, in.type);
            step_copy(f->coll, f->sum, *other);
            f->sum = *other;
        }
        step_reduce(f->op, in, f->sum);
    } else {
        step_reduce(f->op, f->sum, in);
        f->sum = in;
    }
}

/* The rank that speaks for the `width` ranks from `first` on. */
static int speaker(int first, int width, int root)
{
    return first <= root && root < first + width ? root : first;
}

/* Blocks of 1, 2, 4 ... neighbouring ranks join; in each, the root or else the first rank holds the block's
 * result. Sends that of this rank's last block to the block that it joins, unless this is the root. */
static void join_blocks(struct fold *f, int root)
{
    struct coll *c = f->coll;

    for (int width = 1; width < c->size; width *= 2) {
        int first = c->rank & ~(width - 1), other = first ^ width;
        int peer = speaker(other, width, root);

        if (other >= c->size)
            continue;
        if (peer == root || (other < first && c->rank != root)) {
            step_send(c, f->sum, peer);
            return;
        }
        fold_in(f, peer, other < first);
    }
}

static void reduce_portion(struct coll *c, struct block input, struct block result, const struct op *op,
                           int root)
{
    struct fold f = {.coll = c, .op = op, .sum = input};

    if (c->rank == root)
        f.room[0] = result;
    join_blocks(&f, root);
    if (c->rank == root && f.sum.at != result.at)
        step_copy(c, f.sum, result);
    if (c->rank != root || f.room[0].at != result.at)
        step_free(f.room[0]);
    step_free(f.room[1]);
}

void reduce_tree(struct coll *c, struct block input, struct block result, const struct op *op, int root)
{
    MPI_Count portion = block_portion(input.type);

    for (MPI_Count at = 0; at == 0 || at < input.count; at += portion)
        reduce_portion(c, block_slice(input, at, portion), block_slice(result, at, portion), op, root);
}

/* Sends `out`, and combines the `expected` items that come into `piece`. */
static void exchange_portions(struct coll *c, struct block out, int to, struct block piece, int from,
                              MPI_Count expected, struct block tmp, const struct op *op)
{
    MPI_Count portion = block_portion(piece.type);

    for (MPI_Count at = 0; at < out.count || at < expected; at += portion) {
        struct block part = block_slice(piece, at, portion), in = block_slice(tmp, 0, part.count);

        if (at < expected)
            step_post_recv(c, in, from);
        if (at < out.count)
            step_post_send(c, block_slice(out, at, portion), to);
        step_wait_posted(c);
        step_reduce(op, in, part);
    }
}

void reduce_scatter_pairwise(struct coll *c, struct block input, const struct cut *cut, struct block piece,
                             const struct op *op)
{
    MPI_Count portion = block_portion(piece.type), expected = cut_length(cut, c->rank);
    struct block tmp = step_scratch(c, expected < portion ? expected : portion, piece.type);

    step_copy(c, cut_piece(cut, input, c->rank), piece);
    for (int i = 1; i < c->size; i++) {
        int to = (c->rank + i) % c->size, from = (c->rank - i + c->size) % c->size;

        exchange_portions(c, cut_piece(cut, input, to), to, piece, from, expected, tmp, op);
    }
    step_free(tmp);
}

void reduce_own_piece(struct coll *c, struct block input, const struct cut *cut, struct block result,
                      const struct op *op)
{
    struct block mine = cut_piece(cut, result, c->rank);
    struct block piece = input.at == result.at ? step_scratch(c, mine.count, mine.type) : mine;

    reduce_scatter_pairwise(c, input, cut, piece, op);
    if (piece.at != mine.at) {
        step_copy(c, piece, mine);
        step_free(piece);
    }
}

/* Every rank combines one piece; the root collects them. */
static void reduce_pieces(struct coll *c, struct block input, struct block result, const struct op *op,
                          int root)
{
    struct cut cut = cut_evenly(input.count, c->size);

    if (c->rank != root) {
        struct block piece = step_scratch(c, cut_length(&cut, c->rank), input.type);

        reduce_scatter_pairwise(c, input, &cut, piece, op);
        step_send(c, piece, root);
        step_free(piece);
        return;
    }
    reduce_own_piece(c, input, &cut, result, op);
    for (int r = 0; r < c->size; r++)
        if (r != root)
            step_post_recv(c, cut_piece(&cut, result, r), r);
}

bool reduce_is_worth_cutting(const struct coll *c, struct block b, const struct op *op)
{
    return op->commutative && c->size > 1 && b.count >= c->size && block_bytes(b) >= PIECES_BYTES;
}

int coll_reduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                int root, struct comm *comm)
{
    struct block result = {recvbuf, count, type};
    struct block input = sendbuf == MPI_IN_PLACE ? result : block_at(sendbuf, 0, count, type);
    struct coll c;
    int error = op_check(op, type);

    if (!error)
        error = coll_start(&c, comm);
    if (error)
        return error;
    if (reduce_is_worth_cutting(&c, input, op))
        reduce_pieces(&c, input, result, op, root);
    else
        reduce_tree(&c, input, result, op, root);
    return coll_finish(&c);
}
