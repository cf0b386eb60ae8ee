#include "coll/coll.h"
#include "coll/step.h"

enum {
    FLAT_BARRIER_RANKS = 32 /* up to so many ranks one of them collects and releases all others */
};

static struct block nothing(void)
{
    return (struct block){NULL, 0, datatype_predefined(MPI_BYTE)};
}

/* 2(n-1) messages and two wake-ups a rank: the fewest context switches when ranks outnumber cores. */
static void barrier_flat(struct coll *c)
{
    if (c->rank) {
        step_send(c, nothing(), 0);
        step_recv(c, nothing(), 0);
        return;
    }
    for (int r = 1; r < c->size; r++)
        step_post_recv(c, nothing(), r);
    step_wait_posted(c);
    for (int r = 1; r < c->size; r++)
        step_post_send(c, nothing(), r);
}

/* In round k each rank hears, directly or not, from the 2^k ranks before it. */
static void barrier_dissemination(struct coll *c)
{
    for (int distance = 1; distance < c->size; distance *= 2)
        step_exchange(c, nothing(), (c->rank + distance) % c->size, nothing(),
                      (c->rank - distance + c->size) % c->size);
}

int coll_barrier(struct comm *comm)
{
    struct coll c;
    int error = coll_start(&c, comm);

    if (error)
        return error;
    if (c.size > 2 && c.size <= FLAT_BARRIER_RANKS)
        barrier_flat(&c);
    else
        barrier_dissemination(&c);
    return coll_finish(&c);
}
