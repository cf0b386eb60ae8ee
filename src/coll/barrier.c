#include "coll/call.h"
#include "coll/coll.h"

enum {
    FLAT_BARRIER_RANKS = 16 /* up to so many ranks one of them collects and releases all others */
};

static struct block nothing(void)
{
    return (struct block){NULL, 0, datatype_predefined(MPI_BYTE)};
}

/* 2(n-1) messages and two wake-ups a rank: the fewest context switches when ranks outnumber cores. */
static void barrier_flat(struct call *c)
{
    if (c->rank) {
        call_send(c, nothing(), 0);
        call_recv(c, nothing(), 0);
        return;
    }
    for (int r = 1; r < c->size; r++)
        call_post_recv(c, nothing(), r);
    call_wait_posted(c);
    for (int r = 1; r < c->size; r++)
        call_post_send(c, nothing(), r);
}

/* In round k each rank hears, directly or not, from the 2^k ranks before it. */
static void barrier_dissemination(struct call *c)
{
    for (int distance = 1; distance < c->size; distance *= 2)
        call_exchange(c, nothing(), (c->rank + distance) % c->size, nothing(),
                      (c->rank - distance + c->size) % c->size);
}

int coll_barrier(struct comm *comm)
{
    struct call c;
    int error = call_start(&c, comm);

    if (error)
        return error;
    if (c.size <= FLAT_BARRIER_RANKS)
        barrier_flat(&c);
    else
        barrier_dissemination(&c);
    return call_finish(&c);
}
