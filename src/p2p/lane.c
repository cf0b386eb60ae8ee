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
