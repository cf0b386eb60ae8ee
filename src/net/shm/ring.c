#include "net/shm/ring.h"

#include "base/copy.h"
#include "plain/cpu.h"

enum {
    DATA_ALIGN = RING_CELL,
    SEND_AHEAD = 4, /* cells ahead that the sender asks for early */
    READ_AHEAD = 2  /* the same for the receiver: more would take away what the sender is about to write */
};

/* The part of the header that publishes a message. */
union head {
    struct {
        uint32_t length;
        uint8_t kind, plane;
        uint16_t lap;
    } field;
    uint64_t word;
};

_Static_assert(sizeof(union head) == 8 && sizeof(struct message) == 24,
               "the header's layout is the protocol");

void ring_init(struct ring *r, void *base, size_t ring_size, struct ring_control *control)
{
    *r = (struct ring){.base = base,
                       .control = control,
                       .cells = ring_size / 4 / RING_CELL,
                       .data_size = ring_size / 2,
                       .lap = 1};
}

size_t ring_message_max(size_t ring_size)
{
    return ring_size / 8;
}

static inline struct message *cell_at(const struct ring *r, uint64_t cell)
{
    return (struct message *)(void *)(r->base + (cell & (r->cells - 1)) * RING_CELL);
}

static inline void next_cell(struct ring *r)
{
    if ((++r->cell & (r->cells - 1)) == 0 && ++r->lap == 0)
        r->lap = 1;
}

static unsigned char *data_at(const struct ring *r, uint64_t data)
{
    return r->base + r->cells * RING_CELL + (data & (r->data_size - 1));
}

/* Where a payload of this length goes when the data area is at `data`: never across its end. */
static uint64_t data_start(const struct ring *r, uint64_t data, uint32_t length)
{
    uint64_t left = r->data_size - (data & (r->data_size - 1));

    return length <= left ? data : data + left;
}

static uint64_t data_end(uint64_t start, uint32_t length)
{
    return (start + length + DATA_ALIGN - 1) & ~(uint64_t)(DATA_ALIGN - 1);
}

static bool ring_has_room(struct ring *w, uint64_t end)
{
    if (w->cell - w->seen_cells < w->cells && end - w->seen_data <= w->data_size)
        return true;
    /* pair with the releases in ring_consume */
    w->seen_cells = atomic_load_explicit(&w->control->cells, memory_order_acquire);
    w->seen_data = atomic_load_explicit(&w->control->data, memory_order_acquire);
    return w->cell - w->seen_cells < w->cells && end - w->seen_data <= w->data_size;
}

/* Puts a finished line where both cores find it soonest: in the cache that they share, not in this core's
 * own. Processors that do not know the instruction take it for a no-op. */
static inline void ring_hand_over(const void *line)
{
#if defined(__x86_64__)
    __asm__ volatile("cldemote %0" : : "m"(*(const char *)line));
#else
    (void)line;
#endif
}

bool ring_write(struct ring *w, const struct message *message, const void *payload)
{
    union head head = {.field = {message->length, message->kind, message->plane, 0}};
    struct message *cell = cell_at(w, w->cell);
    uint64_t start = w->data, end = w->data;

    if (message->length > RING_INLINE) {
        start = data_start(w, w->data, message->length);
        end = data_end(start, message->length);
    }
    if (!ring_has_room(w, end))
        return false;
    cpu_prefetch(cell_at(w, w->cell + SEND_AHEAD));
    if (message->length > RING_INLINE)
        memcpy(data_at(w, start), payload, message->length);
    else
        copy_bytes(cell + 1, payload, message->length);
    cell->context = message->context;
    cell->source = message->source;
    cell->tag = message->tag;
    head.field.lap = w->lap;
    /* publishes; pairs with the acquire in ring_peek */
    atomic_store_explicit((_Atomic uint64_t *)(void *)cell, head.word, memory_order_release);
    ring_hand_over(cell);
    next_cell(w);
    w->data = end;
    return true;
}

const struct message *ring_peek(const struct ring *r)
{
    struct message *cell = cell_at(r, r->cell);
    /* pairs with the release in ring_write */
    union head head = {.word = atomic_load_explicit((_Atomic uint64_t *)(void *)cell, memory_order_acquire)};

    return head.field.lap == r->lap ? cell : NULL;
}

const void *ring_payload(const struct ring *r, const struct message *message)
{
    if (message->length <= RING_INLINE)
        return message + 1;
    return data_at(r, data_start(r, r->data, message->length));
}

/* An eighth at a time, so that the sender's copy of the line is seldom invalidated. */
static void ring_report(struct ring *r)
{
    if (r->cell - r->seen_cells >= r->cells / 8) {
        r->seen_cells = r->cell;
        atomic_store_explicit(&r->control->cells, r->cell, memory_order_release); /* pairs with has_room */
    }
    if (r->data - r->seen_data >= r->data_size / 8) {
        r->seen_data = r->data;
        atomic_store_explicit(&r->control->data, r->data, memory_order_release); /* likewise */
    }
}

void ring_consume(struct ring *r, const struct message *message)
{
    if (message->length > RING_INLINE)
        r->data = data_end(data_start(r, r->data, message->length), message->length);
    next_cell(r);
    __builtin_prefetch(cell_at(r, r->cell + READ_AHEAD), 0);
    ring_report(r);
}
