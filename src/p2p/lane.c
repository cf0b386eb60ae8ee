#include "p2p/lane.h"

#include "hint/hint.h"

struct lane lanes[NET_LANES];
_Atomic uint32_t lane_used = 1;
_Thread_local int lane_of_thread;

void lane_init(void)
{
    for (int i = 0; i < NET_LANES; i++) {
        struct lane *lane = &lanes[i];

        lane->lock = (struct lock)LOCK_INIT;
        list_init(&lane->matches);
        list_init(&lane->claimed);
        list_init(&lane->orphans);
        list_init(&lane->rts_sent);
        list_init(&lane->sending);
        list_init(&lane->receiving);
        list_init(&lane->piped);
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

int lane_count_offered(const struct comm *comm)
{
    int wanted = (int)hint_process.value[HINT_LANES];

    if (!lock_enabled || wanted == 1 || has_guests(comm->group) || has_guests(comm->remote))
        return 1;
    return net_open_lanes(net_shares_host(comm->process, comm_peer_count(comm))) ? wanted : 1;
}

const char *lane_spread_absence(const struct comm *comm)
{
    if (comm->spread > 1)
        return NULL;
    if (!lock_enabled)
        return "the thread level is below MPI_THREAD_MULTIPLE";
    if (hint_process.value[HINT_LANES] == 1)
        return "inkling_lanes is 1";
    if (has_guests(comm->group) || has_guests(comm->remote))
        return "ranks of several jobs";
    if (!net_shares_host(comm->process, comm_peer_count(comm)))
        return "several hosts";
    return "not all processes asserted it when the communicator was made";
}

void lane_assign(struct comm *comm, uint64_t context, int count, bool overtaking)
{
    uint32_t used;

    comm->lane = (int)(context / 2 % (uint64_t)count); /* contexts count up in steps of two */
    if (comm->whole)
        comm->whole->lane = comm->lane;
    comm->spread = overtaking ? count : 1;
    used = comm->spread > 1 ? (1u << comm->spread) - 1 : 1u << comm->lane;
    /* release: the lanes are open */
    atomic_fetch_or_explicit(&lane_used, used, memory_order_release);
}

struct lane_set lane_take_all(const struct comm *comm)
{
    struct lane_set h = {lanes, lanes + comm->spread};

    for (struct lane *lane = h.first; lane < h.end; lane++)
        lane_take(lane);
    return h;
}

void lane_release_all(struct lane_set h)
{
    while (h.end-- > h.first)
        lane_release(h.end);
}

struct lane_set lane_take_spread(const struct comm *comm, int tag)
{
    bool is_ordered = atomic_load_explicit(&comm->is_ordered, memory_order_relaxed);
    struct lane *lane;

    if (tag != MPI_ANY_TAG && !is_ordered) {
        lane = lane_to(comm, PLANE_P2P, tag);
        lane_take(lane);
        if (!atomic_load_explicit(&comm->is_ordered, memory_order_relaxed))
            return lane_set_of(lane);
        lane_release(lane); /* another thread was faster: see match_adapt */
    }
    lane_of_thread = LANE_EACH_IN_TURN;
    return lane_take_all(comm);
}
