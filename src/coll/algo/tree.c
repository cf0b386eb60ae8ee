#include "coll/algo/algorithm.h"

/* Ranks relative to the root form the tree: the parent of r is r without its lowest bit. Good for long
 * messages too: between ranks of one host each rank copies straight out of its parent's buffer, and sending
 * pieces round a ring took nearly twice as long (2 MiB, 4 and 8 ranks on 2 cores). */
void tree_bcast(struct schedule *s, struct coll_block b, int root)
{
    int relative = (s->rank - root + s->size) % s->size;
    int bit = 1;

    while (bit < s->size && !(relative & bit))
        bit *= 2;
    if (relative) {
        schedule_recv(s, b, (s->rank - bit + s->size) % s->size);
        schedule_wait(s);
    }
    for (bit /= 2; bit; bit /= 2)
        if (relative + bit < s->size)
            schedule_send(s, b, (s->rank + bit) % s->size);
    schedule_wait(s);
}

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

void tree_reduce(struct schedule *s, struct coll_block input, struct coll_block result, int root)
{
    MPI_Count portion = block_portion(input.type);
    struct reduce_buffer room[2] = {{false}, {false}};

    for (MPI_Count at = 0; at == 0 || at < input.count; at += portion)
        reduce_portion(s, block_slice(input, at, portion), block_slice(result, at, portion), root, room);
}
