#include "insight/board/message_channel.h"

#include "insight/board/finding_list.h"
#include "insight/board/process_record.h"
#include "plain/cpu.h"

#include <stdlib.h>

enum {
    AHEAD = 2, /* lines that are asked for before they are written */
    ITEMS = 1 << 24
};

struct unmatched *message_channel_unmatched[BOARD_RANKS];
static struct unmatched *spare; /* to be used again */
/* Of the channels to each, so that the reader's line is rarely loaded. */
static uint64_t tail_seen[BOARD_RANKS];
static uint8_t
    last_kind[BOARD_RANKS]; /* of the channels to each: the next message is mostly of this kind, too */

__attribute__((noinline)) static uint64_t allocate_channel(uint64_t *offset)
{
    board_lock();
    *offset = board_allocate(sizeof(struct message_channel));
    board_unlock();
    if (!*offset)
        finding_list_leave_out(&board->list, UNCHECKED_MESSAGES);
    return *offset;
}

struct message_channel *message_channel_from(int from, int to, bool make)
{
    uint64_t offset = board->channel[from][to];

    if (!offset && make)
        offset = allocate_channel(&board->channel[from][to]);
    return offset ? board_at(offset) : NULL;
}

/* The slot has room for how many items there are, of one type. */
static bool is_countable(const struct type_signature *s)
{
    return s->basic && s->items > 0 && s->items < ITEMS;
}

static bool is_of_kind(const struct message_envelope *e, const struct message_kind *kind)
{
    const struct type_signature *s = &e->signature, *k = &kind->signature;

    return kind->place == e->place && kind->comm == e->comm && kind->from == e->from &&
           k->basic == s->basic && k->is_known == s->is_known && kind->is_whole == !is_countable(s) &&
           (kind->is_whole ? k->items == s->items && k->bytes == s->bytes && k->hash == s->hash
                           : k->bytes * s->items == s->bytes);
}

static struct message_kind kind_of_envelope(const struct message_envelope *e)
{
    struct message_kind kind = {e->comm, e->place, e->signature, e->from, !is_countable(&e->signature)};

    if (!kind.is_whole) {
        kind.signature.bytes /= kind.signature.items;
        kind.signature.items = 1;
    }
    return kind;
}

/* Where the kind is, or is written now, since no message of what was there is under way; -1: no room. */
__attribute__((noinline)) static int look_for_kind(struct message_channel *c, int to,
                                                   struct message_envelope e)
{
    uint64_t hash = (e.place ^ e.comm << 8 ^ e.signature.basic) * 0x9e3779b97f4a7c15u;

    for (unsigned i = 0; i < CHANNEL_KINDS; i++) {
        unsigned at = ((unsigned)(hash >> 32) + i) % CHANNEL_KINDS;

        if (is_of_kind(&e, &c->kind[at]))
            return (int)at;
        if (c->used[at] <= tail_seen[to]) {
            c->kind[at] = kind_of_envelope(&e);
            return (int)at;
        }
    }
    return -1;
}

static inline int find_kind(struct message_channel *c, int to, const struct message_envelope *e)
{
    int at = last_kind[to];

    if (!is_of_kind(e, &c->kind[at]))
        at = look_for_kind(c, to, *e);
    last_kind[to] = (uint8_t)at;
    return at;
}

/* The number of the next one; where many have not been read, nobody has the line. */
static uint64_t next_number(const struct message_channel *c, int to, bool is_apart)
{
    if (c->head - tail_seen[to] >= CHANNEL_SLOTS / 2)
        tail_seen[to] = atomic_load_explicit(&c->tail, memory_order_acquire);
    return is_apart && c->head - tail_seen[to] < CHANNEL_SLOTS / 2 ? message_channel_begin_line(c->head)
                                                                   : c->head;
}

uint64_t message_channel_put(struct message_channel *c, int to, const struct message_envelope *e,
                             bool is_apart)
{
    uint64_t number = next_number(c, to, is_apart);
    struct message_slot *slot = &c->slot[number % CHANNEL_SLOTS];
    int at = number - tail_seen[to] < CHANNEL_SLOTS ? find_kind(c, to, e) : -1;

    if (at < 0)
        return 0;
    slot->tag = e->tag;
    slot->known = e->known;
    slot->kind = (uint8_t)at;
    slot->items = (uint32_t)e->signature.items % ITEMS;
    atomic_store_explicit(&slot->sequence, (uint32_t)number + 1, memory_order_release);
    c->used[at] = c->head = number + 1;
    if (number % LINE_SLOTS == 0)
        cpu_prefetch(&c->slot[(number + (uint64_t)AHEAD * LINE_SLOTS) % CHANNEL_SLOTS]);
    return number + 1;
}

static struct unmatched *unmatched_make(void)
{
    struct unmatched *u = spare;

    if (u)
        spare = u->next;
    else if (!(u = malloc(sizeof *u)))
        finding_list_leave_out(&board->list, UNCHECKED_MEMORY);
    return u;
}

void message_channel_free(struct unmatched *u)
{
    u->next = spare;
    spare = u;
}

static bool take_next(struct message_channel *c, struct unmatched **end)
{
    uint64_t tail = atomic_load_explicit(&c->tail, memory_order_relaxed);
    struct unmatched *new = unmatched_make();

    if (!new)
        return false;
    if (!message_channel_read(c, &tail, &new->envelope)) {
        message_channel_free(new);
        return false;
    }
    atomic_store_explicit(&c->tail, tail, memory_order_release);
    new->next = NULL;
    *end = new;
    return true;
}

bool message_channel_take(int from, struct unmatched **end)
{
    struct message_channel *c = message_channel_from(from, process.rank, false);

    return c && take_next(c, end);
}

bool message_channel_take_fitting(int from, uint64_t comm, int tag, const struct type_signature *room,
                                  uint64_t *behind)
{
    struct message_channel *c = message_channel_from(from, process.rank, false);

    *behind = c ? atomic_load_explicit(&c->tail, memory_order_relaxed) : 0;
    if (!c || !message_channel_skip_fitting(c, behind, comm, tag, room))
        return false;
    atomic_store_explicit(&c->tail, *behind, memory_order_release);
    return true;
}

bool message_channel_drain(int from)
{
    struct message_channel *c = message_channel_from(from, process.rank, false);
    struct unmatched **end = &message_channel_unmatched[from];

    while (c && (*end || take_next(c, end)))
        end = &(*end)->next;
    return !message_channel_is_broken(c);
}

void message_channel_await(int from)
{
    const struct message_channel *c = message_channel_from(from, process.rank, false);
    uint64_t tail = c ? atomic_load_explicit(&c->tail, memory_order_relaxed) : 0;

    if (!c)
        return;
    __builtin_prefetch(&c->slot[tail % CHANNEL_SLOTS]);
    __builtin_prefetch(&c->slot[message_channel_begin_line(tail) % CHANNEL_SLOTS]);
}
