/* station: the memory behind slots.h, one station per rank of a communicator, which all its ranks map.
 *
 * A station has a *line* for each of the next operations, used in turn, and *room* for what does not fit into
 * a line, in parts that are filled one after the other: narrow stations have little of it, wide ones more.
 * Operations are numbered one after the other, the same on all ranks. The owner of a station writes the line
 * of the number, modulo how many there are, and publishes it by storing the number (release); the others look
 * for that number (acquire). A line also says how far its owner had got with earlier operations, so that
 * ranks which see each other's lines need nothing else to know when a line may be written again; the others
 * look at `done`.
 *
 * How many lines and how much room there is, is the stations' *shape*. Those that all calls of one form share
 * have 64 lines, so that who is ahead of the others seldom looks how far they are.
 *
 * Owners: a line belongs to the station's owner from the moment when every rank is through with the operation
 * that had it before, until it is published; a part of the room, from the moment when every rank is through
 * with what was there before, until what is put into it is published. `done` is written by the owner alone,
 * release, after its last look at what the operation's other ranks have published; who reads it does so with
 * acquire.
 *
 * Waking: a rank that publishes wakes those that look at it, if they sleep (transport.h: nudge). Nobody is
 * told of `done`: who waits for that is far ahead, and does not sleep but nap.
 */
#ifndef COLL_STATION_H
#define COLL_STATION_H

#include "base/list.h"
#include "coll/plot.h"
#include "comm/comm.h"

#include <stdatomic.h>

enum {
    STATION_RANKS = PLOT_RANKS,
    LINES_MOST = 64, /* a power of two, as all numbers of lines */
    PARTS_MOST = 32,
    BCAST_MOST = 128 * 1024, /* bytes of a broadcast with one number: the others copy out meanwhile */
    LINE_SIZE = PLOT_UNIT,
    LINE_BYTES = LINE_SIZE - 16,
    ROOM_UNIT = 64,
    NARROW_PARTS = 32,
    NEAR_PARTS = 8, /* that ranks use which wait for each other; the others are for who runs ahead */
    NARROW_PART = 8 * 1024,
    NARROW_MOST = NARROW_PART / 2, /* bytes of one operation */
    WIDE_PARTS = 4,
    WIDE_PART = 256 * 1024,
    WIDE_MOST = WIDE_PART
};

/* What a line says of its operation. */
struct saying {
    uint32_t bytes : 24; /* of data */
    uint32_t behind : 8; /* number minus what the owner was through with then: LINES_MOST at most */
    uint16_t at;         /* of data that is not in the line: where in the station, in units */
    uint16_t what;       /* collective and root */
};

struct line {
    _Alignas(LINE_SIZE) _Atomic uint64_t number;
    struct saying says;
    unsigned char data[LINE_BYTES];
};

struct station {
    _Alignas(LINE_SIZE) _Atomic uint64_t done; /* operations that its owner is through with */
    struct line line[];                        /* and behind them the room */
};

struct shape {
    uint32_t lines;
    size_t parts, part; /* of the room: how many, and the bytes of each */
};

static inline size_t station_bytes(struct shape shape)
{
    return sizeof(struct station) + shape.lines * sizeof(struct line) + shape.parts * shape.part;
}

/* A rank, as this one sees it. */
struct seat {
    struct station *station;           /* mapped */
    struct peer *peer;                 /* NULL: this process */
    const _Atomic uint32_t *attention; /* NULL: it is never told; else the peer's, see transport.h */
    uint64_t done;                     /* as last seen */
};

/* The stations of one communicator for one kind of call, or for one persistent collective. */
struct slots {
    uint64_t number;   /* of the last operation begun */
    uint64_t all_done; /* what every rank has done, at least */
    struct comm *comm; /* whose they are */
    int rank, size;
    struct station *mine;
    struct shape shape;
    size_t used;                   /* where the next data goes ... */
    uint64_t last_use[PARTS_MOST]; /* ... and the last operation in each part */
    struct plot *plot;             /* owned; NULL: part of ... */
    struct quay *quay;             /* ... this, see berth.h */
    bool is_read, is_mapped;       /* as struct plot's */
    bool is_backward;              /* owner of this and what follows: reach.c; as the last call went */
    void *spare;                   /* owned, as the next: memory for parts of a call, ... */
    void *kept;                    /* ... and what the last one had for its buffers; NULL: in use, or none */
    uint8_t kept_log;              /* of its bytes */
    struct link waiting; /* owner: started.c; requests in flight that have not published yet, and those ... */
    struct link started; /* ... that have, in the order of their numbers; ... */
    struct link link;    /* ... and where these are, the list of slots that have some */
    bool stays_awake;    /* since one of them waits for `done` */
    struct seat seat[];  /* by rank */
};

/* Stations for comm, whose ranks all call this; NULL, on all of them, where one cannot have or map them. */
struct slots *slots_new(struct comm *comm, bool is_wide);
/* This rank is through with its last operation. */
void slots_free(struct slots *slots);
/* The same for stations that lie in a plot already, `offset` bytes behind its begin, and are zero there.
 * NULL: no memory. */
struct slots *slots_in(struct comm *comm, const struct plot *plot, size_t offset, struct shape shape);

/* Whether every rank is through with operation `number`. */
bool slots_are_done(struct slots *slots, uint64_t number);
/* Whether this rank may write its line of an operation. */
bool slots_may_write(struct slots *slots, uint64_t number);
/* Memory for what this rank puts into operation `number`, and which is looked at up to operation `last`; more
 * of it is in use where the rank runs ahead of the others. NULL: not yet. */
unsigned char *slots_take(struct slots *slots, uint64_t number, size_t bytes, uint64_t last, bool runs_ahead);
/* Lets the others see this rank's line of an operation, and the bytes at `place`, which slots_take has given;
 * without waking them. */
void slots_publish(struct slots *slots, uint64_t number, const unsigned char *place, size_t bytes,
                   uint16_t what);
/* Takes the line of a later operation from the ranks that have read it, for one that writes many without
 * waiting for them. Where each waits for the others this only delays what they wait for. */
void slots_ask(struct slots *slots, uint64_t number);
/* Wakes the ranks that sleep, or rank `only`. */
void slots_wake(struct slots *slots);
void slots_wake_one(struct slots *slots, int only);
/* This rank is through with operation `number`, and with all before it. */
void slots_end(struct slots *slots, uint64_t number);

static inline struct line *slots_line(const struct slots *s, int rank, uint64_t number)
{
    return &s->seat[rank].station->line[number & (s->shape.lines - 1)];
}

/* Where the data of a line is, in the room. */
static inline unsigned char *slots_room(const struct slots *s, int rank, const struct line *line)
{
    return (unsigned char *)s->seat[rank].station + (size_t)line->says.at * ROOM_UNIT;
}

static inline const unsigned char *slots_data(const struct slots *s, int rank, uint64_t number)
{
    const struct line *line = slots_line(s, rank, number);

    return line->says.bytes <= LINE_BYTES ? line->data : slots_room(s, rank, line);
}

/* Whether a rank has published its part of an operation. */
static inline bool slots_look(struct slots *s, int rank, uint64_t number)
{
    const struct line *line = slots_line(s, rank, number);

    /* pairs with the release in slots_publish */
    if (atomic_load_explicit(&line->number, memory_order_acquire) != number)
        return false;
    s->seat[rank].done = number - line->says.behind;
    return true;
}

#endif
