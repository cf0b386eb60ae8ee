/* ring: messages from one sender to one receiver of the same host, through shared memory.
 *
 * A ring is an array of 64-byte lines in the receiver's arena. A message takes as many lines as its header
 * and payload need, never wraps, and is *published* by storing the first 8 bytes of its header (length and
 * kind, never 0) with release; the receiver polls those 8 bytes with acquire. Before publishing, the sender
 * clears the first 8 bytes behind the message, where the receiver will look next. So a small message costs
 * one cache-line handoff, and the receiver writes nothing into the ring.
 *
 * Owners: lines belong to the sender from the moment `consumed` passes them until it publishes them.
 * control->consumed is written by the receiver (release, every eighth of the ring) and read by the sender
 * (acquire) when it believes the ring full. Nobody does an atomic read-modify-write.
 */
#ifndef NET_SHM_RING_H
#define NET_SHM_RING_H

#include "net/transport.h"

#include <stdatomic.h>

enum {
    RING_LINE = 64,
    RING_SIZE_MIN = 4096
};

/* One cache line per ring, in the receiver's arena; written by the receiver alone. */
struct ring_control {
    _Alignas(RING_LINE) _Atomic uint64_t consumed; /* lines freed since the beginning */
    _Atomic uint32_t watched;                      /* see bell.h */
};

struct ring_writer {
    unsigned char *base;
    struct ring_control *control;
    uint64_t lines;    /* in the ring, a power of two */
    uint64_t written;  /* lines published since the beginning */
    uint64_t consumed; /* control->consumed as last seen */
};

struct ring_reader {
    unsigned char *base;
    struct ring_control *control;
    uint64_t lines;
    uint64_t read;     /* lines consumed since the beginning */
    uint64_t reported; /* what control->consumed says */
};

/* Largest payload that a ring of this many bytes takes in one message. */
size_t ring_message_max(size_t ring_size);

/* False when there is no room: nothing was written. */
bool ring_write(struct ring_writer *w, const struct message *message, const void *payload);

/* The next message, in place (payload behind it); NULL when there is none. It stays until ring_consume. */
const struct message *ring_peek(struct ring_reader *r);
void ring_consume(struct ring_reader *r, const struct message *message);

#endif
