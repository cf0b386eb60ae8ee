#include "coll/shm/mailbox.h"

#include "base/round.h"
#include "p2p/lane.h"
#include "p2p/lost.h"
#include "plain/cpu.h"

enum {
    PREFETCH_AHEAD = 2 /* lines that are prefetched for writing: fewer than there are */
};

bool mailbox_has_lost(const struct mailboxes *s, int rank)
{
    const struct peer *peer = s->peer[rank].peer;
    bool is_lost;

    if (!peer || !atomic_load_explicit(&lost_any, memory_order_relaxed))
        return false;
    lane_take(&lanes[0]);
    is_lost = peer->lost;
    lane_release(&lanes[0]);
    return is_lost;
}

bool mailbox_is_hit(const struct mailboxes *s)
{
    bool is_hit;

    if (!atomic_load_explicit(&lost_any, memory_order_relaxed) || !net_survives())
        return false;
    lane_take(&lanes[0]);
    is_hit = lost_ends_collectives(s->comm);
    lane_release(&lanes[0]);
    return is_hit;
}

bool mailbox_all_done(struct mailboxes *s, uint64_t number)
{
    uint64_t least = UINT64_MAX;

    if (s->all_done >= number)
        return true;
    for (int r = 0; r < s->size; r++) {
        struct mailbox_peer *peer = &s->peer[r];

        if (peer->done < number) /* pairs with the release in mailbox_end */
            peer->done = atomic_load_explicit(&peer->mailbox->done, memory_order_acquire);
        if (peer->done < number && mailbox_has_lost(s, r))
            peer->done = number; /* it reads no more */
        if (peer->done < number)
            return false;
        if (peer->done < least)
            least = peer->done;
    }
    s->all_done = least;
    return true;
}

/* A rank that is as far ahead as there are lines waits until half of them are free: polling the counts of
 * the others again and again would slow these down. */
bool mailbox_is_writable(struct mailboxes *s, uint64_t number)
{
    return number <= s->all_done + s->shape.lines || mailbox_all_done(s, number - s->shape.lines / 2);
}

/* Sets `used` to room for so many bytes, in the current segment or else in the next. A rank that has used up
 * all waits until half of them are free as well. */
static bool mailbox_find_room(struct mailboxes *s, size_t bytes, bool runs_ahead)
{
    size_t parts = runs_ahead || s->shape.segments < SYNC_SEGMENTS ? s->shape.segments : SYNC_SEGMENTS;
    size_t filled = s->used % s->shape.segment, next;
    uint64_t last, later;

    if (filled && filled + bytes <= s->shape.segment)
        return true;
    next = (s->used + s->shape.segment - 1) / s->shape.segment % parts;
    last = s->last_use[next];
    later = s->last_use[(next + parts / 2) % parts];
    if (s->all_done < last && !mailbox_all_done(s, later > last ? later : last))
        return false;
    s->used = next * s->shape.segment;
    return true;
}

/* Fetches cache lines from the ranks that have read them, all at once: stores alone fetch a few at a time. */
static void prefetch_for_write(const unsigned char *at, size_t bytes)
{
    for (const unsigned char *line = at; line < at + bytes; line += PAYLOAD_UNIT)
        cpu_prefetch(line);
}

unsigned char *mailbox_reserve(struct mailboxes *s, uint64_t number, size_t bytes, uint64_t last,
                               bool runs_ahead)
{
    struct mailbox_line *line = mailbox_line(s, s->rank, number);
    unsigned char *place;
    uint64_t *last_use;

    if (!mailbox_is_writable(s, number) || (bytes > LINE_BYTES && !mailbox_find_room(s, bytes, runs_ahead)))
        return NULL;
    if (bytes <= LINE_BYTES)
        return line->data;
    place = (unsigned char *)&s->mine->line[s->shape.lines] + s->used;
    last_use = &s->last_use[s->used / s->shape.segment];
    if (*last_use < last)
        *last_use = last;
    s->used += round_up(bytes, PAYLOAD_UNIT);
    if (bytes <= PREFETCH_MOST)
        prefetch_for_write(place, bytes);
    return place;
}

/* Who is of another job may be lost meanwhile. */
static void mailbox_nudge(struct peer *peer)
{
    bool may_go = peer->process >= group_job_size || net_survives();

    if (may_go)
        lane_take(&lanes[0]);
    peer->transport->nudge(peer);
    if (may_go)
        lane_release(&lanes[0]);
}

void mailbox_wake(const struct mailboxes *s, int first, int last)
{
    bool has_fenced = false;

    atomic_signal_fence(memory_order_seq_cst);
    for (const struct mailbox_peer *peer = &s->peer[first]; peer <= &s->peer[last]; peer++) {
        uint32_t word = peer->attention ? atomic_load_explicit(peer->attention, memory_order_relaxed) : AWAKE;

        if (word & FENCE && !has_fenced) {
            atomic_thread_fence(memory_order_seq_cst); /* pairs with the sleeper's, see net/shm/bell.h */
            word = atomic_load_explicit(peer->attention, memory_order_relaxed);
            has_fenced = true;
        }
        if (word & ASLEEP)
            mailbox_nudge(peer->peer);
    }
}

/* The header is stored last, so that none of these stores waits for the second cache line of a line when the
 * first one has come. */
void mailbox_publish(struct mailboxes *s, uint64_t number, const unsigned char *payload, size_t bytes,
                     uint32_t tag)
{
    struct mailbox_line *line = mailbox_line(s, s->rank, number);
    uint64_t done = atomic_load_explicit(&s->mine->done, memory_order_relaxed);
    size_t offset = payload == line->data ? 0 : (size_t)(payload - (unsigned char *)s->mine) / PAYLOAD_UNIT;

    line->head = (struct mailbox_header){.bytes = (uint32_t)bytes & 0xffffff,
                                         .lag = (uint8_t)(number - done),
                                         .offset = (uint16_t)offset,
                                         .tag = (uint16_t)tag};
    atomic_store_explicit(&line->sequence, (uint64_t)(tag >> TAG_LOWER_BITS) << SEQUENCE_BITS | number,
                          memory_order_release); /* pairs with mailbox_poll */
}

void mailbox_prefetch(struct mailboxes *s, uint64_t number)
{
    prefetch_for_write((const unsigned char *)mailbox_line(s, s->rank, number + PREFETCH_AHEAD), LINE_SIZE);
}

void mailbox_leave(struct mailboxes *s, uint64_t number)
{
    atomic_store_explicit(&s->mine->left, number, memory_order_relaxed); /* mailbox_end orders it */
}

bool mailbox_is_past(struct mailboxes *s, int rank, uint64_t number)
{
    /* acquire: pairs with the release in mailbox_end: what it published or left before is seen */
    return atomic_load_explicit(&s->peer[rank].mailbox->done, memory_order_acquire) >= number &&
           !mailbox_poll(s, rank, number);
}

bool mailbox_has_left(const struct mailboxes *s, int rank, uint64_t number)
{
    return atomic_load_explicit(&s->peer[rank].mailbox->left, memory_order_relaxed) >= number;
}

void mailbox_end(struct mailboxes *s, uint64_t number)
{
    /* pairs with mailbox_all_done and mailbox_is_past */
    atomic_store_explicit(&s->mine->done, number, memory_order_release);
    s->peer[s->rank].done = number;
}
