#include "coll/algo/algorithm.h"
#include "coll/algo/host_groups.h"

static unsigned char byte_sent;

/* A message is one byte, so that an empty one tells that its sender has failed (schedule.h). */
static struct coll_block byte_at(unsigned char *byte)
{
    return (struct coll_block){byte, 1, datatype_predefined(MPI_BYTE)};
}

static void send_to(struct schedule *s, int rank)
{
    schedule_send(s, byte_at(&byte_sent), rank);
}

static void recv_from(struct schedule *s, int rank)
{
    schedule_recv(s, byte_at(&s->byte_received), rank);
}

/* Rank 0 hears from all the others. */
static void star_gather(struct schedule *s)
{
    if (s->rank)
        send_to(s, 0);
    for (int r = 1; s->rank == 0 && r < s->size; r++)
        recv_from(s, r);
    schedule_wait(s);
}

static void star_release(struct schedule *s)
{
    if (s->rank)
        recv_from(s, 0);
    for (int r = 1; s->rank == 0 && r < s->size; r++)
        send_to(s, r);
    schedule_wait(s);
}

/* 2(n-1) messages and two wake-ups a rank: the fewest context switches when ranks outnumber cores. */
static void barrier_star(struct schedule *s)
{
    star_gather(s);
    star_release(s);
}

/* The i-th child of a rank in the binomial tree is 2^i above it, its parent has its lowest bit cleared. */
static void barrier_tree(struct schedule *s)
{
    int parent = s->rank & (s->rank - 1), above = s->rank ? s->rank - parent : s->size;

    for (int bit = 1; bit < above && s->rank + bit < s->size; bit *= 2)
        recv_from(s, s->rank + bit);
    schedule_wait(s);
    if (s->rank) {
        send_to(s, parent);
        recv_from(s, parent);
    }
    schedule_wait(s);
    for (int bit = 1; bit < above && s->rank + bit < s->size; bit *= 2)
        send_to(s, s->rank + bit);
}

/* In round k each rank hears, directly or not, from the 2^k ranks before it. */
static void barrier_dissemination(struct schedule *s)
{
    for (int distance = 1; distance < s->size; distance *= 2)
        schedule_exchange(s, byte_at(&byte_sent), (s->rank + distance) % s->size, byte_at(&s->byte_received),
                          (s->rank - distance + s->size) % s->size);
}

static void barrier_hosts(struct schedule *s)
{
    const struct host_groups *hosts = host_groups_of(s->comm);
    struct schedule_team local = host_groups_local(hosts, s->rank),
                         leaders = host_groups_leaders(s, hosts, -1);

    schedule_enter(s, local);
    star_gather(s);
    if (leaders.me >= 0) {
        schedule_enter(s, leaders);
        barrier_dissemination(s);
    }
    schedule_enter(s, local);
    star_release(s);
}

void algo_barrier(struct schedule *s, const struct coll_call *call, enum algorithm algorithm)
{
    (void)call;
    if (algorithm == ALGORITHM_STAR)
        barrier_star(s);
    else if (algorithm == ALGORITHM_TREE)
        barrier_tree(s);
    else if (algorithm == ALGORITHM_HOSTS)
        barrier_hosts(s);
    else
        barrier_dissemination(s);
}
