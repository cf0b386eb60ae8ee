#include "p2p/stage.h"

#include "base/fail.h"
#include "datatype/datatype.h"

#include <stdatomic.h>

enum {
    LARGE = 2,  /* so many stages of a quarter of the staging memory ... */
    SMALL = 8,  /* ... and so many of a sixteenth */
    STEP = 2048 /* bytes published at once at first; the receiver begins while the next are packed */
};

#define TAKEN UINT64_MAX /* in `emptied`: the receiver has all that it wants */

/* Lies in the sender's staging memory. */
struct stage {
    _Alignas(64) _Atomic uint64_t filled;  /* bytes of the message packed so far; written by the sender */
    uint64_t room;                         /* of the data; constant */
    uint64_t start;                        /* where in the data the message begins; constant while it lasts */
    _Alignas(64) _Atomic uint64_t emptied; /* bytes unpacked, or TAKEN; written by the receiver */
    _Alignas(64) unsigned char data[];
};

/* A stage of this process. */
struct own_stage {
    struct stage *memory;
    size_t next; /* where its next message begins */
    bool is_lent;
};

static struct own_stage own[LARGE + SMALL];
static unsigned char *staging;                   /* of this process; NULL: not asked for yet */
static struct link streams = LIST_INIT(streams); /* sends and receives under way */
static int sends;                                /* of these */

static void lay_out(size_t bytes)
{
    size_t small = bytes / 16 & ~(size_t)63, large = bytes / 4 & ~(size_t)63, at = 0;

    for (int i = 0; i < SMALL + LARGE; i++) {
        size_t size = i < SMALL ? small : large;

        own[i] = (struct own_stage){.memory = (struct stage *)(void *)(staging + at)};
        own[i].memory->room = size - sizeof(struct stage);
        at += size;
    }
}

static bool is_free(const struct own_stage *o)
{
    /* acquire: pairs with the release in stage_empty; the receiver has read what will be overwritten */
    return !o->is_lent || atomic_load_explicit(&o->memory->emptied, memory_order_acquire) == TAKEN;
}

/* The smallest that the message fits into as a whole, else the last, which is large. */
static struct own_stage *find_free(size_t bytes)
{
    struct own_stage *last = NULL;

    for (int i = 0; i < SMALL + LARGE; i++) {
        if (!is_free(&own[i]))
            continue;
        last = &own[i];
        if (bytes <= last->memory->room)
            break;
    }
    return last;
}

struct stage *stage_open(const struct transport *net, size_t bytes)
{
    struct own_stage *o;
    size_t size;

    if (!net->staging)
        return NULL;
    if (!staging) {
        staging = net->staging(&size);
        if (!staging)
            return NULL;
        lay_out(size);
    }
    o = find_free(bytes);
    if (!o)
        return NULL;
    /* Each message begins where the one before ended: memory that both cores have just touched is slow. */
    o->memory->start = o->next;
    o->next = (o->next + bytes + 63) / 64 * 64 % o->memory->room;
    o->is_lent = true;
    atomic_store_explicit(&o->memory->filled, 0, memory_order_relaxed); /* the offer publishes these two */
    atomic_store_explicit(&o->memory->emptied, 0, memory_order_relaxed);
    return o->memory;
}

void stage_close(struct stage *stage)
{
    atomic_store_explicit(&stage->emptied, TAKEN, memory_order_relaxed);
}

uint64_t stage_name(const struct stage *stage)
{
    return stage ? (uint64_t)((const unsigned char *)stage - staging) + 1 : 0;
}

struct stage *stage_of(struct peer *peer, uint64_t name)
{
    const struct transport *net = peer->transport;
    uint64_t at = name - 1;
    struct stage *s;

    if (!name || at % 64 || !net->staging_of)
        return NULL;
    s = net->staging_of(peer, at, sizeof *s);
    return s && net->staging_of(peer, at, sizeof *s + s->room) ? s : NULL;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
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

/* Packs as far as there is room. Returns how often it published. */
static int fill(struct transfer *t)
{
    struct stage *s = t->stage;
    /* acquire: pairs with the release in stage_empty */
    uint64_t emptied = atomic_load_explicit(&s->emptied, memory_order_acquire);
    int steps = 0;

    if (emptied == TAKEN)
        t->moved = t->total;
    while (t->moved < t->total && t->moved - emptied < s->room) {
        size_t at = (s->start + t->moved) % s->room,
               n = smaller(step_of(t->moved, t->total), t->total - t->moved);

        n = smaller(n, smaller(s->room - at, s->room - (t->moved - emptied)));
        datatype_pack(t->layout, t->buffer, t->moved, s->data + at, n);
        t->moved += n;
        atomic_store_explicit(&s->filled, t->moved, memory_order_release); /* pairs with empty */
        t->peer->transport->nudge(t->peer);
        steps++;
    }
    return steps;
}

/* Unpacks as far as there is data. Returns how often it made room. */
static int empty(struct transfer *t)
{
    struct stage *s = t->stage;
    int steps = 0;

    while (t->moved < t->total) {
        /* acquire: pairs with the release in fill */
        size_t filled = atomic_load_explicit(&s->filled, memory_order_acquire);
        size_t at = (s->start + t->moved) % s->room, n = smaller(filled, t->total) - t->moved;

        if (filled <= t->moved)
            break;
        n = smaller(n, s->room - at);
        transfer_put(t, t->moved, s->data + at, n);
        t->moved += n;
        /* release: pairs with fill and is_free */
        atomic_store_explicit(&s->emptied, t->moved < t->total ? t->moved : TAKEN, memory_order_release);
        t->peer->transport->nudge(t->peer);
        steps++;
    }
    return steps;
}

static bool is_over(const struct transfer *t)
{
    if (t->moved < t->total)
        return false;
    /* A synchronous send is over when the receive has begun; acquire as in fill. */
    return !t->is_synchronous || atomic_load_explicit(&t->stage->emptied, memory_order_acquire);
}

static bool is_send(struct transfer *t)
{
    return request_of(t)->kind == REQUEST_SEND;
}

static void finish(struct transfer *t)
{
    transfer_finish(t, request_of(t)->status.error);
}

void stage_start(struct transfer *t)
{
    (void)(is_send(t) ? fill(t) : empty(t));
    if (is_over(t)) {
        finish(t);
        return;
    }
    list_add(&streams, &t->pushing);
    sends += is_send(t);
}

int stage_poll(void)
{
    struct link *next;
    int steps = 0;

    for (struct link *l = streams.next; l != &streams; l = next) {
        struct transfer *t = LIST_ENTRY(l, struct transfer, pushing);

        next = l->next;
        steps += is_send(t) ? fill(t) : empty(t);
        if (!is_over(t))
            continue;
        list_remove(&t->pushing);
        sends -= is_send(t);
        finish(t);
        steps++;
    }
    return steps;
}

bool stage_is_sending(void)
{
    return sends > 0;
}
