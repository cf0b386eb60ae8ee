#include "p2p/rndv/pack_pipeline.h"

#include "datatype/datatype.h"
#include "memory/heap.h"
#include "net/net.h"
#include "plain/cpu.h"
#include "plain/fail.h"

#include "p2p/rndv/rndv.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    SMALL = 8, /* so many pipelines ... */
    SMALL_BYTES = 128 * 1024,
    LARGE = 2, /* ... and, behind them, so many of these */
    LARGE_BYTES = 256 * 1024,
    STEP = 2048, /* bytes published at once at first; the receiver begins while the next are packed */
    TAKEN_RUN = 256
};

#define TAKEN UINT64_MAX /* in `emptied`: the receiver has all that it wants */

/* Lies in the sender's heap. */
struct pack_pipeline {
    _Alignas(64) _Atomic uint64_t filled;  /* bytes of the message packed so far; written by the sender */
    uint64_t room;                         /* of the data; constant */
    uint64_t start;                        /* where in the data the message begins; constant while it lasts */
    _Atomic uint64_t claim;                /* of the message: claim.h */
    _Alignas(64) _Atomic uint64_t emptied; /* bytes unpacked, or TAKEN; written by the receiver */
    _Alignas(64) unsigned char data[];
};

/* A pipeline of this process. */
struct own_pipeline {
    struct pack_pipeline *memory;
    size_t next; /* where its next message begins */
    bool is_in_use;
    const struct peer *to; /* that its message goes to, or the last one went to */
};

/* With its head; of the pipeline with this index. */
static size_t size_of(int i)
{
    return i < SMALL ? SMALL_BYTES : LARGE_BYTES;
}

/* False when there is no memory that others see. */
static bool allocate(struct own_pipeline *o, size_t bytes)
{
    struct extent *extent; /* never freed */

    o->memory = heap_alloc(bytes, _Alignof(struct pack_pipeline), &extent);
    if (!o->memory)
        return false;
    o->memory->room = bytes - sizeof(struct pack_pipeline);
    return true;
}

static bool is_free(const struct own_pipeline *o)
{
    /* acquire: pairs with the release in unpack_from; the receiver has read what will be overwritten */
    return !o->is_in_use || atomic_load_explicit(&o->memory->emptied, memory_order_acquire) == TAKEN;
}

/* The first that the message fits into as a whole, else the last, which is large. */
static struct own_pipeline *find_free(struct lane *lane, size_t bytes)
{
    struct own_pipeline *last;
    int found = -1;

    if (!lane->pipelines)
        lane->pipelines = calloc(SMALL + LARGE, sizeof *lane->pipelines);
    for (int i = 0; lane->pipelines && i < SMALL + LARGE; i++) {
        if (!is_free(&lane->pipelines[i]))
            continue;
        found = i;
        if (bytes <= size_of(i) - sizeof(struct pack_pipeline))
            break;
    }
    if (found < 0)
        return NULL;
    last = &lane->pipelines[found];
    return last->memory || allocate(last, size_of(found)) ? last : NULL;
}

static struct pack_pipeline *open_pipeline(const struct peer *peer, size_t bytes)
{
    struct own_pipeline *o = peer->transport->nudge ? find_free(lane_of_peer(peer), bytes) : NULL;

    if (!o)
        return NULL;
    /* Each message begins where the one before ended: memory that both cores have just touched is slow. */
    o->memory->start = o->next;
    o->next = (o->next + bytes + 63) / 64 * 64 % o->memory->room;
    o->is_in_use = true;
    o->to = peer;
    atomic_store_explicit(&o->memory->filled, 0, memory_order_relaxed); /* the RTS publishes these two */
    atomic_store_explicit(&o->memory->emptied, 0, memory_order_relaxed);
    return o->memory;
}

static void close_pipeline(struct pack_pipeline *pipeline)
{
    atomic_store_explicit(&pipeline->emptied, TAKEN, memory_order_relaxed);
}

static struct pack_pipeline *find_pipeline(struct peer *peer, uint64_t address)
{
    struct pack_pipeline *s =
        address % _Alignof(struct pack_pipeline) ? NULL : net_map(peer, address, sizeof *s);

