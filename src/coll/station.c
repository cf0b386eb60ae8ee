#include "coll/station.h"

#include "base/clock.h"
#include "coll/coll.h"
#include "memory/memory.h"
#include "p2p/lane.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    AHEAD = 2,                  /* lines that are asked for early, to be written */
    LAST_LOOKS_NS = 1000 * 1000 /* how long freeing waits for the others' last look */
};

bool slots_are_done(struct slots *s, uint64_t number)
{
    uint64_t least = UINT64_MAX;

    if (s->all_done >= number)
        return true;
    for (int r = 0; r < s->size; r++) {
        struct seat *seat = &s->seat[r];

        if (seat->done < number) /* pairs with the release in slots_end */
            seat->done = atomic_load_explicit(&seat->station->done, memory_order_acquire);
        if (seat->done < number)
            return false;
        if (seat->done < least)
            least = seat->done;
    }
    s->all_done = least;
    return true;
}

/* Who is as far ahead as there are lines gives the others some time: looking at their counts again and again
 * would slow them down. */
bool slots_may_write(struct slots *s, uint64_t number)
{
    return number <= s->all_done + LINES || slots_are_done(s, number - LINES / 2);
}

/* Room for so many bytes, in the part of the last ones or else in the next. */
static bool find_room(struct slots *s, size_t bytes)
{
    size_t filled = s->used % s->part, next;

    if (filled && filled + bytes <= s->part)
        return true;
    next = (s->used + s->part - 1) / s->part % s->parts;
    if (!slots_are_done(s, s->last_use[next]))
        return false;
    s->used = next * s->part;
    return true;
}

unsigned char *slots_take(struct slots *s, uint64_t number, size_t bytes, uint64_t last)
{
    struct line *line = slots_line(s, s->rank, number);
    uint64_t *last_use;

    if (!slots_may_write(s, number) || (bytes > LINE_BYTES && !find_room(s, bytes)))
        return NULL;
    line->bytes = (uint32_t)bytes & 0xffffff;
    if (bytes <= LINE_BYTES)
        return line->data;
    line->at = (uint16_t)(s->used / ROOM_UNIT);
    last_use = &s->last_use[s->used / s->part];
    if (*last_use < last)
        *last_use = last;
    s->used += (bytes + ROOM_UNIT - 1) / ROOM_UNIT * ROOM_UNIT;
    return slots_room(s, s->rank, line);
}

void slots_wake_one(struct slots *s, int only)
{
    struct peer *peer = s->seat[only].peer;

    if (peer)
        peer->transport->nudge(peer);
}

void slots_wake(struct slots *s)
{
    for (int r = 0; r < s->size; r++)
        slots_wake_one(s, r);
}

/* A line will be written soon. */
static void ask_for(const struct line *line)
{
    __builtin_prefetch(line, 1);
    __builtin_prefetch((const char *)line + LINE_SIZE / 2, 1);
}

void slots_publish(struct slots *s, uint64_t number)
{
    struct line *line = slots_line(s, s->rank, number);

    line->behind = (uint8_t)(number - atomic_load_explicit(&s->mine->done, memory_order_relaxed));
    atomic_store_explicit(&line->number, number, memory_order_release); /* pairs with slots_look */
    ask_for(slots_line(s, s->rank, number + AHEAD));
}

void slots_end(struct slots *s, uint64_t number)
{
    atomic_store_explicit(&s->mine->done, number, memory_order_release); /* pairs with slots_are_done */
    s->seat[s->rank].done = number;
}

/* A station that somebody may still look into stays where it is. */
void slots_free(struct slots *s)
{
    uint64_t limit = clock_ns() + LAST_LOOKS_NS;

    while (!slots_are_done(s, s->number) && clock_ns() < limit)
        sched_yield();
    if (slots_are_done(s, s->number))
        memory_free(s->mine);
    free(s);
}

static size_t station_bytes(const struct slots *s)
{
    return sizeof(struct station) + s->parts * s->part;
}

static struct station *map_station(const struct slots *s, struct peer *peer, uint64_t address)
{
    return address && peer && peer->transport->nudge ? net_map(peer, address, station_bytes(s)) : NULL;
}

static void take_seat(struct slots *s, int rank, uint64_t address)
{
    struct seat *seat = &s->seat[rank];

    if (rank == s->rank) {
        seat->station = s->mine;
        return;
    }
    lane_take(&lanes[0]); /* peers are its holder's */
    seat->peer = net_peer(0, s->comm->process[rank]);
    seat->station = map_station(s, seat->peer, address);
    lane_release(&lanes[0]);
}

/* Takes the seats of all ranks; true when this one sees all stations. */
static bool take_seats(struct slots *s, const uint64_t *address)
{
    for (int r = 0; r < s->size; r++) {
        take_seat(s, r, address[r]);
        if (!s->seat[r].station)
            return false;
    }
    return true;
}

static struct slots *new_slots(struct comm *comm, bool is_wide)
{
    struct slots *s = calloc(1, sizeof *s + (size_t)comm->size * sizeof s->seat[0]);
    void *memory = NULL;

    if (!s)
        return NULL;
    s->comm = comm;
    s->rank = comm->rank;
    s->size = comm->size;
    s->parts = is_wide ? WIDE_PARTS : NARROW_PARTS;
    s->part = is_wide ? WIDE_PART : NARROW_PART;
    list_init(&s->waiting);
    list_init(&s->started);
    list_init(&s->link);
    if (memory_alloc(station_bytes(s), LINE_SIZE, &memory) == MPI_SUCCESS) {
        s->mine = memory;
        memset(s->mine, 0, sizeof *s->mine); /* the room is written before it is read */
    }
    return s;
}

/* Two exchanges: where the stations are, and whether every rank sees them all. */
struct slots *slots_new(struct comm *comm, bool is_wide)
{
    struct slots *s = new_slots(comm, is_wide);
    uint64_t address[STATION_RANKS], mine = s ? (uint64_t)(uintptr_t)s->mine : 0, usable = 0;
    int error = coll_allgather_bytes(comm, &mine, address, sizeof mine);

    if (!error && mine)
        usable = take_seats(s, address);
    error = coll_agree(comm, &usable, NULL);
    if (!error && usable)
        return s;
    if (mine)
        memory_free(s->mine);
    free(s);
    return NULL;
}
