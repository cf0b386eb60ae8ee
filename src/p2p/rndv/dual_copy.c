/* dual_copy: sender and receiver copy a large message at once, each with its own core.
 *
 * The message is cut into chunks. The receiver, once matched, says CTS_DUAL. It reads chunks from the sender's
 * memory, beginning at the front. The sender, if it polls while some are left, writes chunks into the receiver's
 * memory, beginning at the back. (So each finds in its cache what it wrote there the last time.) Nobody waits: a
 * sender that does not poll gets no chunk. The side that copied the last chunk tells the other: the receiver says
 * FIN, the sender FIN_DUAL.
 *
 * Both sides take chunks from a *chunk queue* in a line of memory that both see. The receiver opens a queue for
 * one copy at a time. The queue is free again when all its chunks have been copied. It carries the number of the
 * copy, so that a late sender gets no chunk of a later one. When a chunk cannot be copied, its queue is never
 * free again, and the receiver asks for the message by CTS. What the sender still copies then is the same data,
 * and it is done before it takes in the CTS.
 */
#include "hint/hint.h"
#include "net/net.h"
#include "p2p/rndv/rndv.h"
#include "plain/log.h"
#include "progress/progress.h"

#include <stdatomic.h>
#include <string.h>

enum {
    CHUNK_QUEUES = 4, /* copies of one direction under way at once */
    CHUNK_UNIT = 4096,
    CHUNK_LARGE = 256 * 1024,
    CHUNKS_MAX = 32 * 1024,
    BACK_SHIFT = 16,
    NUMBER_SHIFT = 32
};

struct chunk_queue {
    _Atomic uint64_t taken; /* number of the copy << 32 | chunks taken from the back << 16 | from the front */
    _Atomic uint32_t copied; /* chunks; see count_copied */
    uint32_t chunks;         /* of the present or the last copy; owner: the receiver */
};

_Static_assert(CHUNK_QUEUES * sizeof(struct chunk_queue) <= 64,
               "the chunk queues fit into the transport's line");

enum end {
    FRONT,
    BACK
};

/* One copy, as each side sees it. */
struct dual_copy {
    struct chunk_queue *chunk_queue;
    size_t bytes, chunk; /* of the message; of one chunk */
    uint32_t number, chunks;
};

/* Few chunks, since each costs a system call; but two at least, the first a bit larger, since its reader has
 * begun already when CTS_DUAL arrives. */
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
static bool take_chunk(const struct dual_copy *j, enum end end, size_t *at, size_t *length)
{
    uint64_t one = end == FRONT ? 1 : (uint64_t)1 << BACK_SHIFT;
    uint64_t taken = atomic_load_explicit(&j->chunk_queue->taken, memory_order_relaxed);
    uint32_t front, back;

    do {
        front = (uint16_t)taken;
        back = (uint16_t)(taken >> BACK_SHIFT);
        if (taken >> NUMBER_SHIFT != j->number || front + back >= j->chunks)
            return false;
        /* relaxed: CTS_DUAL has brought all else over, and the chunk is nobody else's */
    } while (!atomic_compare_exchange_weak_explicit(&j->chunk_queue->taken, &taken, taken + one,
                                                    memory_order_relaxed, memory_order_relaxed));
    *at = (size_t)(end == FRONT ? front : j->chunks - 1 - back) * j->chunk;
    *length = j->bytes - *at < j->chunk ? j->bytes - *at : j->chunk;
    return true;
}

/* True when these were the last. */
static bool count_copied(const struct dual_copy *j, uint32_t chunks)
{
    /* release: what this side copied; acquire: who counts the last one has what the other side copied */
    return chunks &&
           atomic_fetch_add_explicit(&j->chunk_queue->copied, chunks, memory_order_acq_rel) + chunks ==
               j->chunks;
}

/* Whether it would pay. While this process has sends of its own, both sides have something to copy already. */
static bool pays(const struct transfer *t, const struct rndv_rts *in)
{
    return !in->has_export && t->total >= (size_t)hint_value(&hint_process, HINT_JOINT_LIMIT) && !t->layout &&
           !t->device && t->peer->transport->line && !t->is_single_copy &&
           !lane_has_sends(transfer_lane(t)) && !progress_is_crowded();
}

/* Opens one of the queues, and gives its index; -1: all are in use. */
static int dual_copy_open_queue(struct chunk_queue *queues, size_t bytes, struct dual_copy *j)
{
    struct chunk_queue *d = queues;

    /* acquire: pairs with count_copied; nobody copies a chunk of the last copy any more */
    while (d < queues + CHUNK_QUEUES && atomic_load_explicit(&d->copied, memory_order_acquire) != d->chunks)
        d++;
    if (d == queues + CHUNK_QUEUES)
        return -1;
    *j = (struct dual_copy){.chunk_queue = d, .bytes = bytes, .chunk = chunk_size(bytes)};
    j->chunks = (uint32_t)chunk_count(bytes, j->chunk);
    j->number = (uint32_t)(atomic_load_explicit(&d->taken, memory_order_relaxed) >> NUMBER_SHIFT) + 1;
    d->chunks = j->chunks;
    atomic_store_explicit(&d->copied, 0, memory_order_relaxed);
    /* relaxed, like the store before: the sender learns of this number from CTS_DUAL, which comes later */
    atomic_store_explicit(&d->taken, (uint64_t)j->number << NUMBER_SHIFT, memory_order_relaxed);
    return (int)(d - queues);
}

