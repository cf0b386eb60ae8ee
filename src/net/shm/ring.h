/* ring: messages from one sender to one receiver of the same host, through shared memory.
 *
 * A ring is an array of 64-byte cells and, behind it, an area for data; both lie in the receiver's arena. A
 * message is one cell: its header and, up to RING_INLINE bytes, its payload; a longer payload lies in the
 * data area, in one piece. The receiver knows a new message by the *lap* in the header, which differs from
 * the one that this cell carried the last time round; so it writes nothing into the ring, and a small message
 * costs one cache-line handoff. The sender publishes by storing the first 8 bytes of the header with release;
 * the receiver polls them with acquire.
 *
 * Owners: cells and data belong to the sender from the moment control->cells (control->data) passes them
 * until it publishes them. These two are written by the receiver (release, every eighth of the ring) and read
 * by the sender (acquire) when it believes the ring full. Neither side does an atomic read-modify-write.
 */
#ifndef NET_SHM_RING_H
#define NET_SHM_RING_H

#include "net/transport.h"

#include <stdatomic.h>

enum {
    RING_CELL = 64,
    RING_INLINE = RING_CELL - sizeof(struct message),
    RING_SIZE_MIN = 4096
};

/* Two cache lines per ring, in the receiver's arena; the first is written by the receiver alone. */
struct ring_control {
    _Alignas(RING_CELL) _Atomic uint64_t cells;        /* freed since the beginning */
    _Atomic uint64_t data;                             /* bytes freed since the beginning */
    _Atomic uint32_t watched;                          /* see bell.h */
    _Alignas(RING_CELL) unsigned char line[RING_CELL]; /* transport's line() */
};

/* Where a ring's parts are and how far one side has come. Positions count from the beginning and never wrap.
 */
struct ring {
    unsigned char *base;
    struct ring_control *control;
    uint64_t cells, data_size; /* powers of two */
    uint64_t cell, data;       /* positions: of the sender's next message, or the receiver's */
    uint64_t seen_cells;       /* sender: control->cells as last seen; receiver: as last written */
    uint64_t seen_data;
    uint16_t lap; /* of `cell`: never 0, and different from that of one lap before */
};

/* `ring_size` bytes at base: a power of two, at least RING_SIZE_MIN; a quarter is cells. */
void ring_init(struct ring *r, void *base, size_t ring_size, struct ring_control *control);

/* Largest payload of one message. */
size_t ring_message_max(size_t ring_size);

/* Sender. False when there is no room: nothing was written. */
bool ring_write(struct ring *w, const struct message *message, const void *payload);

/* Receiver. The next message, in place; NULL when there is none. It and its payload stay until ring_consume.
 */
const struct message *ring_peek(const struct ring *r);
const void *ring_payload(const struct ring *r, const struct message *message);
void ring_consume(struct ring *r, const struct message *message);

#endif
