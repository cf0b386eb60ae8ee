#include "coll/algo/algorithm.h"
#include "coll/algo/host_groups.h"

/* Memory to work in. */
struct reduce_buffer {
    bool is_there;
    struct coll_block block;
};

/* A partial result that grows by what other ranks have. */
struct fold {
    struct schedule *s;
    struct coll_block sum;    /* the partial result so far; at first the input */
    struct reduce_buffer *in; /* the room that it is in; NULL: it is the input, which must not be written */
    struct reduce_buffer *room[2]; /* the first is where the result is wanted on the root */
};

/* A room that the partial result is not in, and that is not `other`. */
static struct reduce_buffer *free_room(struct fold *f, const struct reduce_buffer *other)
{
    struct reduce_buffer *room = f->room[f->in == f->room[0] || other == f->room[0]];

    if (!room->is_there)
        *room = (struct reduce_buffer){true, schedule_scratch(f->s, f->sum.count, f->sum.type)};
    return room;
}

static struct coll_block block_in(const struct fold *f, const struct reduce_buffer *room)
{
    return block_slice(room->block, 0, f->sum.count);
}

/* Takes in what `source` has, as the left or the right operand. */
static void fold_in(struct fold *f, int source, bool is_left)
{
    struct reduce_buffer *room = free_room(f, NULL);
    struct coll_block theirs = block_in(f, room);

    schedule_recv(f->s, theirs, source);
    schedule_wait(f->s);
    if (!(f->s->op->commutative ? f->in != NULL : is_left)) {
        schedule_reduce(f->s, f->sum, theirs);
        f->sum = theirs;
        f->in = room;
        return;
    }
    if (!f->in) {
        struct coll_block input = f->sum;

        f->in = free_room(f, room);
        f->sum = block_in(f, f->in);
        schedule_copy(f->s, input, f->sum);
    }
    schedule_reduce(f->s, theirs, f->sum);
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
    struct schedule *s = f->s;

    for (int width = 1; width < s->size; width *= 2) {
        int first = s->rank & ~(width - 1), other = first ^ width;
        int peer = speaker(other, width, root);

        if (other >= s->size)
            continue;
        if (peer == root || (other < first && s->rank != root)) {
            schedule_send(s, f->sum, peer);
            schedule_wait(s);
            return;
        }
        fold_in(f, peer, other < first);
    }
}

/* Portions share the memory to work in: each is done with it before the next begins. */
static void reduce_portion(struct schedule *s, struct coll_block input, struct coll_block result, int root,
                           struct reduce_buffer room[2])
{
    struct reduce_buffer wanted = {true, result};
    struct fold f = {.s = s, .sum = input, .room = {&room[0], &room[1]}};

    if (s->rank == root)
        f.room[0] = &wanted;
    if (s->rank == root && input.at == result.at)
        f.in = &wanted;
    join_blocks(&f, root);
    if (s->rank == root && f.in != &wanted)
        schedule_copy(s, f.sum, result);
}

void reduce_tree(struct schedule *s, struct coll_block input, struct coll_block result, int root)
{
    MPI_Count portion = block_portion(input.type);
    struct reduce_buffer room[2] = {{false}, {false}};

    for (MPI_Count at = 0; at == 0 || at < input.count; at += portion)
        reduce_portion(s, block_slice(input, at, portion), block_slice(result, at, portion), root, room);
}

struct coll_block reduce_vector_of(const struct schedule *s, const struct vectors *others, int r,
                                   MPI_Count count)
{
    return block_vector_at(others, r - (r > s->rank), count);
}

void reduce_vectors(struct schedule *s, struct coll_block mine, const struct vectors *others,
                    struct coll_block result)
{
    int last = s->size - 1;
    struct coll_block sum = s->rank == last ? result : reduce_vector_of(s, others, last, mine.count);

    if (s->rank == last)
        schedule_copy(s, mine, result);
    for (int r = last - 1; r >= 0; r--)
        schedule_reduce(s, r == s->rank ? mine : reduce_vector_of(s, others, r, mine.count), sum);
    if (s->rank != last && sum.count)
        schedule_copy(s, sum, result);
}

static void star_portion(struct schedule *s, struct coll_block input, struct coll_block result, int root,
                         const struct vectors *others)
{
    if (s->rank != root) {
        schedule_send(s, input, root);
        schedule_wait(s);
        return;
    }
    for (int r = 0; r < s->size; r++)
        if (r != root)
            schedule_recv(s, reduce_vector_of(s, others, r, input.count), r);
    schedule_wait(s);
    reduce_vectors(s, input, others, result);
}

void reduce_star(struct schedule *s, struct coll_block input, struct coll_block result, int root)
{
    MPI_Count portion = block_portion(input.type), most = input.count < portion ? input.count : portion;
    struct vectors others = {{NULL, 0, input.type}, 0};

    if (s->rank == root)
        others = schedule_vectors(s, s->size - 1, most, input.type);
    for (MPI_Count at = 0; at == 0 || at < input.count; at += portion)
        star_portion(s, block_slice(input, at, portion), block_slice(result, at, portion), root, &others);
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

void reduce_scatter_pairwise(struct schedule *s, const struct places *input, struct coll_block piece)
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

void reduce_own_piece(struct schedule *s, const struct places *input, const struct places *result)
{
    struct coll_block mine = block_place_of(result, s->rank);
    struct coll_block piece = input->base == result->base ? schedule_scratch(s, mine.count, mine.type) : mine;

    reduce_scatter_pairwise(s, input, piece);
    if (piece.at != mine.at)
        schedule_copy(s, piece, mine);
}

/* Every rank combines one piece; the root collects them. */
static void reduce_pieces(struct schedule *s, struct coll_block input, struct coll_block result, int root)
{
    struct places pieces = block_places_evenly(input, s->size), results = block_places_in(&pieces, result.at);

    if (s->rank != root) {
        struct coll_block piece = schedule_scratch(s, block_place_of(&pieces, s->rank).count, input.type);

        reduce_scatter_pairwise(s, &pieces, piece);
        schedule_send(s, piece, root);
        return;
    }
    reduce_own_piece(s, &pieces, &results);
    for (int r = 0; r < s->size; r++)
        if (r != root)
            schedule_recv(s, block_place_of(&results, r), r);
}

static void reduce_hosts(struct schedule *s, struct coll_block input, struct coll_block result, int root)
{
    const struct host_groups *hosts = host_groups_of(s->comm);
    struct schedule_team local = host_groups_local(hosts, s->rank),
                         leaders = host_groups_leaders(s, hosts, root);
    struct coll_block partial = result;
    int root_host = host_groups_find(hosts, root);

    if (leaders.me >= 0 && s->rank != root)
        partial = schedule_scratch(s, input.count, input.type);
    schedule_enter(s, local);
    reduce_tree(s, input, partial, root_host == hosts->mine ? root - local.first : 0);
    if (leaders.me < 0)
        return;
    schedule_enter(s, leaders);
    reduce_tree(s, partial, result, root_host);
}

void algo_reduce(struct schedule *s, const struct coll_call *call, enum algorithm algorithm)
{
    if (algorithm == ALGORITHM_STAR)
        reduce_star(s, call->in, call->out, call->root);
    else if (algorithm == ALGORITHM_PIECES)
        reduce_pieces(s, call->in, call->out, call->root);
    else if (algorithm == ALGORITHM_HOSTS)
        reduce_hosts(s, call->in, call->out, call->root);
    else
        reduce_tree(s, call->in, call->out, call->root);
}
