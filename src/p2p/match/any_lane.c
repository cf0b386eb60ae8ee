#include "p2p/match/any_lane.h"

#include "p2p/rndv/claim.h"
#include "p2p/rndv/recv_advert.h"
#include "plain/fail.h"

#include <stdlib.h>

struct any_lane_recv {
    _Atomic(struct transfer *)
        transfer;        /* NULL once it is claimed; relaxed: the lanes' locks order what it is made of */
    struct link claimed; /* in that of the lane that did */
    struct comm *comm;   /* referenced */
    struct posted entry[NET_LANES]; /* by lane */
    bool is_posted[NET_LANES];      /* it is; with the lane's lock */
};

static struct match_space *space_of(struct comm *comm, int lane)
{
    return &comm->match[lane]->space[PLANE_P2P];
}

/* Where to look first. What was sent before the order was kept comes before what was sent after: that is in
 * the communicator's own lane. Otherwise each in its turn. */
static int first_to_look(const struct comm *comm)
{
    static unsigned turn; /* under the lock of lane 0, which every spread communicator has */

    if (atomic_load_explicit(&comm->is_ordered, memory_order_relaxed))
        return comm->lane + 1;
    return (int)(turn++ % NET_LANES);
}

int any_lane_find_each(struct comm *comm, enum plane plane, struct lane_set held, int source, int tag,
                       struct match_space **space, struct unexpected **u)
{
    int count = (int)(held.end - held.first), first = first_to_look(comm), error = MPI_SUCCESS;

    *u = NULL;
    for (int i = 0; i < count && !error && !*u; i++)
        error = claim_look_in(comm, plane, held.first + (first + i) % count, source, tag, space, u);
    return error;
}

static void unpost_entry(struct any_lane_recv *r, int lane)
{
    if (r->is_posted[lane])
        match_unpost(space_of(r->comm, lane), &r->entry[lane]);
    r->is_posted[lane] = false;
}

static void any_lane_free(struct any_lane_recv *r)
{
    comm_unref(r->comm);
    free(r);
}

static struct any_lane_recv *any_lane_new(struct transfer *t)
{
    struct any_lane_recv *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    comm_ref(t->comm);
    r->comm = t->comm;
    t->any_lane = r;
    atomic_store_explicit(&t->is_any_lane, true, memory_order_relaxed);
    atomic_store_explicit(&r->transfer, t, memory_order_relaxed);
    return r;
}

int any_lane_post(struct transfer *t, int source, int tag)
{
    struct any_lane_recv *r = any_lane_new(t);

    for (int lane = 0; r && lane < t->comm->spread; lane++) {
        if (match_post(space_of(t->comm, lane), &r->entry[lane], source, tag)) {
            r->entry[lane].stamp |= 1;
            r->is_posted[lane] = true;
            continue;
        }
        any_lane_withdraw(t);
        r = NULL;
    }
    return r ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory to post a receive in all lanes");
}

struct transfer *any_lane_claim(struct lane *lane, struct posted *entry)
{
    struct any_lane_recv *r = LIST_ENTRY(entry - lane_number(lane), struct any_lane_recv, entry);
    struct transfer *t = atomic_exchange_explicit(&r->transfer, NULL, memory_order_relaxed);

    r->is_posted[lane_number(lane)] = false;
    if (!t)
        return NULL;
    t->lane = (uint8_t)lane_number(lane);
    t->any_lane = NULL;
    list_add(&lane->claimed, &r->claimed);
    return t;
}

/* When every lane has been held once, nobody looks at it any more. */
void any_lane_unpost_claimed(struct link *claimed)
{
    while (!list_is_empty(claimed)) {
        struct any_lane_recv *r = LIST_ENTRY(claimed->next, struct any_lane_recv, claimed);

        list_remove(&r->claimed);
        for (int lane = 0; lane < r->comm->spread; lane++) {
            lane_take(&lanes[lane]);
            unpost_entry(r, lane);
            lane_release(&lanes[lane]);
        }
        any_lane_free(r);
    }
}

void any_lane_withdraw(struct transfer *t)
{
    struct any_lane_recv *r = t->any_lane;

    t->any_lane = NULL;
    for (int lane = 0; lane < r->comm->spread; lane++)
        unpost_entry(r, lane);
    any_lane_free(r);
}

/* A receive that was posted in one lane, for a message that may come in another one now. */
static void post_in_any_lane(struct transfer *t, int lane)
{
    int source = t->posted.source, tag = t->posted.tag, error;
    struct match_space *space;
    struct unexpected *u;

    match_unpost(space_of(t->comm, lane), &t->posted);
    t->is_posted = false;
    do
        error = any_lane_find_each(t->comm, PLANE_P2P, (struct lane_set){lanes, lanes + t->comm->spread},
                                   source, tag, &space, &u);
    while (u && !claim_take(u));
    if (!error && u) {
        t->lane = (uint8_t)u->from->lane;
        atomic_store_explicit(&t->is_any_lane, true, memory_order_relaxed);
        unexpected_take(&space->unexpected, u);
        recv_begin_unexpected(t, &space->unexpected, u);
        return;
    }
    if (!error)
        error = any_lane_post(t, source, tag);
    if (error)
        transfer_finish(t, error);
}

/* The receives in a lane that its matching space is to be rid of. One that its sender has claimed
 * (recv_advert.h) stays: its message is on its way. */
static void post_all_in_any_lane(struct comm *comm, int lane)
{
    uint32_t count;
    struct posted **list = match_list_posted(space_of(comm, lane), &count);

    for (uint32_t i = 0; i < count; i++)
        if (!match_is_any_lane(list[i]) && recv_advert_withdraw(LIST_ENTRY(list[i], struct transfer, posted)))
            post_in_any_lane(LIST_ENTRY(list[i], struct transfer, posted), lane);
    free(list);
}

void any_lane_keep_order(struct comm *comm)
{
    struct lane_set held;

    if (!lane_is_spread(comm, PLANE_P2P))
        return;
    held = lane_take_all(comm);
    if (!atomic_exchange_explicit(&comm->is_ordered, true, memory_order_relaxed))
        for (int lane = 0; lane < comm->spread; lane++)
            if (lane != comm->lane && comm->match[lane])
                post_all_in_any_lane(comm, lane);
    lane_release_all(held);
}
