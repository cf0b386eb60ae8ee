#include "coll/station.h"

#include "base/live.h"
#include "memory/memory.h"

#include <stdlib.h>

enum {
    AHEAD = 2 /* lines that are asked for early, to be written: fewer than there are */
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
    return number <= s->all_done + s->shape.lines || slots_are_done(s, number - s->shape.lines / 2);
}

/* Room for so many bytes, in the part of the last ones or else in the next. Who has used up all gives the
 * others some time as well. */
static bool find_room(struct slots *s, size_t bytes, bool runs_ahead)
{
    size_t parts = runs_ahead || s->shape.parts < NEAR_PARTS ? s->shape.parts : NEAR_PARTS;
    size_t filled = s->used % s->shape.part, next;
    uint64_t last, later;

    if (filled && filled + bytes <= s->shape.part)
        return true;
    next = (s->used + s->shape.part - 1) / s->shape.part % parts;
    last = s->last_use[next];
    later = s->last_use[(next + parts / 2) % parts];
    if (s->all_done < last && !slots_are_done(s, later > last ? later : last))
        return false;
    s->used = next * s->shape.part;
    return true;
}

/* Takes lines from the ranks that have read them, all at once: writing alone waits for them a few at a time.
 */
static void claim(const unsigned char *at, size_t bytes)
{
    for (const unsigned char *line = at; line < at + bytes; line += ROOM_UNIT)
#if defined(__x86_64__)
        __asm__ volatile("prefetchw %0" : : "m"(*line)); /* the builtin does not write without -mprfchw */
#else
        __builtin_prefetch(line, 1);
#endif
}

unsigned char *slots_take(struct slots *s, uint64_t number, size_t bytes, uint64_t last, bool runs_ahead)
{
    struct line *line = slots_line(s, s->rank, number);
    unsigned char *place;
    uint64_t *last_use;

    if (!slots_may_write(s, number) || (bytes > LINE_BYTES && !find_room(s, bytes, runs_ahead)))
        return NULL;
    if (bytes <= LINE_BYTES)
        return line->data;
    place = (unsigned char *)&s->mine->line[s->shape.lines] + s->used;
    last_use = &s->last_use[s->used / s->shape.part];
    if (*last_use < last)
        *last_use = last;
    s->used += (bytes + ROOM_UNIT - 1) / ROOM_UNIT * ROOM_UNIT;
    if (bytes <= NARROW_MOST)
        claim(place, bytes);
    return place;
}

/* Wakes the ranks from `first` to `last` that sleep: they may wait for a store that came before this. */
static void wake(const struct slots *s, int first, int last)
{
    bool has_fenced = false;

    atomic_signal_fence(memory_order_seq_cst);
    for (const struct seat *seat = &s->seat[first]; seat <= &s->seat[last]; seat++) {
        uint32_t word = seat->attention ? atomic_load_explicit(seat->attention, memory_order_relaxed) : AWAKE;

        if (word & FENCE && !has_fenced) {
            atomic_thread_fence(memory_order_seq_cst); /* pairs with the sleeper's, see net/shm/bell.h */
            word = atomic_load_explicit(seat->attention, memory_order_relaxed);
            has_fenced = true;
        }
        if (word & ASLEEP)
            seat->peer->transport->nudge(seat->peer);
    }
}

void slots_wake_one(struct slots *s, int only)
{
    wake(s, only, only);
}

void slots_wake(struct slots *s)
{
    wake(s, 0, s->size - 1);
}

/* What a line says of its data is stored last, so that none of these stores waits for the line's other half
 * when its first one has come. */
void slots_publish(struct slots *s, uint64_t number, const unsigned char *place, size_t bytes, uint16_t what)
{
    struct line *line = slots_line(s, s->rank, number);
    uint64_t done = atomic_load_explicit(&s->mine->done, memory_order_relaxed);
    size_t at = place == line->data ? 0 : (size_t)(place - (unsigned char *)s->mine) / ROOM_UNIT;

    line->says = (struct saying){.bytes = (uint32_t)bytes & 0xffffff,
                                 .behind = (uint8_t)(number - done),
                                 .at = (uint16_t)at,
                                 .what = what};
    atomic_store_explicit(&line->number, number, memory_order_release); /* pairs with slots_look */
}

void slots_ask(struct slots *s, uint64_t number)
{
    claim((const unsigned char *)slots_line(s, s->rank, number + AHEAD), LINE_SIZE);
}

void slots_end(struct slots *s, uint64_t number)
{
    atomic_store_explicit(&s->mine->done, number, memory_order_release); /* pairs with slots_are_done */
    s->seat[s->rank].done = number;
}

static struct slots *unseated(struct comm *comm, struct shape shape)
{
    struct slots *s = calloc(1, sizeof *s + (size_t)comm->size * sizeof s->seat[0]);

    if (!s)
        return NULL;
    live_add(LIVE_SLOTS, 1);
    s->comm = comm;
    s->rank = comm->rank;
    s->size = comm->size;
    s->shape = shape;
    list_init(&s->waiting);
    list_init(&s->started);
    list_init(&s->link);
    return s;
}

static void take_seats(struct slots *s, const struct plot *plot, size_t offset)
{
    for (int r = 0; r < s->size; r++) {
        s->seat[r].station = (struct station *)(void *)(plot->part[r].at + offset);
        s->seat[r].peer = plot->part[r].peer;
        s->seat[r].attention = plot->part[r].attention;
    }
    s->is_read = plot->is_read;
    s->is_mapped = plot->is_mapped;
    s->mine = s->seat[s->rank].station;
}

struct slots *slots_in(struct comm *comm, const struct plot *plot, size_t offset, struct shape shape)
{
    struct slots *s = unseated(comm, shape);

    if (s)
        take_seats(s, plot, offset);
    return s;
}

struct slots *slots_new(struct comm *comm, bool is_wide)
{
    struct shape shape = {LINES_MOST, is_wide ? WIDE_PARTS : NARROW_PARTS, is_wide ? WIDE_PART : NARROW_PART};
    struct shape lines = {.lines = LINES_MOST}; /* the room is written before it is read */
    struct slots *s = unseated(comm, shape);
    struct plot *plot = plot_new(comm, s ? station_bytes(shape) : 0, station_bytes(lines));

    if (!plot) {
        if (s)
            slots_free(s);
        return NULL;
    }
    s->plot = plot;
    take_seats(s, plot, 0);
    return s;
}

void slots_free(struct slots *s)
{
    if (s->plot)
        plot_free(s->plot);
    free(s->spare);
    if (s->kept)
        memory_free(s->kept);
    free(s);
    live_add(LIVE_SLOTS, -1);
}
