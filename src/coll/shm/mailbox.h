/* mailbox: shared memory in which each rank of a communicator publishes what it contributes to a collective.
 *
 * A mailbox has one owner, which writes it; all ranks map and read it. It has a *line* for each of the next
 * operations and, behind the lines, *segments* for payloads that do not fit into a line. Segments are filled
 * one after the other. Small mailboxes have small segments, large ones have few large segments.
 *
 * Operations have sequence numbers, the same on all ranks. The owner writes the line of the sequence number,
 * modulo the number of lines, and publishes it: it stores the sequence number with release. Readers poll for
 * that number with acquire. The upper half of the line's tag is stored with it, above its 48 bits. The header of a line says how far its owner had got with earlier operations, so
 * ranks that read each other's lines know without another load when a line may be written again. Other ranks
 * read `done`.
 *
 * The number of lines and segments is the mailbox's *shape*. Mailboxes that all calls of one form share have
 * 64 lines: a rank that runs ahead of the others seldom checks how far they are.
 *
 * Owners: a line belongs to the mailbox's owner from the moment when every rank has completed the operation
 * that had it before, until it is published. A segment belongs to it from the moment when every rank has
 * completed the operations that used it, until its payload is published. Only the owner writes `done`, with
 * release, after its last read of what the others have published in the operation. Readers load it with
 * acquire.
 *
 * Waking: a rank that publishes wakes the ranks that sleep (transport.h: nudge). Nobody is woken for `done`:
 * a rank that waits for it runs far ahead, and naps instead of sleeping.
 */
#ifndef COLL_SHM_MAILBOX_H
#define COLL_SHM_MAILBOX_H

#include "base/list.h"
#include "coll/shm/region.h"
#include "comm/comm.h"

#include <stdatomic.h>

enum {
    MAILBOX_RANKS = REGION_RANKS,
    MAILBOX_LINES = 64, /* at most; a power of two, as all numbers of lines */
    SEGMENTS_MOST = 32,
    BCAST_MOST =
        128 * 1024, /* bytes of a broadcast under one sequence number: the others copy out meanwhile */
    LINE_SIZE = REGION_UNIT,
    LINE_BYTES = LINE_SIZE - 16, /* of payload */
    PAYLOAD_UNIT = 64,
    SMALL_SEGMENTS = 32,
    SYNC_SEGMENTS = 8, /* used by ranks that wait for each other; a rank that runs ahead uses all */
    SMALL_SEGMENT = 8 * 1024,
    SMALL_MOST = SMALL_SEGMENT / 2, /* bytes of one operation; the root of a scatterv may fill a segment */
    PREFETCH_MOST = 1024,           /* bytes that are asked for early: as many lines as a core can wait for */
    INTER_SEGMENTS = 4,             /* for broadcasts between groups */
    INTER_SEGMENT = 64 * 1024,
    LARGE_SEGMENTS = 4,
    LARGE_SEGMENT = 256 * 1024,
    LARGE_MOST = LARGE_SEGMENT,
    SEQUENCE_BITS = 48,
    TAG_LOWER_BITS = 16 /* of a tag, in the header */
};

struct mailbox_header {
    uint32_t bytes : 24; /* of payload */
    uint32_t lag : 8;    /* sequence number minus the owner's `done` then: MAILBOX_LINES at most */
    uint16_t offset;     /* of a payload that is not in the line: from the mailbox, in PAYLOAD_UNITs */
    uint16_t tag;        /* the lower half */
};

struct mailbox_line {
    _Alignas(LINE_SIZE) _Atomic uint64_t sequence; /* and the upper half of the tag */
    struct mailbox_header head;
    unsigned char data[LINE_BYTES];
};

struct mailbox {
    _Alignas(LINE_SIZE) _Atomic uint64_t done; /* the last sequence number that its owner has completed */
    _Atomic uint64_t told;                     /* owner: host_tree.c */
    _Atomic uint64_t
        left; /* the last one that its owner has left without a line, for a loss; relaxed: before `done` */
    struct mailbox_line line[]; /* the segments are behind them */
};

struct mailbox_shape {
    uint32_t lines;
    size_t segments, segment; /* how many, and the bytes of each */
};

static inline size_t mailbox_bytes(struct mailbox_shape shape)
{
    return sizeof(struct mailbox) + shape.lines * sizeof(struct mailbox_line) +
           shape.segments * shape.segment;
}

/* A rank, as this one sees it. */
struct mailbox_peer {
    struct mailbox *mailbox;           /* mapped */
    struct peer *peer;                 /* NULL: this process */
    const _Atomic uint32_t *attention; /* NULL: it is never woken; else the peer's, see transport.h */
    uint64_t done;                     /* as last seen */
};

/* The mailboxes of one communicator for one kind of call, or for one persistent collective. */
struct mailboxes {
    uint64_t sequence; /* of the last operation begun */
    uint64_t all_done; /* every rank has completed this one, at least */
    uint64_t before;   /* owner: shm_request.c; of a persistent slot: `sequence` before the last start */
    struct comm *comm; /* whose they are */
    int rank, size;
    struct mailbox *mine;
    struct mailbox_shape shape;
    size_t used;                      /* where the next payload goes ... */
    uint64_t last_use[SEGMENTS_MOST]; /* ... and the last operation in each segment */
    struct shm_region *region;        /* owned; NULL: part of ... */
    struct slot_slab *slab;           /* ... this, see persistent_slot.h */
    bool can_get, all_mapped;         /* as struct shm_region's */
    bool is_backward;          /* owner of this and the next three: single_copy.c; as the last call went */
    void *scratch;             /* owned, as the next: memory for portions of a call, ... */
    void *cached_bounce;       /* ... and the last call's bounce buffer; NULL: in use, or none */
    uint8_t cached_bounce_log; /* log2 of its bytes */
    struct link unpublished;   /* owner: shm_request.c; requests in flight that have not published, and ... */
    struct link published;     /* ... those that have, in the order of their sequence numbers; ... */
    struct link link;          /* ... and where these are, the list of mailboxes with requests */
    bool stays_awake;          /* since one of them waits for `done` */
    struct mailbox_peer peer[]; /* by rank */
};

