#include "coll/algo/algorithm.h"

struct coll_block star_vector_of(const struct schedule *s, const struct vectors *others, int r,
                                 MPI_Count count)
{
    return block_vector_at(others, r - (r > s->rank), count);
}

void star_combine(struct schedule *s, struct coll_block mine, const struct vectors *others,
                  struct coll_block result)
{
    int last = s->size - 1;
    struct coll_block sum = s->rank == last ? result : star_vector_of(s, others, last, mine.count);

    if (s->rank == last)
        schedule_copy(s, mine, result);
    for (int r = last - 1; r >= 0; r--)
        schedule_reduce(s, r == s->rank ? mine : star_vector_of(s, others, r, mine.count), sum);
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
            schedule_recv(s, star_vector_of(s, others, r, input.count), r);
    schedule_wait(s);
    star_combine(s, input, others, result);
}

void star_reduce(struct schedule *s, struct coll_block input, struct coll_block result, int root)
{
    MPI_Count portion = block_portion(input.type), most = input.count < portion ? input.count : portion;
    struct vectors others = {{NULL, 0, input.type}, 0};

    if (s->rank == root)
        others = schedule_vectors(s, s->size - 1, most, input.type);
    for (MPI_Count at = 0; at == 0 || at < input.count; at += portion)
        star_portion(s, block_slice(input, at, portion), block_slice(result, at, portion), root, &others);
}

static unsigned char byte_sent;

static struct coll_block byte_at(unsigned char *byte)
{
    return (struct coll_block){byte, 1, datatype_predefined(MPI_BYTE)};
}

void star_signal(struct schedule *s, int rank)
{
    schedule_send(s, byte_at(&byte_sent), rank);
}

void star_listen(struct schedule *s, int rank)
{
    schedule_recv(s, byte_at(&s->byte_received), rank);
}

void star_hear(struct schedule *s, int center)
{
    if (s->rank != center)
        star_signal(s, center);
    for (int r = 0; s->rank == center && r < s->size; r++)
        if (r != center)
            star_listen(s, r);
    schedule_wait(s);
}

void star_tell(struct schedule *s, int center)
{
    if (s->rank != center)
        star_listen(s, center);
    for (int r = 0; s->rank == center && r < s->size; r++)
        if (r != center)
            star_signal(s, r);
    schedule_wait(s);
}