/* A sender that gets no CTS_DUAL for want of memory takes no chunks; FIN still ends its send. */
static void send_cts_dual(struct transfer *t, const struct dual_copy *j, int index)
{
    struct cts_dual cts_dual = {.sender = t->partner,
                                .receiver = object_handle(&transfer_request(t)->object),
                                .bytes = j->bytes,
                                .address = (uint64_t)(uintptr_t)t->buffer,
                                .chunk = j->chunk,
                                .number = j->number,
                                .chunk_queue = (uint32_t)index};

    t->awaits_dual_copy = true;
    (void)packet_send_control(t, MESSAGE_CTS_DUAL, &cts_dual, sizeof cts_dual);
}

static void fall_back_to_data(struct transfer *t)
{
    t->awaits_dual_copy = false;
    rndv_send_cts(t);
}

static bool start_dual_copy(struct transfer *t, const struct rndv_rts *in)
{
    uint64_t address = in->wire.rts.address;
    struct chunk_queue *queues =
        net_can_copy(t->peer, address, t->total) ? t->peer->transport->line(t->peer, true) : NULL;
    struct dual_copy j;
    int index = queues ? dual_copy_open_queue(queues, t->total, &j) : -1;
    size_t at, length;
    uint32_t copied = 0;

    if (index < 0)
        return false;
    send_cts_dual(t, &j, index);
    for (; take_chunk(&j, FRONT, &at, &length); copied++)
        if (!net_get(t->peer, t->buffer + at, address + at, length)) {
            fall_back_to_data(t);
            return true;
        }
    if (count_copied(&j, copied))
        rndv_send_fin(t);
    return true;
}

/* Sender: copies the chunks that it gets. */
static void copy_as_sender(struct transfer *t, const struct dual_copy *j, const struct cts_dual *cts_dual)
{
    struct fin_dual fin_dual = {.receiver = cts_dual->receiver};
    size_t at, length;
    uint32_t copied = 0;
    bool is_last;

    while (!fin_dual.has_failed && take_chunk(j, BACK, &at, &length)) {
        if (net_put(t->peer, t->buffer + at, cts_dual->address + at, length))
            copied++;
        else
            fin_dual.has_failed = 1;
    }
    is_last = count_copied(j, copied);
    if ((is_last || fin_dual.has_failed) &&
        packet_send_control(t, MESSAGE_FIN_DUAL, &fin_dual, sizeof fin_dual))
        log_die("no memory to tell process %d that its message is there", t->peer->process);
    if (is_last)
        rndv_finish_send(t);
}

static void on_cts_dual(const struct arrival *a)
{
    const struct transport *net = a->from->transport;
    struct cts_dual cts_dual;
    struct dual_copy j;
    struct transfer *t;

    if (a->message->length != sizeof cts_dual || !net->line)
        return;
    memcpy(&cts_dual, a->payload, sizeof cts_dual);
    t = rndv_find_send(cts_dual.sender, a->from);
    if (!t || t->device_kind || cts_dual.bytes > t->bytes || cts_dual.chunk < CHUNK_UNIT ||
        cts_dual.chunk_queue >= CHUNK_QUEUES || chunk_count(cts_dual.bytes, cts_dual.chunk) > CHUNKS_MAX ||
        !net_can_copy(t->peer, cts_dual.address, cts_dual.bytes))
        return;
    j = (struct dual_copy){.chunk_queue =
                               (struct chunk_queue *)net->line(a->from, false) + cts_dual.chunk_queue,
                           .bytes = cts_dual.bytes,
                           .chunk = cts_dual.chunk,
                           .number = cts_dual.number,
                           .chunks = (uint32_t)chunk_count(cts_dual.bytes, cts_dual.chunk)};
    copy_as_sender(t, &j, &cts_dual);
}

static void on_fin_dual(const struct arrival *a)
{
    struct fin_dual fin_dual;
    struct transfer *t;

    if (a->message->length != sizeof fin_dual)
        return;
    memcpy(&fin_dual, a->payload, sizeof fin_dual);
    t = transfer_find_recv(fin_dual.receiver, a->from);
    if (!t || !t->awaits_dual_copy)
        return;
    if (fin_dual.has_failed)
        fall_back_to_data(t);
    else
        transfer_finish(t, transfer_request(t)->status.error);
}

static void on_message(const struct arrival *a)
{
    if (a->message->kind == MESSAGE_CTS_DUAL)
        on_cts_dual(a);
    else
        on_fin_dual(a);
}

const struct rndv_protocol dual_copy_protocol = {
    .fits = pays, .start = start_dual_copy, .on_message = on_message};
