/* staging: how a payload that is too long for a ring reaches a process whose memory this one cannot write.
 *
 * Each arena has a staging area of a few *chunks*. A sender takes a chunk of the receiver's, fills it, and
 * sends through its ring, in order with all else, a message that tells which chunk; the receiver hands the
 * payload on in place and gives the chunk back. So both sides copy at once: the sender fills the next chunk
 * while the receiver empties this one. A chunk is held only between a send and the poll that takes the
 * message in, so a receiver that polls never keeps its senders waiting.
 *
 * Memory order: a chunk is free when its bit in `busy` is clear. A sender sets it (acquire: what the receiver
 * read is read before it is written over; pairs with the release in staging_give) and publishes the contents
 * with the ring's message; the receiver clears it (release).
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

/* All processes of a host give the same size. */
void staging_init(struct staging *s, unsigned char *base, _Atomic uint64_t *busy, size_t size);

/* Sender: takes a chunk and copies the payload, at most chunk_size bytes, into it; false when none is free.
 */
bool staging_fill(const struct staging *s, const void *payload, uint32_t length, struct staged *staged);
/* Sender: the message could not be sent. Receiver: the payload has been read. */
void staging_give(const struct staging *s, uint32_t chunk);

/* Receiver: the payload; NULL when there is no such chunk. */
const void *staging_payload(const struct staging *s, const struct staged *staged);

#endif
