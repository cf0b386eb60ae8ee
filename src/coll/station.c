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
static bool find_room(struct slots *s, struct room *room, size_t bytes)
{
    size_t filled = room->used % room->part, next;

    if (filled && filled + bytes <= room->part)
        return true;
    next = (room->used + room->part - 1) / room->part % room->parts;
    if (!slots_are_done(s, room->last_use[next]))
        return false;
    room->used = next * room->part;
    return true;
}

unsigned char *slots_take(struct slots *s, uint64_t number, size_t bytes, uint64_t last)
{
    struct room *room = bytes <= LITTLE_MOST ? &s->little : &s->much;
    struct line *line = slots_line(s, s->rank, number);
    size_t part;

    if (!slots_may_write(s, number) || (bytes > LINE_BYTES && !find_room(s, room, bytes)))
        return NULL;
    line->bytes = (uint32_t)bytes;
    if (bytes <= LINE_BYTES)
        return line->data;
    line->at = (uint16_t)((room->begin + room->used) / ROOM_UNIT);
    part = room->used / room->part;
    if (room->last_use[part] < last)
        room->last_use[part] = last;
    room->used += (bytes + ROOM_UNIT - 1) / ROOM_UNIT * ROOM_UNIT;
    return slots_room(s, s->rank, line);
}

void slots_wake(struct slots *s)
{
    for (int r = 0; r < s->size; r++)
        if (s->seat[r].peer)
            s->seat[r].peer->transport->nudge(s->seat[r].peer);
}

/* A line will be written soon. */
static void ask_for(const struct line *line)
{
    __builtin_prefetch(line, 1);
    __builtin_prefetch((const char *)line + LINE_SIZE / 2, 1);
}

void slots_publish_quietly(struct slots *s, uint64_t number)
{
    struct line *line = slots_line(s, s->rank, number);

    line->behind = (uint8_t)(number - atomic_load_explicit(&s->mine->done, memory_order_relaxed));
    atomic_store_explicit(&line->number, number, memory_order_release); /* pairs with slots_look */
}

void slots_publish(struct slots *s, uint64_t number)
{
    slots_publish_quietly(s, number);
    slots_wake(s);
    ask_for(slots_line(s, s->rank, number + AHEAD));
}

void slots_end(struct slots *s, uint64_t number)
{
    atomic_store_explicit(&s->mine->done, number, memory_order_release); /* pairs with slots_are_done */
    s->seat[s->rank].done = number;
    if (number % AHEAD_LEAST == 0)
        slots_wake(s);
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

static struct station *map_station(struct peer *peer, uint64_t address)
{
    return address && peer && peer->transport->nudge ? net_map(peer, address, sizeof(struct station)) : NULL;
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
    seat->station = map_station(seat->peer, address);
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

static struct slots *new_slots(struct comm *comm)
{
    struct slots *s = calloc(1, sizeof *s + (size_t)comm->size * sizeof s->seat[0]);
    void *memory = NULL;

    if (!s)
        return NULL;
    s->comm = comm;
    s->rank = comm->rank;
    s->size = comm->size;
    s->little = (struct room){.part = LITTLE_PART, .parts = LITTLE_PARTS};
    s->much = (struct room){.begin = sizeof s->mine->little, .part = MUCH_PART, .parts = MUCH_PARTS};
    list_init(&s->waiting);
    list_init(&s->started);
    list_init(&s->link);
    if (memory_alloc(sizeof(struct station), LINE_SIZE, &memory) == MPI_SUCCESS) {
        s->mine = memory;
        memset(s->mine, 0, offsetof(struct station, little)); /* rooms are written before they are read */
    }
    return s;
}

/* Two exchanges: where the stations are, and whether every rank sees them all. */
struct slots *slots_new(struct comm *comm)
{
    struct slots *s = new_slots(comm);
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
