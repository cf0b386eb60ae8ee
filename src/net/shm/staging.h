/* staging: bounce buffers for payloads that are too long for a ring, where the sender cannot write the
 * receiver's memory.
 *
 * Each arena has a staging area of a few *chunks*. A sender takes a chunk of the receiver's arena, fills it
 * and sends the chunk's number through its ring, in order with its other messages. The receiver passes the
 * payload on in place and frees the chunk. So both sides copy at the same time: the sender fills the next
 * chunk while the receiver empties this one. A chunk is in use only from a send to the poll that receives the
 * message, so a receiver that polls never blocks its senders.
 *
 * Memory order: a chunk is free when its bit in `busy` is clear. A sender sets it with acquire, so that the
 * receiver's reads come before it overwrites the chunk (pairs with the release in staging_give). The ring's
 * message publishes the contents. The receiver clears the bit with release.
 */
#ifndef NET_SHM_STAGING_H
#define NET_SHM_STAGING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STAGING_MOST = 1 << 20, /* bytes of a staging area that are ever used */
    STAGING_CHUNK_MIN = 16 << 10,
    STAGING_CHUNK_MAX = 64 << 10
};

/* An area, in any process that maps it. */
struct staging {
    unsigned char *base;
    _Atomic uint64_t *busy; /* bit i: chunk i is in use */
    uint32_t chunk_size, chunks;
};

/* What the ring's message carries in place of a payload. */
struct staged {
    uint32_t chunk, length;
};

/* All processes of a host pass the same size. */
void staging_init(struct staging *s, unsigned char *base, _Atomic uint64_t *busy, size_t size);

/* Sender: takes a chunk and copies the payload, at most chunk_size bytes, into it. False: none is free. */
bool staging_fill(const struct staging *s, const void *payload, uint32_t length, struct staged *staged);
/* Frees a chunk. Sender: the message could not be sent. Receiver: the payload has been read. */
void staging_give(const struct staging *s, uint32_t chunk);

/* Receiver: the payload; NULL when there is no such chunk. */
const void *staging_payload(const struct staging *s, const struct staged *staged);

#endif