/* Mailboxes for comm, in a region that exists, `offset` bytes from its begin, where it is zero; NULL: no memory. region
 * NULL: in a region of their own. That is collective; NULL, on all ranks: one of them cannot have or map them. */
struct mailboxes *mailbox_new(struct comm *comm, struct mailbox_shape shape, const struct shm_region *region,
                              size_t offset);
/* Those of a team, in a region of their own: ranks of the mailboxes are those of the region. Not `can`: this rank has none, so none of its
 * team has. */
struct mailboxes *mailbox_new_in(struct comm *comm, struct mailbox_shape shape,
                                 const struct region_team *team, bool can);
/* This rank has completed its last operation. NULL is fine. */
void mailbox_free(struct mailboxes *boxes);

/* Whether this rank is of another job and has ended. What it had published before stays. */
bool mailbox_has_lost(const struct mailboxes *boxes, int rank);
/* Where the job survives: whether a rank is lost or the communicator revoked. Ranks that live may not come any more then. */
bool mailbox_is_hit(const struct mailboxes *boxes);
/* Whether every rank that has not ended has completed operation `sequence`. */
bool mailbox_all_done(struct mailboxes *boxes, uint64_t sequence);
/* Whether this rank may write its line of an operation. */
bool mailbox_is_writable(struct mailboxes *boxes, uint64_t sequence);
/* Memory for the payload of operation `sequence`, which is read up to operation `last`. A rank that runs
 * ahead of the others uses more segments. NULL: not yet. */
unsigned char *mailbox_reserve(struct mailboxes *boxes, uint64_t sequence, size_t bytes, uint64_t last,
                               bool runs_ahead);
/* Publishes this rank's line of an operation, and the `bytes` bytes at `payload`, which mailbox_reserve has
 * given. Wakes nobody. */
void mailbox_publish(struct mailboxes *boxes, uint64_t sequence, const unsigned char *payload, size_t bytes,
                     uint32_t tag);
/* Takes the cache line of a later operation from the ranks that have read it, for a rank that writes many
 * without waiting. Where each waits for the others this only delays what they wait for. */
void mailbox_prefetch(struct mailboxes *boxes, uint64_t sequence);
/* Wakes the ranks from `first` to `last` that sleep: they may wait for a store that came before this. */
void mailbox_wake(const struct mailboxes *boxes, int first, int last);
/* This rank leaves operation `sequence` without a line, for a loss. */
void mailbox_leave(struct mailboxes *boxes, uint64_t sequence);
/* Whether a rank whose line is not there has completed operation `sequence`; it may have left it. */
bool mailbox_is_past(struct mailboxes *boxes, int rank, uint64_t sequence);
bool mailbox_has_left(const struct mailboxes *boxes, int rank, uint64_t sequence);
/* This rank has completed operation `sequence`, and all before it. */
void mailbox_end(struct mailboxes *boxes, uint64_t sequence);

/* Kinds of memory that the buffers of the calls may be of. */
static inline int64_t mailbox_kinds(const struct mailboxes *s)
{
    return hint_buffer_kinds(&s->comm->hints);
}

static inline struct mailbox_line *mailbox_line(const struct mailboxes *s, int rank, uint64_t sequence)
{
    return &s->peer[rank].mailbox->line[sequence & (s->shape.lines - 1)];
}

/* The tag of a line that has been polled. */
static inline uint32_t mailbox_tag(const struct mailbox_line *line)
{
    uint64_t word = atomic_load_explicit(&line->sequence, memory_order_relaxed);

    return (uint32_t)(word >> SEQUENCE_BITS) << TAG_LOWER_BITS | line->head.tag;
}

/* A payload that is not in the line. */
static inline unsigned char *mailbox_payload(const struct mailboxes *s, int rank,
                                             const struct mailbox_line *line)
{
    return (unsigned char *)s->peer[rank].mailbox + (size_t)line->head.offset * PAYLOAD_UNIT;
}

static inline const unsigned char *mailbox_data(const struct mailboxes *s, int rank, uint64_t sequence)
{
    const struct mailbox_line *line = mailbox_line(s, rank, sequence);

    return line->head.bytes <= LINE_BYTES ? line->data : mailbox_payload(s, rank, line);
}

/* Whether a rank has published its line of an operation. */
static inline bool mailbox_poll(struct mailboxes *s, int rank, uint64_t sequence)
{
    const struct mailbox_line *line = mailbox_line(s, rank, sequence);

    /* pairs with the release in mailbox_publish */
    if ((atomic_load_explicit(&line->sequence, memory_order_acquire) ^ sequence) << (64 - SEQUENCE_BITS))
        return false;
    s->peer[rank].done = sequence - line->head.lag;
    return true;
}

#endif
