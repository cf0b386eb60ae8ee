#include "net/shm/ring.h"

#include <string.h>

enum {
    WRAP_KIND = 0xff /* not a message: the rest of the ring is unused, go on at its start */
};

/* The part of the header that publishes a message. */
union head {
    struct {
        uint32_t length;
        uint8_t kind, plane;
        uint16_t reserved;
    } field;
    uint64_t word;
};

_Static_assert(sizeof(union head) == 8 && sizeof(struct message) == 24,
               "the header's layout is the protocol");

static uint64_t lines_of(uint32_t length)
{
    return (sizeof(struct message) + length + RING_LINE - 1) / RING_LINE;
}

size_t ring_message_max(size_t ring_size)
{
    return ring_size / 4 - sizeof(struct message);
}

static _Atomic uint64_t *writer_head(const struct ring_writer *w, uint64_t line)
{
    return (_Atomic uint64_t *)(void *)(w->base + (line & (w->lines - 1)) * RING_LINE);
}

/* The line behind the message must be free too: its head is cleared. */
static bool has_room(struct ring_writer *w, uint64_t lines)
{
    uint64_t end = w->written + lines + 1;

    if (end - w->consumed <= w->lines)
        return true;
    /* pairs with the release in ring_consume */
    w->consumed = atomic_load_explicit(&w->control->consumed, memory_order_acquire);
    return end - w->consumed <= w->lines;
}

static void publish(struct ring_writer *w, union head head, uint64_t lines)
{
    atomic_store_explicit(writer_head(w, w->written + lines), 0, memory_order_relaxed);
    /* pairs with the acquire in ring_peek */
    atomic_store_explicit(writer_head(w, w->written), head.word, memory_order_release);
    w->written += lines;
}

/* Most messages carry a few words; a call of memcpy costs more than moving them. */
static inline void copy_payload(void *to, const void *from, uint32_t length)
{
    if (length == 8)
        memcpy(to, from, 8);
    else if (length)
        memcpy(to, from, length);
}

bool ring_write(struct ring_writer *w, const struct message *message, const void *payload)
{
    uint64_t lines = lines_of(message->length);
    uint64_t left = w->lines - (w->written & (w->lines - 1));
    union head head = {.field = {message->length, message->kind, message->plane, message->reserved}};
    struct message *slot;

    if (lines > left) {
        if (!has_room(w, left + lines))
            return false;
        publish(w, (union head){.field = {.kind = WRAP_KIND}}, left);
    } else if (!has_room(w, lines)) {
        return false;
    }
    slot = (struct message *)(void *)writer_head(w, w->written);
    slot->context = message->context;
    slot->source = message->source;
    slot->tag = message->tag;
    copy_payload(slot + 1, payload, message->length);
    publish(w, head, lines);
    return true;
}

static void *reader_line(const struct ring_reader *r)
{
    return r->base + (r->read & (r->lines - 1)) * RING_LINE;
}

static void consume_lines(struct ring_reader *r, uint64_t lines)
{
    r->read += lines;
    if (r->read - r->reported < r->lines / 8)
        return;
    r->reported = r->read;
    /* pairs with the acquire in has_room */
    atomic_store_explicit(&r->control->consumed, r->read, memory_order_release);
}

const struct message *ring_peek(struct ring_reader *r)
{
    for (;;) {
        _Atomic uint64_t *line = reader_line(r);
        /* pairs with the release in publish */
        union head head = {.word = atomic_load_explicit(line, memory_order_acquire)};

        if (head.word == 0)
            return NULL;
        if (head.field.kind != WRAP_KIND)
            return (const struct message *)(const void *)line;
        consume_lines(r, r->lines - (r->read & (r->lines - 1)));
    }
}

void ring_consume(struct ring_reader *r, const struct message *message)
{
    consume_lines(r, lines_of(message->length));
}
