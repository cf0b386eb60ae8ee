#include "net/shm/watch.h"

#include "base/live.h"
#include "boot/boot.h"
#include "net/card.h"
#include "net/shm/attach.h"
#include "net/shm/tell.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/log.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_NS ((uint64_t)1000 * 1000 * 1000) /* until memory for a sender's peer must be there */

enum {
    IDLE_POLLS = 4096 /* polls without a message that make a ring idle */
};

static int watch_process_of(int local_rank)
{
    return boot.local ? boot.local[local_rank] : local_rank;
}

int watch_open(struct watcher *w, const struct arena_plan *plan, int lane, const struct arena *arena,
               struct arena_head *head, const struct staging *staging)
{
    struct ring *readers = calloc((size_t)arena_slots(plan, lane), sizeof *readers);

    w->arena = *arena;
    if (!readers) {
        w->arena.lane = NULL;
        return fail(MPI_ERR_NO_MEM, "no memory for %d rings", arena_slots(plan, lane));
    }
    for (int i = 0; i < plan->local_size; i++)
        ring_init(&readers[i], w->arena.rings + (size_t)i * plan->ring_size, plan->ring_size,
                  &w->arena.control[i]);
    w->head = head;
    w->staging = staging;
    w->plan = plan;
    w->lane = lane;
    w->readers = readers;
    return MPI_SUCCESS;
}

void watch_close(struct watcher *w)
{
    arena_close(&w->arena);
    free(w->readers);
    *w = (struct watcher){.lane = w->lane};
}

/* Stops watching the rings that were silent for more than `silence` polls. A ring that filled up meanwhile
 * stays watched. */
static void unwatch_silent(struct watcher *w, uint64_t silence)
{
    int kept = 0;
    bool ordered;

    for (int i = 0; i < w->count; i++)
        if (w->polls - w->watch[i].last_poll > silence)
            atomic_store_explicit(&w->watch[i].ring.control->watched, 0, memory_order_relaxed);
    ordered = bell_order(w->head);
    for (int i = 0; i < w->count; i++) {
        struct watch *one = &w->watch[i];

        if (ordered && !atomic_load_explicit(&one->ring.control->watched, memory_order_relaxed) &&
            !ring_peek(&one->ring)) {
            w->readers[one->slot] = one->ring;
            continue;
        }
        atomic_store_explicit(&one->ring.control->watched, 1, memory_order_relaxed);
        w->watch[kept++] = *one;
    }
    w->count = kept;
    w->next = 0;
}

/* Makes room if any watched ring is empty now. If none is, there are messages to receive, so this process
 * will not sleep while the ring waits. */
static void make_place(struct watcher *w)
{
    for (uint64_t silence = IDLE_POLLS; w->count == WATCH_LIMIT && silence; silence /= 16)
        unwatch_silent(w, silence - 1);
}

/* Maps the guest's ring, and returns its peer; NULL: one of these failed. */
static struct peer *watch_meet_guest(struct watcher *w, int slot, const struct card *guest)
{
    int process = card_number(guest);
    void *ring;

    if (!w->readers[slot].base) {
        ring = arena_map_guest(w->plan, boot.local_rank, slot);
        if (!ring)
            return NULL;
        ring_init(&w->readers[slot], ring, w->plan->ring_size, &w->arena.control[slot]);
    }
    return process < 0 ? NULL : net_peer(w->lane, process);
}

/* A sender that cannot be met rings for ever, and nobody would know what this process waits for. */
static void bear_lack(struct watcher *w, int slot)
{
    uint64_t now = clock_ns();

    if (!w->lacks_since) {
        w->lacks_since = now;
        progress_stay_awake(1);
    } else if (now > w->lacks_since + PATIENCE_NS) {
        log_die("nothing can be received from process %d of this host: %s", slot, fail_note());
    }
}

static void end_lack(struct watcher *w)
{
    if (!w->lacks_since)
        return;
    w->lacks_since = 0;
    progress_stay_awake(-1);
}

/* False: there is no room; the doorbell bit then stays for a later poll. */
static bool watch_ring(struct watcher *w, int slot)
{
    bool is_guests = slot >= boot.local_size;
    struct card guest;
    struct peer *from = NULL;

    if (atomic_load_explicit(&w->arena.control[slot].watched, memory_order_relaxed) ||
        (is_guests && !attach_guest(slot, &guest)))
        return true;
    make_place(w);
    if (w->count < WATCH_LIMIT)
        from = is_guests ? watch_meet_guest(w, slot, &guest) : net_peer(w->lane, watch_process_of(slot));
    if (!from && w->count < WATCH_LIMIT)
        bear_lack(w, slot);
    if (!from)
        return false;
    end_lack(w);
    w->watch[w->count++] =
        (struct watch){.ring = w->readers[slot], .from = from, .slot = slot, .last_poll = w->polls};
    atomic_store_explicit(&w->arena.control[slot].watched, 1, memory_order_relaxed);
    return true;
}

