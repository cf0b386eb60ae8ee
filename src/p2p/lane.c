#include "p2p/lane.h"

#include "hint/hint.h"

struct lane lanes[NET_LANES];
_Atomic uint32_t lanes_used = 1;
_Thread_local int lane_mine;

void lanes_init(void)
{
    for (int i = 0; i < NET_LANES; i++) {
        struct lane *lane = &lanes[i];

        lane->lock = (struct lock)LOCK_INIT;
        lane->number = i;
        list_init(&lane->orphans);
        list_init(&lane->pushing);
        list_init(&lane->streams);
    }
}

int lanes_offered(void)
{
    int wanted = (int)hint_process.value[HINT_LANES];

    return lock_enabled && wanted > 1 && net_open_lanes() ? wanted : 1;
}

void lanes_deal(struct comm *comm, uint64_t context, int count, bool overtaking)
{
    (void)overtaking;
    comm->lane = (int)(context / 2 % (uint64_t)count); /* contexts count up in steps of two */
    if (comm->whole)
        comm->whole->lane = comm->lane;
    /* release: the lane is open */
    atomic_fetch_or_explicit(&lanes_used, 1u << comm->lane, memory_order_release);
}
