#include "p2p/transfer.h"

#include "base/fail.h"
#include "net/net.h"

#include <stdlib.h>

enum {
    GET_BYTES = 64 * 1024, /* of a message that is to be unpacked, at a time: still in cache then */
    LONG_RUN = 1024, /* bytes: from here on runs of an item are got faster one by one (bench/notes.md) */
    FEW_RUNS = 16    /* that do not tell yet how long the others are */
};

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

static int transfer_cancel(struct request *r)
{
    return r->kind == REQUEST_SEND ? send_cancel(r) : p2p_cancel_recv(r);
}

const struct request_ops transfer_ops = {.cancel = transfer_cancel, .release = transfer_release};

void transfer_finish(struct transfer *t, int error)
{
    struct request *r = transfer_request(t);

    if (t->under_way.next)
        list_remove(&t->under_way);
    request_complete(r, error ? error : t->fault);
    if (t->on_done)
        t->on_done(r, t->context);
    request_unref(r);
}

void transfer_unpost(struct transfer *t)
{
    match_unpost(&t->comm->match[t->lane]->space[t->plane], &t->posted);
}

int transfer_send_control(struct transfer *t, enum message_kind kind, const void *payload, size_t length)
{
    struct message m = {.length = (uint32_t)length,
                        .kind = (uint8_t)kind,
                        .plane = t->plane,
                        .context = t->comm->context,
                        .source = t->comm->rank};

    return packet_send(t->peer, &m, payload, NULL);
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

static bool get_run(struct peer *peer, void *to, uint64_t address, size_t bytes)
{
    struct iovec piece = {to, bytes};

    return peer->transport->get(peer, &piece, 1, address) == MPI_SUCCESS;
}

static bool are_long(int runs, size_t bytes)
{
    return bytes >= (size_t)runs * LONG_RUN;
}

/* Where the bytes of the message from byte `at` on go to, as far as `end` and NET_PIECES pieces reach, and
 * how many bytes that is. Returns how many pieces; 0: they are short. */
static int list_pieces(const struct transfer *t, size_t at, size_t end, struct iovec *piece, size_t *bytes)
{
    size_t start = at;
    int n = 0;

    while (at < end && n < NET_PIECES && (n < FEW_RUNS || are_long(n, at - start))) {
        struct runs r = layout_runs(&t->layout->items, t->buffer, (MPI_Count)at);

        for (; r.count && at < end && n < NET_PIECES; r.count--) {
            piece[n] = (struct iovec){r.at, transfer_min((size_t)r.bytes, end - at)};
            at += piece[n++].iov_len;
            r.at += r.stride;
        }
    }
    *bytes = at - start;
    return are_long(n, *bytes) ? n : 0;
}

/* Gets bytes of the message, from byte `at` on, straight to where they belong. Returns how many; 0: none,
 * since they are better unpacked, or cannot be got. */
static size_t get_in_place(struct transfer *t, uint64_t address, size_t at, size_t end)
{
    struct iovec piece[NET_PIECES];
    size_t bytes;
    int pieces = t->device ? 0 : list_pieces(t, at, end, piece, &bytes);

    if (!pieces || t->peer->transport->get(t->peer, piece, pieces, address + at) != MPI_SUCCESS)
        return 0;
    return bytes;
}

/* The same for so many bytes, through a buffer; 0: they cannot be got. */
static size_t get_and_unpack(struct transfer *t, uint64_t address, size_t at, size_t bytes)
{
    struct lane *lane = lane_of_peer(t->peer);

    if ((!lane->part && !(lane->part = malloc(GET_BYTES))) ||
        !get_run(t->peer, lane->part, address + at, bytes))
        return 0;
    transfer_put(t, at, lane->part, bytes);
    return bytes;
}

bool transfer_get(struct transfer *t, uint64_t address, size_t bytes)
{
    const void *there = net_map(t->peer, address, bytes);
    size_t at = 0;

    if (there) {
        transfer_put(t, 0, there, bytes);
        return true;
    }
    if (!t->peer->transport->get)
        return false;
    if (!t->layout)
        return get_run(t->peer, t->buffer, address, bytes);
    while (at < bytes) {
        size_t n = get_in_place(t, address, at, bytes);

        if (!n)
            n = get_and_unpack(t, address, at, transfer_min(bytes - at, GET_BYTES));
        if (!n)
            return false;
        at += n;
    }
    return true;
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