static void answer_word(struct watcher *w, int word)
{
    struct lane_head *lane = w->arena.lane;
    uint64_t bits = atomic_load_explicit(&lane->doorbell[word], memory_order_relaxed)
                        ? atomic_exchange_explicit(&lane->doorbell[word], 0, memory_order_relaxed)
                        : 0;

    while (bits) {
        int bit = __builtin_ctzll(bits);

        bits &= bits - 1;
        if (!watch_ring(w, word * 64 + bit)) {
            atomic_fetch_or_explicit(&lane->doorbell[word], (uint64_t)1 << bit, memory_order_relaxed);
            atomic_fetch_or_explicit(&lane->rung, 1, memory_order_relaxed); /* no store, see set_doorbell */
        }
    }
}

/* Rare work stays out of line: most polls find nothing and must be short. */
__attribute__((noinline)) static void answer_doorbell(struct watcher *w)
{
    /* acquire: pairs with the release in set_doorbell (bell.c); cleared before the bits are read */
    uint32_t rung = atomic_exchange_explicit(&w->arena.lane->rung, 0, memory_order_acquire);

    /* relaxed: of this process's own */
    if (rung & RUNG_ASKED &&
        !tell_answer(w->plan->fd, atomic_load_explicit(
                                      &w->head->tell,
                                      memory_order_relaxed))) /* who asks wakes the threads again and again */
        atomic_fetch_or_explicit(&w->arena.lane->rung, RUNG_ASKED, memory_order_relaxed);
    for (int word = 0; word * 64 < arena_slots(w->plan, w->lane); word++)
        answer_word(w, word);
}

/* Replaces a message by what its chunk holds. One that names no chunk is empty. */
__attribute__((noinline)) static void open_staged(struct watcher *w, struct watch *one, struct arrival *a)
{
    struct staged staged;
    const void *payload;

    memcpy(&staged, a->payload, sizeof staged);
    payload = staging_payload(w->staging, &staged);
    if (payload)
        live_add(LIVE_CHUNK, 1);
    one->staged = *a->message;
    one->staged.kind &= (uint8_t)~WATCH_STAGED;
    one->staged.length = payload ? staged.length : 0;
    *a = (struct arrival){&one->staged, payload, one->from};
}

/* The next poll begins behind this ring. */
static void watch_take(struct watcher *w, struct watch *one, const struct message *m, struct arrival *arrival)
{
    int next = (int)(one - w->watch) + 1;

    w->next = next < w->count ? next : 0;
    one->last_poll = w->polls;
    w->arrived = one;
    w->message = m;
    *arrival = (struct arrival){m, ring_payload(&one->ring, m), one->from};
    if (__builtin_expect(m->kind & WATCH_STAGED, 0))
        open_staged(w, one, arrival);
}

/* This and watch_release are out of line, so that the compiler keeps the watcher in a pointer and does not
 * index a table. */
__attribute__((noinline)) bool watch_poll(struct watcher *w, struct arrival *arrival)
{
    struct watch *one;

    if (!w->arena.lane)
        return false;
    w->polls++;
    if (atomic_load_explicit(&w->arena.lane->rung, memory_order_relaxed))
        answer_doorbell(w);
    one = &w->watch[w->next];
    for (int n = w->count; n > 0; n--) {
        const struct message *m = ring_peek(&one->ring);

        if (m) {
            watch_take(w, one, m, arrival);
            return true;
        }
        if (++one == &w->watch[w->count])
            one = w->watch;
    }
    return false;
}

/* Frees the chunk of the message that is being released. */
__attribute__((noinline)) static void give_chunk(const struct watcher *w)
{
    struct staged staged;

    memcpy(&staged, ring_payload(&w->arrived->ring, w->message), sizeof staged);
    if (staging_payload(w->staging, &staged))
        staging_give(w->staging, staged.chunk);
}

__attribute__((noinline)) void watch_release(struct watcher *w)
{
    if (w->message->kind & WATCH_STAGED)
        give_chunk(w);
    ring_consume(&w->arrived->ring, w->message);
}

static int watch_find(const struct watcher *w, int slot)
{
    int i = 0;

    while (i < w->count && w->watch[i].slot != slot)
        i++;
    return i;
}

uint64_t watch_taken(const struct watcher *w, int slot)
{
    int i = watch_find(w, slot);

    return i < w->count ? w->watch[i].ring.cell : w->readers[slot].cell;
}

bool watch_has_all(struct watcher *w, int slot)
{
    int i = watch_ring(w, slot) ? watch_find(w, slot) : w->count;

    return i < w->count && !ring_peek(&w->watch[i].ring);
}

void watch_see_off(struct watcher *w, int slot)
{
    w->watch[watch_find(w, slot)] = w->watch[w->count - 1];
    w->count--;
    w->next = 0;
    arena_clear_guest(w->plan, boot.local_rank, &w->arena, slot, w->readers[slot].base);
    w->readers[slot] = (struct ring){0};
}
