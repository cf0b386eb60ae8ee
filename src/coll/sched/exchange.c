#include "coll/sched/exchange.h"

#include "coll/algo/algorithm.h"

/* The blocks from rank `first` on that a rank with a lowest bit `width` has gathered. */
static struct coll_block gathered(struct coll_block all, int size, int first, int width)
{
    MPI_Count each = all.count / size;

    return block_slice(all, first * each, (first + width < size ? width : size - first) * each);
}

/* Rank 0 gets all: each rank hands on what the ranks behind it have, along a binomial tree. */
static void gather_bytes(struct schedule *s, struct coll_block all)
{
    int bit = 1;

    for (; bit < s->size && !(s->rank & bit); bit *= 2) {
        if (s->rank + bit < s->size)
            schedule_recv(s, gathered(all, s->size, s->rank + bit, bit), s->rank + bit);
        schedule_wait(s);
    }
    if (s->rank)
        schedule_send(s, gathered(all, s->size, s->rank, bit), s->rank - bit);
    schedule_wait(s);
}

int exchange_bytes_in(struct comm *comm, struct schedule_team team, const void *mine, void *all, size_t bytes)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE);
    struct coll_block whole = {all, (MPI_Count)bytes * team.size, byte};
    struct schedule *s;
    int error = schedule_open(comm, FORM_BLOCKING, NULL, &s);

    if (error)
        return error;
    schedule_enter(s, team);
    schedule_copy(s, (struct coll_block){(void *)(uintptr_t)mine, (MPI_Count)bytes, byte},
                  gathered(whole, s->size, s->rank, 1));
    gather_bytes(s, whole);
    tree_bcast(s, whole, 0);
    return schedule_close(s, NULL);
}

int exchange_and_in(struct comm *comm, struct schedule_team team, uint64_t *word, size_t words)
{
    struct coll_block own = {word, (MPI_Count)words, datatype_predefined(MPI_UINT64_T)};
    struct schedule *s;
    int error = schedule_open(comm, FORM_BLOCKING, &op_predefined[OP_BAND], &s);

    if (error)
        return error;
    schedule_enter(s, team);
    tree_reduce(s, own, own, 0);
    tree_bcast(s, own, 0);
    return schedule_close(s, NULL);
}

int exchange_and(struct comm *comm, uint64_t *word, size_t words)
{
    return exchange_and_in(comm, (struct schedule_team){.size = comm->size, .me = comm->rank}, word, words);
}
