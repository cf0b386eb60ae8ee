#include "p2p/lane.h"

#include "hint/hint.h"
#include "p2p/wide.h"

struct lane lanes[NET_LANES];
_Atomic uint32_t lanes_used = 1;
_Thread_local int lane_mine;

void lanes_init(void)
{
    for (int i = 0; i < NET_LANES; i++) {
        struct lane *lane = &lanes[i];

        lane->lock = (struct lock)LOCK_INIT;
        list_init(&lane->matches);
        list_init(&lane->claimed);
        list_init(&lane->orphans);
        list_init(&lane->offered);
        list_init(&lane->pushing);
        list_init(&lane->taking);
        list_init(&lane->streams);
    }
}

/* Processes of other jobs are reached in lane 0 only. */
static bool has_guests(const struct group *group)
{
    for (int i = 0; group && i < group->size; i++)
        if (group->process[i] >= group_job_size)
            return true;
    return false;
}

int lanes_offered(const struct comm *comm)
{
    int wanted = (int)hint_process.value[HINT_LANES];

    if (!lock_enabled || wanted == 1 || has_guests(comm->group) || has_guests(comm->remote))
        return 1;
    return net_open_lanes() ? wanted : 1;
}

void lanes_deal(struct comm *comm, uint64_t context, int count, bool overtaking)
{
    uint32_t used;

    comm->lane = (int)(context / 2 % (uint64_t)count); /* contexts count up in steps of two */
    if (comm->whole)
        comm->whole->lane = comm->lane;
    comm->spread = overtaking ? count : 1;
    used = comm->spread > 1 ? (1u << comm->spread) - 1 : 1u << comm->lane;
    /* release: the lanes are open */
    atomic_fetch_or_explicit(&lanes_used, used, memory_order_release);
}

void lanes_keep_order(struct comm *comm)
{
    if (lane_is_spread(comm, PLANE_P2P))
        wide_keep_order(comm);
}

struct hold lanes_hold_all(const struct comm *comm)
{
    struct hold h = {lanes, lanes + comm->spread};

    for (struct lane *lane = h.first; lane < h.end; lane++)
        lane_take(lane);
    return h;
}

void lanes_let_go(struct hold h)
{
    while (h.end-- > h.first)
        lane_release(h.end);
}

struct hold lanes_hold_spread(const struct comm *comm, int tag)
{
    bool is_ordered = atomic_load_explicit(&comm->is_ordered, memory_order_relaxed);
    struct lane *lane;

    if (tag != MPI_ANY_TAG && !is_ordered) {
        lane = lane_to(comm, PLANE_P2P, tag);
        lane_take(lane);
        if (!atomic_load_explicit(&comm->is_ordered, memory_order_relaxed))
            return hold_of(lane);
        lane_release(lane); /* another thread was faster: see match_adapt */
    }
    lane_mine = LANE_ROAMS;
    return lanes_hold_all(comm);
}