    return s && s->room && net_map(peer, address, sizeof *s + s->room) ? s : NULL;
}

_Atomic uint64_t *pack_pipeline_claim(struct peer *peer, uint64_t address)
{
    struct pack_pipeline *s = find_pipeline(peer, address);

    return s ? &s->claim : NULL;
}

/* How much to publish at once, of a message of so many bytes: little at first, so that the receiver begins.
 */
static size_t step_of(size_t moved, size_t total)
{
    size_t step = STEP;

    while (step < moved && step * 4 < total && step < 4 * STEP)
        step *= 2;
    return step;
}

/* Takes the lines of [at, at + bytes) from the receiver, which read what lay there before, all at once;
 * packing alone waits for them a few at a time. Not where the items' runs are short: then packing waits for
 * these. */
static void take_lines(const struct datatype *type, const unsigned char *at, size_t bytes)
{
    if (layout_first_run(&type->items) < TAKEN_RUN)
        return;
    for (const unsigned char *line = at; line < at + bytes; line += 64)
        cpu_prefetch(line);
}

/* Packs as far as there is room. Returns how often it published. */
static int pack_into(struct transfer *t)
{
    struct pack_pipeline *s = t->pipeline;
    /* acquire: pairs with the release in unpack_from: the room that it has made is free */
    uint64_t emptied = atomic_load_explicit(&s->emptied, memory_order_acquire);
    int steps = 0;

    if (emptied == TAKEN)
        t->moved = t->total;
    while (t->moved < t->total && t->moved - emptied < s->room) {
        size_t at = (s->start + t->moved) % s->room,
               n = transfer_min(step_of(t->moved, t->total), t->total - t->moved);

        n = transfer_min(n, transfer_min(s->room - at, s->room - (t->moved - emptied)));
        take_lines(t->layout, s->data + at, n);
        datatype_pack(t->layout, t->buffer, t->moved, s->data + at, n);
        t->moved += n;
        atomic_store_explicit(&s->filled, t->moved,
                              memory_order_release); /* pairs with the acquire in unpack_from */
        t->peer->transport->nudge(t->peer);
        steps++;
    }
    return steps;
}

/* Unpacks as far as there is data. Returns how often it made room. */
static int unpack_from(struct transfer *t)
{
    struct pack_pipeline *s = t->pipeline;
    int steps = 0;

    while (t->moved < t->total) {
        /* acquire: pairs with the release in fill */
        size_t filled = atomic_load_explicit(&s->filled, memory_order_acquire);
        size_t at = (s->start + t->moved) % s->room, n = transfer_min(filled, t->total) - t->moved;

        if (filled <= t->moved)
            break;
        n = transfer_min(n, s->room - at);
        transfer_put(t, t->moved, s->data + at, n);
        t->moved += n;
        /* release: pairs with fill and is_free */
        atomic_store_explicit(&s->emptied, t->moved < t->total ? t->moved : TAKEN, memory_order_release);
        t->peer->transport->nudge(t->peer);
        steps++;
    }
    return steps;
}

static bool is_finished(const struct transfer *t)
{
    if (t->moved < t->total)
        return false;
    /* A synchronous send is over when the receive has begun; acquire as in fill. */
    return !t->is_synchronous || atomic_load_explicit(&t->pipeline->emptied, memory_order_acquire);
}

static bool is_send(struct transfer *t)
{
    return transfer_request(t)->kind == REQUEST_SEND;
}

static void finish_piped(struct transfer *t)
{
    transfer_finish(t, transfer_request(t)->status.error);
}

static void start_moving(struct transfer *t)
{
    (void)(is_send(t) ? pack_into(t) : unpack_from(t));
    if (is_finished(t)) {
        finish_piped(t);
        return;
    }
    list_add(&transfer_lane(t)->piped, &t->under_way);
    transfer_lane(t)->piped_sends += is_send(t);
}

