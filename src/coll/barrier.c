#include "coll/coll.h"

enum {
    FLAT_BARRIER_RANKS = 32 /* up to so many ranks one of them collects and releases all others */
};

/* 2(n-1) messages and two wake-ups a rank: the fewest context switches when ranks outnumber cores. */
static void barrier_flat(struct schedule *s)
{
    if (s->rank) {
        step_send(s, block_empty(), 0);
        step_recv(s, block_empty(), 0);
        return;
    }
    for (int r = 1; r < s->size; r++)
        step_recv(s, block_empty(), r);
    step_wait(s);
    for (int r = 1; r < s->size; r++)
        step_send(s, block_empty(), r);
}

/* In round k each rank hears, directly or not, from the 2^k ranks before it. */
static void barrier_dissemination(struct schedule *s)
{
    for (int distance = 1; distance < s->size; distance *= 2)
        step_exchange(s, block_empty(), (s->rank + distance) % s->size, block_empty(),
                      (s->rank - distance + s->size) % s->size);
}

int coll_barrier(struct comm *comm, enum form form, struct request **request)
{
    struct schedule *s;
    int error = schedule_open(comm, form, NULL, &s);

    if (error)
        return error;
    if (s->size > 2 && s->size <= FLAT_BARRIER_RANKS)
        barrier_flat(s);
    else
        barrier_dissemination(s);
    return schedule_close(s, request);
}
