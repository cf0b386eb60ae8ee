#include "p2p/wide.h"

#include "base/fail.h"
#include "p2p/announce.h"
#include "p2p/claim.h"

#include <stdlib.h>

struct wide {
    _Atomic(struct transfer *)
        transfer;                   /* NULL once it is claimed; acquire and release: what it is made of */
    struct link claimed;            /* in that of the lane that did */
    struct comm *comm;              /* referenced */
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

int wide_look(struct comm *comm, enum plane plane, struct hold held, int source, int tag,
              struct match_space **space, struct unexpected **u)
{
    int count = (int)(held.end - held.first), first = first_to_look(comm), error = MPI_SUCCESS;

    *u = NULL;
    for (int i = 0; i < count && !error && !*u; i++)
        error = match_look_in(comm, plane, held.first + (first + i) % count, source, tag, space, u);
    return error;
}

static void unpost(struct wide *w, int lane)
{
    if (w->is_posted[lane])
        match_unpost(space_of(w->comm, lane), &w->entry[lane]);
    w->is_posted[lane] = false;
}

static void wide_free(struct wide *w)
{
    comm_unref(w->comm);
    free(w);
}

static struct wide *wide_new(struct transfer *t)
{
    struct wide *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    comm_ref(t->comm);
    w->comm = t->comm;
    t->wide = w;
    atomic_store_explicit(&t->is_wide, true, memory_order_relaxed);
    atomic_store_explicit(&w->transfer, t, memory_order_release);
    return w;
}

int wide_post(struct transfer *t, int source, int tag)
{
    struct wide *w = wide_new(t);

    for (int lane = 0; w && lane < t->comm->spread; lane++) {
        if (match_post(space_of(t->comm, lane), &w->entry[lane], source, tag)) {
            w->entry[lane].stamp |= 1;
            w->is_posted[lane] = true;
            continue;
        }
        wide_withdraw(t);
        w = NULL;
    }
    return w ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory to post a receive in all lanes");
}

struct transfer *wide_claim(struct lane *lane, struct posted *entry)
{
    struct wide *w = LIST_ENTRY(entry - lane_number(lane), struct wide, entry);
    struct transfer *t = atomic_exchange_explicit(&w->transfer, NULL, memory_order_acq_rel);

    w->is_posted[lane_number(lane)] = false;
    if (!t)
        return NULL;
    t->lane = (uint8_t)lane_number(lane);
    t->wide = NULL;
    list_add(&lane->claimed, &w->claimed);
    return t;
}

/* When every lane has been held once, nobody looks at it any more. */
void wide_take_back(struct link *claimed)
{
    while (!list_is_empty(claimed)) {
        struct wide *w = LIST_ENTRY(claimed->next, struct wide, claimed);

        list_remove(&w->claimed);
        for (int lane = 0; lane < w->comm->spread; lane++) {
            lane_take(&lanes[lane]);
            unpost(w, lane);
            lane_release(&lanes[lane]);
        }
        wide_free(w);
    }
}

void wide_withdraw(struct transfer *t)
{
    struct wide *w = t->wide;

    t->wide = NULL;
    for (int lane = 0; lane < w->comm->spread; lane++)
        unpost(w, lane);
    wide_free(w);
}

/* A receive that was posted in one lane, for a message that may come in another one now. */
static void widen(struct transfer *t, int lane)
{
    int source = t->posted.source, tag = t->posted.tag, error;
    struct match_space *space;
    struct unexpected *u;

    match_unpost(space_of(t->comm, lane), &t->posted);
    t->is_posted = false;
    do
        error = wide_look(t->comm, PLANE_P2P, (struct hold){lanes, lanes + t->comm->spread}, source, tag,
                          &space, &u);
    while (u && !claim_take(u));
    if (!error && u) {
        t->lane = (uint8_t)u->from->lane;
        atomic_store_explicit(&t->is_wide, true, memory_order_relaxed);
        unexpected_take(&space->unexpected, u);
        recv_begin_kept(t, &space->unexpected, u);
        return;
    }
    if (!error)
        error = wide_post(t, source, tag);
    if (error)
        transfer_finish(t, error);
}

/* The receives in a lane that its matching space is to be rid of. One that its sender has claimed
 * (announce.h) stays: its message is on its way. */
static void widen_all(struct comm *comm, int lane)
{
    uint32_t count;
    struct posted **list = match_list_posted(space_of(comm, lane), &count);

    for (uint32_t i = 0; i < count; i++)
        if (!posted_is_wide(list[i]) && announce_withdraw(LIST_ENTRY(list[i], struct transfer, posted)))
            widen(LIST_ENTRY(list[i], struct transfer, posted), lane);
    free(list);
}

void wide_keep_order(struct comm *comm)
{
    struct hold held = lanes_hold_all(comm);

    if (!atomic_exchange_explicit(&comm->is_ordered, true, memory_order_relaxed))
        for (int lane = 0; lane < comm->spread; lane++)
            if (lane != comm->lane && comm->match[lane])
                widen_all(comm, lane);
    lanes_let_go(held);
}