bool pack_pipeline_withdraw(struct transfer *t)
{
    uint64_t holder = object_handle(&transfer_request(t)->object);

    /* acquire and release: as in claim.c */
    if (!atomic_compare_exchange_strong_explicit(&t->pipeline->claim, &holder, 0, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return false;
    close_pipeline(t->pipeline);
    transfer_lane(t)->piped_sends--;
    return true;
}

int pack_pipeline_poll(struct lane *lane)
{
    struct link *next;
    int steps = 0;

    for (struct link *l = lane->piped.next; l != &lane->piped; l = next) {
        struct transfer *t = LIST_ENTRY(l, struct transfer, under_way);

        next = l->next;
        steps += is_send(t) ? pack_into(t) : unpack_from(t);
        if (!is_finished(t))
            continue;
        lane->piped_sends -= is_send(t);
        finish_piped(t);
        steps++;
    }
    return steps;
}

void pack_pipeline_lose(const struct peer *peer, int error)
{
    struct lane *lane = lane_of_peer(peer);
    struct link *next;

    for (int i = 0; lane->pipelines && i < SMALL + LARGE; i++)
        if (lane->pipelines[i].is_in_use && lane->pipelines[i].to == peer)
            close_pipeline(lane->pipelines[i].memory);
    for (struct link *l = lane->piped.next; l != &lane->piped; l = next) {
        struct transfer *t = LIST_ENTRY(l, struct transfer, under_way);

        next = l->next;
        if (t->peer != peer)
            continue;
        lane->piped_sends -= is_send(t);
        transfer_finish(t, error);
    }
}

static bool is_in_pipeline(const struct transfer *t, const struct rndv_rts *in)
{
    (void)t;
    return !in->wire.rts.sender;
}

static bool start_unpacking(struct transfer *t, const struct rndv_rts *in)
{
    t->pipeline = find_pipeline(t->peer, in->wire.rts.address);
    if (t->pipeline)
        start_moving(t);
    else
        transfer_finish(t, fail(MPI_ERR_OTHER, "cannot map the memory that a message lies in"));
    return true;
}

const struct rndv_protocol pack_pipeline_protocol = {.fits = is_in_pipeline, .start = start_unpacking};

/* The RTS has no answer. */
static int start_packing(const void *buf, size_t bytes, struct datatype *type, const struct envelope *e,
                         struct peer *peer, struct pack_pipeline *pipeline, struct request **request)
{
    struct message m = transfer_message(e->comm, e->plane, e->tag, MESSAGE_RTS, sizeof(struct rts));
    struct rts rts = {.bytes = bytes, .address = (uint64_t)(uintptr_t)pipeline};
    struct transfer *t;
    int error = transfer_new_send(buf, bytes, peer, e->comm, e->plane, request);

    if (error)
        return error;
    t = transfer_of(*request);
    if (e->plane == PLANE_P2P) {
        rts.key = object_handle(&(*request)->object);
        /* relaxed: the RTS publishes it */
        atomic_store_explicit(&pipeline->claim, rts.key, memory_order_relaxed);
    }
    t->total = bytes;
    t->pipeline = pipeline;
    datatype_ref(type);
    t->layout = type;
    lane_count_sent(lane_of_peer(peer), e->comm, e->plane, METRIC_RENDEZVOUS_MESSAGES, bytes);
    error = packet_send(peer, &m, &rts, NULL);
    return error ? transfer_abandon(*request, error) : MPI_SUCCESS;
}

int pack_pipeline_isend(const void *buf, size_t bytes, struct datatype *type, const struct envelope *e,
                        enum send_mode mode, struct request **request)
{
    struct lane *lane = lane_to(e->comm, e->plane, e->tag);
    struct peer *peer;
    struct pack_pipeline *pipeline;
    int error = MPI_SUCCESS;

    *request = NULL;
    lane_take(lane);
    peer = net_peer(lane_number(lane), e->comm->process[e->peer]);
    pipeline = peer ? open_pipeline(peer, bytes) : NULL;
    if (pipeline) {
        error = start_packing(buf, bytes, type, e, peer, pipeline, request);
        if (error) {
            close_pipeline(pipeline);
        } else {
            transfer_of(*request)->is_synchronous = mode == SEND_SYNCHRONOUS;
            start_moving(transfer_of(*request));
        }
    } else if (!peer) {
        error = fail_class();
    }
    lane_release(lane);
    return error;
}
