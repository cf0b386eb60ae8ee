/* A joint copy: a large message that sender and receiver copy at once, each with its own core.
 *
 * The message is cut into chunks. The receiver, once matched, says HELP and reads chunks from the sender's
 * memory, beginning at the front; the sender, if it looks while some are left, writes chunks into the
 * receiver's, beginning at the back. (So each finds in its cache what it wrote there the last time.) Nobody
 * waits: a sender that does not look gets no chunk. Who copied the last chunk knows that the whole message is
 * there, and tells the other: the receiver FIN, the sender HELPED.
 *
 * Chunks are taken from a *deal* in a line of memory that both see. The receiver opens a deal for one copy at
 * a time; it is free again when all its chunks have been copied. It carries the number of the copy, so that a
 * late sender gets nothing of a later one. Where a chunk cannot be copied, its deal is never free again, and
 * the receiver asks for the message in pieces; what the sender still copies then is the same data, and it is
 * done before it takes the question in.
 */
#include "base/log.h"
#include "hint/hint.h"
#include "net/net.h"
#include "p2p/transfer.h"
#include "progress/progress.h"

#include <stdatomic.h>
#include <string.h>

enum {
    DEALS = 4, /* copies of one direction under way at once */
    CHUNK_UNIT = 4096,
    CHUNK_LARGE = 256 * 1024,
    CHUNKS_MAX = 32 * 1024,
    BACK_SHIFT = 16,
    NUMBER_SHIFT = 32
};

struct deal {
    _Atomic uint64_t taken; /* number of the copy << 32 | chunks taken from the back << 16 | from the front */
    _Atomic uint32_t copied; /* chunks; see count_copied */
    uint32_t chunks;         /* of the present or the last copy; owner: the receiver */
};

_Static_assert(DEALS * sizeof(struct deal) <= 64, "the deals fit into the transport's line");

enum end {
    FRONT,
    BACK
};

/* One copy, as each side sees it. */
struct joint {
    struct deal *deal;
    size_t bytes, chunk; /* of the message; of one chunk */
    uint32_t number, chunks;
};

/* Few chunks, since each costs a system call; but two at least, the first a bit larger, since its reader has
 * begun already when HELP arrives. */
static size_t chunk_size(size_t bytes)
{
    size_t half = bytes / 2 + CHUNK_UNIT, least = bytes / CHUNKS_MAX + 1;
    size_t chunk = half < CHUNK_LARGE ? half : least > CHUNK_LARGE ? least : CHUNK_LARGE;

    return (chunk + CHUNK_UNIT - 1) / CHUNK_UNIT * CHUNK_UNIT;
}

static size_t chunk_count(size_t bytes, size_t chunk)
{
    return (bytes + chunk - 1) / chunk;
}

/* Takes the next chunk from one end: `length` bytes from byte `at` of the message on. False: none is left. */
static bool take_chunk(const struct joint *j, enum end end, size_t *at, size_t *length)
{
    uint64_t one = end == FRONT ? 1 : (uint64_t)1 << BACK_SHIFT;
    uint64_t taken = atomic_load_explicit(&j->deal->taken, memory_order_relaxed);
    uint32_t front, back;

    do {
        front = (uint16_t)taken;
        back = (uint16_t)(taken >> BACK_SHIFT);
        if (taken >> NUMBER_SHIFT != j->number || front + back >= j->chunks)
            return false;
        /* relaxed: HELP has brought all else over, and the chunk is nobody else's */
    } while (!atomic_compare_exchange_weak_explicit(&j->deal->taken, &taken, taken + one,
                                                    memory_order_relaxed, memory_order_relaxed));
    *at = (size_t)(end == FRONT ? front : j->chunks - 1 - back) * j->chunk;
    *length = j->bytes - *at < j->chunk ? j->bytes - *at : j->chunk;
    return true;
}

/* True when these were the last. */
static bool count_copied(const struct joint *j, uint32_t chunks)
{
    /* release: what this side copied; acquire: who counts the last one has what the other side copied */
    return chunks &&
           atomic_fetch_add_explicit(&j->deal->copied, chunks, memory_order_acq_rel) + chunks == j->chunks;
}

/* The deals of what this peer sends here; NULL where a joint copy would not pay, or cannot be. While this
 * process has offers out itself both sides have something to copy already. */
static struct deal *find_deals(const struct transfer *t, uint64_t address)
{
    const struct transport *net = t->peer->transport;

    if (t->total < (size_t)hint_process.value[HINT_JOINT_LIMIT] || t->layout || t->device || !net->line ||
        t->is_alone || lane_has_offers(lane_of_transfer(t)) || progress_is_crowded())
        return NULL;
    return net_map(t->peer, address, t->total) || net->get(t->peer, NULL, 0, 0) == MPI_SUCCESS
               ? net->line(t->peer, true)
               : NULL;
}

/* Receiver: reads a chunk from the sender's memory. */
static int read_chunk(struct transfer *t, uint64_t address, size_t at, size_t length)
{
    const void *there = net_map(t->peer, address + at, length);
    struct iovec to = {t->buffer + at, length};

    if (!there)
        return t->peer->transport->get(t->peer, &to, 1, address + at);
    memcpy(t->buffer + at, there, length);
    return MPI_SUCCESS;
}

