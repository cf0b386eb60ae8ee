/* Single copies: the receiver reads the sender's memory, or its transport does, and says FIN. */
#include "net/net.h"
#include "p2p/rndv/rndv.h"

#include <stdlib.h>
#include <string.h>

enum {
    READ_BYTES = 64 * 1024, /* of a message that is to be unpacked, at a time: still in cache then */
    LONG_RUN = 1024, /* bytes: from here on runs of an item are read faster one by one (bench/notes.md) */
    FEW_RUNS = 16    /* that do not tell yet how long the others are */
};

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

/* Reads bytes of the message, from byte `at` on, straight to where they belong. Returns how many; 0: none,
 * since they are better unpacked, or cannot be read. */
static size_t read_in_place(struct transfer *t, uint64_t address, size_t at, size_t end)
{
    struct iovec piece[NET_PIECES], there = {(void *)(uintptr_t)(address + at), 0};
    int pieces = t->device ? 0 : list_pieces(t, at, end, piece, &there.iov_len);
    size_t bytes = there.iov_len;

    if (!pieces || t->peer->transport->copy(t->peer, false, piece, pieces, &there, 1) != MPI_SUCCESS)
        return 0;
    return bytes;
}

/* The same for so many bytes, through a buffer; 0: they cannot be read. */
static size_t read_and_unpack(struct transfer *t, uint64_t address, size_t at, size_t bytes)
{
    struct lane *lane = lane_of_peer(t->peer);

    if ((!lane->unpack_buffer && !(lane->unpack_buffer = malloc(READ_BYTES))) ||
        !net_get(t->peer, lane->unpack_buffer, address + at, bytes))
        return 0;
    transfer_unpack(t, at, lane->unpack_buffer, bytes);
    return bytes;
}

/* Into items with gaps, or into memory that only a device reaches. */
static bool read_items(struct transfer *t, uint64_t address, size_t bytes)
{
    const void *there = net_map(t->peer, address, bytes);
    size_t at = 0;

    if (there)
        transfer_unpack(t, 0, there, bytes);
    else if (!t->peer->transport->copy)
        return false;
    while (!there && at < bytes) {
        size_t n = read_in_place(t, address, at, bytes);

        if (!n)
            n = read_and_unpack(t, address, at, transfer_min(bytes - at, READ_BYTES));
        if (!n)
            return false;
        at += n;
    }
    return true;
}

static bool may_read(const struct transfer *t, const struct rndv_rts *in)
{
    (void)t;
    return !in->has_export;
}

static bool start_read(struct transfer *t, const struct rndv_rts *in)
{
    uint64_t address = in->wire.rts.address;

    if (t->total &&
        !(t->layout ? read_items(t, address, t->total) : net_get(t->peer, t->buffer, address, t->total)))
        return false;
    rndv_send_fin(t);
    return true;
}

/* Sender. */
static void on_fin(const struct arrival *a)
{
    struct fin fin;
    struct transfer *t;

    if (a->message->length != sizeof fin)
        return;
    memcpy(&fin, a->payload, sizeof fin);
    t = rndv_find_send(fin.sender, a->from);
    if (t)
        rndv_finish_send(t);
}

const struct rndv_protocol rndv_read_protocol = {.fits = may_read, .start = start_read, .on_message = on_fin};

static bool may_net_read(const struct transfer *t, const struct rndv_rts *in)
{
    return !in->has_export && in->wire.rts.key && !t->layout && t->peer->transport->read;
}

/* The transport says READ at the end. */
static bool start_net_read(struct transfer *t, const struct rndv_rts *in)
{
    const struct rts *rts = &in->wire.rts;
    struct exposed exposed = {rts->address, rts->key, EXPOSED_MESSAGE};
    struct message done = {
        .kind = MESSAGE_READ, .plane = t->plane, .context = object_handle(&transfer_request(t)->object)};

    t->awaits_read = t->peer->transport->read(t->peer, t->buffer, &exposed, 0, t->total, &done);
    return t->awaits_read;
}

/* What could not be read comes as DATA. */
static void on_read(const struct arrival *a)
{
    struct transfer *t = transfer_find_recv(a->message->context, a->from);

    if (!t || !t->awaits_read)
        return;
    t->awaits_read = false;
    if (a->message->tag == MPI_SUCCESS)
        rndv_send_fin(t);
    else
        rndv_send_cts(t);
}

const struct rndv_protocol rndv_net_read_protocol = {
    .fits = may_net_read, .start = start_net_read, .on_message = on_read};
