/* station: the memory behind slots.h, one station per rank of a communicator, which all its ranks map.
 *
 * A station has a *line* for each of the next operations, used in turn, and two *rooms* for what does not fit
 * into a line, little and much, each in parts that are filled one after the other. Operations are numbered
 * from 1 on, the same on all ranks. The owner of a station writes line `number % LINES`, and publishes it by
 * storing the number (release); the others look for that number (acquire). A line also says how far its owner
 * had got with earlier operations, so that ranks which see each other's lines need nothing else to know when
 * a line may be written again; the others look at `done`.
 *
 * Owners: a line belongs to the station's owner from the moment when every rank is through with the operation
 * LINES before, until it is published; a part of a room, from the moment when every rank is through with
 * what was there before, until what is put into it is published. `done` is written by the owner alone,
 * release, after its last look at what the operation's other ranks have published; who reads it does so with
 * acquire.
 *
 * Waking: a rank that publishes looks whether the others sleep, and wakes them (transport.h: nudge). `done`
 * is awaited only by a rank that is several operations ahead, since no part of a room is used again before
 * all the others were: so it is told of only now and then.
 */
#ifndef COLL_STATION_H
#define COLL_STATION_H

#include "base/list.h"
#include "comm/comm.h"

#include <stdatomic.h>

enum {
    STATION_RANKS = 16, /* more would look at too many lines */
    LINES = 64,
    LINE_SIZE = 128, /* a pair of cache lines, which processors like to fetch together */
    LINE_BYTES = LINE_SIZE - 16,
    ROOM_UNIT = 64,
    ROOM_PARTS_MOST = 8,
    LITTLE_PARTS = ROOM_PARTS_MOST,
    LITTLE_PART = 8 * 1024,
    LITTLE_MOST = LITTLE_PART / 2, /* bytes of one operation */
    MUCH_PARTS = 4,
    MUCH_PART = 64 * 1024,
    ROOM_MOST = MUCH_PART,
    AHEAD_LEAST = 4 /* by so many operations is a rank ahead, at least, that waits for `done` */
};

struct line {
    _Alignas(LINE_SIZE) _Atomic uint64_t number;
    uint32_t bytes; /* of data */
    uint16_t at;    /* of data that is not in the line: where behind the lines, in units */
    uint8_t what;   /* collective and root */
    uint8_t behind; /* number minus what the owner was through with then: LINES at most */
    unsigned char data[LINE_BYTES];
};

struct station {
    _Alignas(LINE_SIZE) _Atomic uint64_t done; /* operations that its owner is through with */
    struct line line[LINES];
    unsigned char little[LITTLE_PARTS * LITTLE_PART];
    unsigned char much[MUCH_PARTS * MUCH_PART];
};

/* What the owner of a station knows of one of its rooms. */
struct room {
    size_t begin; /* behind the lines */
    size_t part;  /* bytes of each */
    size_t parts;
    size_t used;                        /* where the next data goes ... */
    uint64_t last_use[ROOM_PARTS_MOST]; /* ... and the last operation in each part */
};

/* A rank, as this one sees it. */
struct seat {
    struct station *station; /* mapped */
    struct peer *peer;       /* NULL: this process */
    uint64_t done;           /* as last seen */
};

/* The stations of one communicator for one kind of call. */
struct slots {
    uint64_t number;   /* of the last operation begun */
    uint64_t all_done; /* what every rank has done, at least */
    struct comm *comm; /* whose they are */
    int rank, size;
    struct station *mine;
    struct room little, much;
    int not_asked;       /* owner: reach.c; calls that go by without asking */
    struct link waiting; /* owner: started.c; requests in flight that have not published yet, and those ... */
    struct link started; /* ... that have, in the order of their numbers; ... */
    struct link link;    /* ... and where these are, the list of slots that have some */
    struct seat seat[];  /* by rank */
};

/* Stations for comm, whose ranks all call this; NULL, on all of them, where one cannot have or map them. */
struct slots *slots_new(struct comm *comm);
/* The ranks are in their last operation or through with it. */
void slots_free(struct slots *slots);

/* Whether every rank is through with operation `number`. */
bool slots_are_done(struct slots *slots, uint64_t number);
/* Whether this rank may write its line of an operation. */
bool slots_may_write(struct slots *slots, uint64_t number);
/* Memory for what this rank puts into operation `number`, whose line then says where it is, and which is
 * looked at up to operation `last`; NULL: not yet. */
unsigned char *slots_take(struct slots *slots, uint64_t number, size_t bytes, uint64_t last);
/* The line of an operation has been written: lets the others see it, and wakes them. */
void slots_publish(struct slots *slots, uint64_t number);
void slots_wake(struct slots *slots);
/* The same without waking anybody. */
void slots_publish_quietly(struct slots *slots, uint64_t number);
/* This rank is through with operation `number`, and with all before it. */
void slots_end(struct slots *slots, uint64_t number);

static inline struct line *slots_line(const struct slots *s, int rank, uint64_t number)
{
    return &s->seat[rank].station->line[number % LINES];
}

/* Where the data of a line is, in a room. */
static inline unsigned char *slots_room(const struct slots *s, int rank, const struct line *line)
{
    return s->seat[rank].station->little + (size_t)line->at * ROOM_UNIT;
}

static inline const unsigned char *slots_data(const struct slots *s, int rank, uint64_t number)
{
    const struct line *line = slots_line(s, rank, number);

    return line->bytes <= LINE_BYTES ? line->data : slots_room(s, rank, line);
}

/* Whether a rank has published its part of an operation. */
static inline bool slots_look(struct slots *s, int rank, uint64_t number)
{
    const struct line *line = slots_line(s, rank, number);

    /* pairs with the release in slots_publish */
    if (atomic_load_explicit(&line->number, memory_order_acquire) != number)
        return false;
    s->seat[rank].done = number - line->behind;
    return true;
}

#endif
