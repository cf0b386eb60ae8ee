#include "p2p/lane.h"

struct lane lanes[NET_LANES];

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

void lanes_take_all_but_first(void)
{
    for (int i = 1; i < NET_LANES; i++)
        lane_take(&lanes[i]);
}

void lanes_release_all_but_first(void)
{
    for (int i = NET_LANES - 1; i > 0; i--)
        lane_release(&lanes[i]);
}