/* Sender: writes a chunk into the receiver's memory. */
static int write_chunk(struct transfer *t, uint64_t address, size_t at, size_t length)
{
    void *there = net_map(t->peer, address + at, length);

    if (!there)
        return t->peer->transport->put(t->peer, t->buffer + at, address + at, length);
    memcpy(there, t->buffer + at, length);
    return MPI_SUCCESS;
}

/* Opens one of the deals, and gives its index; -1: all are in use. */
static int open_deal(struct deal *deals, size_t bytes, struct joint *j)
{
    struct deal *d = deals;

    /* acquire: pairs with count_copied; nobody copies a chunk of the last copy any more */
    while (d < deals + DEALS && atomic_load_explicit(&d->copied, memory_order_acquire) != d->chunks)
        d++;
    if (d == deals + DEALS)
        return -1;
    *j = (struct joint){.deal = d, .bytes = bytes, .chunk = chunk_size(bytes)};
    j->chunks = (uint32_t)chunk_count(bytes, j->chunk);
    j->number = (uint32_t)(atomic_load_explicit(&d->taken, memory_order_relaxed) >> NUMBER_SHIFT) + 1;
    d->chunks = j->chunks;
    atomic_store_explicit(&d->copied, 0, memory_order_relaxed);
    /* relaxed, like the store before: the sender learns of this number from HELP, which comes later */
    atomic_store_explicit(&d->taken, (uint64_t)j->number << NUMBER_SHIFT, memory_order_relaxed);
    return (int)(d - deals);
}

/* A sender that cannot be told for want of memory does not come; it may still hear FIN. */
static void ask_for_help(struct transfer *t, const struct joint *j, int index)
{
    struct help help = {.sender = t->partner,
                        .receiver = object_handle(&request_of(t)->object),
                        .bytes = j->bytes,
                        .address = (uint64_t)(uintptr_t)t->buffer,
                        .chunk = j->chunk,
                        .number = j->number,
                        .deal = (uint32_t)index};

    t->is_joint = true;
    (void)transfer_tell(t, MESSAGE_HELP, &help, sizeof help);
}

static void ask_for_pieces(struct transfer *t)
{
    t->is_joint = false;
    recv_fetch(t);
}

bool joint_copy(struct transfer *t, uint64_t address)
{
    struct deal *deals = find_deals(t, address);
    struct joint j;
    int index = deals ? open_deal(deals, t->total, &j) : -1;
    size_t at, length;
    uint32_t copied = 0;

    if (index < 0)
        return false;
    ask_for_help(t, &j, index);
    for (; take_chunk(&j, FRONT, &at, &length); copied++)
        if (read_chunk(t, address, at, length)) {
            ask_for_pieces(t);
            return true;
        }
    if (count_copied(&j, copied))
        recv_finish_offered(t);
    return true;
}

/* Sender: copies the chunks that it gets. */
static void help_copying(struct transfer *t, const struct joint *j, const struct help *help)
{
    struct helped helped = {.receiver = help->receiver};
    size_t at, length;
    uint32_t copied = 0;
    bool is_last;

    while (!helped.has_failed && take_chunk(j, BACK, &at, &length)) {
        if (write_chunk(t, help->address, at, length))
            helped.has_failed = 1;
        else
            copied++;
    }
    is_last = count_copied(j, copied);
    if ((is_last || helped.has_failed) && transfer_tell(t, MESSAGE_HELPED, &helped, sizeof helped))
        log_die("no memory to tell process %d that its message is there", t->peer->process);
    if (is_last)
        send_finish_offered(t);
}

static bool can_write(const struct transfer *t, uint64_t address, size_t bytes)
{
    return net_map(t->peer, address, bytes) ||
           t->peer->transport->put(t->peer, t->buffer, 0, 0) == MPI_SUCCESS;
}

void joint_on_help(const struct arrival *a)
{
    const struct transport *net = a->from->transport;
    struct help help;
    struct joint j;
    struct transfer *t;

    if (a->message->length != sizeof help || !net->line)
        return;
    memcpy(&help, a->payload, sizeof help);
    t = send_find_offered(help.sender, a->from);
    if (!t || t->device_kind || help.bytes > t->bytes || help.chunk < CHUNK_UNIT || help.deal >= DEALS ||
        chunk_count(help.bytes, help.chunk) > CHUNKS_MAX || !can_write(t, help.address, help.bytes))
        return;
    j = (struct joint){.deal = (struct deal *)net->line(a->from, false) + help.deal,
                       .bytes = help.bytes,
                       .chunk = help.chunk,
                       .number = help.number,
                       .chunks = (uint32_t)chunk_count(help.bytes, help.chunk)};
    help_copying(t, &j, &help);
}

void joint_on_helped(const struct arrival *a)
{
    struct helped helped;
    struct request *r;
    struct transfer *t;

    if (a->message->length != sizeof helped)
        return;
    memcpy(&helped, a->payload, sizeof helped);
    r = pool_find(&request_pool, helped.receiver);
    if (!r || r->kind != REQUEST_RECV || request_is_done(r))
        return;
    t = transfer_of(r);
    if (!t->is_joint || t->peer != a->from)
        return;
    if (helped.has_failed)
        ask_for_pieces(t);
    else
        transfer_finish(t, r->status.error);
}
