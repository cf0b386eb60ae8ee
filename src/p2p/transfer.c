#include "p2p/transfer.h"

#include "net/net.h"
#include "plain/fail.h"

#include <stdlib.h>

/* Threads of several lanes would take the communicator's count of references away from each other all the
 * time: when several are at work it is counted per lane. The caller holds the lane, and for as long as it is
 * here somebody holds the communicator. */
void transfer_hold_comm(struct transfer *t)
{
    struct match *match = match_of(t->comm, transfer_lane(t));

    t->user_lane = (uint8_t)(match ? t->lane + 1 : 0);
    /* relaxed: who adds the first has the reference before it gives the request away */
    if (!match || atomic_fetch_add_explicit(&match->users, 1, memory_order_relaxed) == 0)
        comm_ref(t->comm);
}

static void drop_comm(struct transfer *t)
{
    struct match *match;

    if (!t->user_lane) {
        comm_unref(t->comm);
        return;
    }
    match = t->comm->match[t->user_lane - 1];
    /* release: what was done with the communicator comes before; acquire by the last */
    if (atomic_fetch_sub_explicit(&match->users, 1, memory_order_acq_rel) == 1)
        comm_unref(t->comm);
}

static void transfer_release(struct request *r)
{
    struct transfer *t = transfer_of(r);

    if (t->packed) /* the look costs less than the call */
        free(t->packed);
    if (t->layout)
        datatype_unref(t->layout);
    drop_comm(t);
}

struct request_ops transfer_ops = {.release = transfer_release};

void transfer_finish(struct transfer *t, int error)
{
    struct request *r = transfer_request(t);

    if (t->under_way.next)
        list_remove(&t->under_way);
    request_complete(r, error ? error : t->fault);
    if (t->on_done)
        t->on_done(r, t->context);
    if (object_unref(&r->object)) /* no transfer is immortal */
        request_release(r);
}

void transfer_unpost(struct transfer *t)
{
    match_unpost(&t->comm->match[t->lane]->space[t->plane], &t->posted);
}

__attribute__((noinline)) void transfer_count_watched(struct comm *comm, enum plane plane, size_t bytes)
{
    if (plane != PLANE_P2P)
        return;
    comm_count(comm, METRIC_COMM_RECEIVED_MESSAGES, 1);
    comm_count(comm, METRIC_COMM_RECEIVED_BYTES, bytes);
}

struct transfer *transfer_find_recv(uint64_t handle, const struct peer *from)
{
    struct request *r = pool_find(&request_pool, handle);
    struct transfer *t = r && r->kind == REQUEST_RECV && !request_is_done(r) ? transfer_of(r) : NULL;

    return t && t->peer == from ? t : NULL;
}

void transfer_set_layout(struct transfer *t, MPI_Count count, struct datatype *type)
{
    const void *run;

    if (!t->device && datatype_is_run(type, count, t->buffer, &run)) {
        t->buffer = (unsigned char *)(uintptr_t)run;
        return;
    }
    datatype_ref(type);
    t->layout = type;
}

void transfer_unpack(struct transfer *t, size_t from, const void *payload, size_t bytes)
{
    int error = datatype_unpack_to(t->device, t->layout, t->buffer, from, payload, bytes);

    if (__builtin_expect(error != 0, 0) && !t->fault)
        t->fault = error;
}

struct lane_set transfer_take_lanes(struct transfer *t)
{
    struct lane *lane = transfer_lane(t);

    if (!atomic_load_explicit(&t->is_any_lane, memory_order_relaxed)) {
        lane_take(lane);
        /* any_lane_keep_order holds all lanes when it sets this */
        if (!atomic_load_explicit(&t->is_any_lane, memory_order_relaxed))
            return lane_set_of(lane);
        lane_release(lane);
    }
    return lane_take_all(t->comm);
}

/* True when it will be called later. Requests that are no transfers are done from the start. */
static bool set_on_done(struct request *r, transfer_done_fn *on_done, void *context)
{
    struct transfer *t = transfer_of(r);
    struct lane_set held;
    bool later;

    if (request_is_done(r))
        return false;
    held = transfer_take_lanes(t);
    later = !request_is_done(r);
    if (later) {
        t->on_done = on_done;
        t->context = context;
    }
    lane_release_set(held);
    return later;
}

void transfer_on_done(struct request *r, transfer_done_fn *on_done, void *context)
{
    if (!set_on_done(r, on_done, context))
        on_done(r, context);
}
