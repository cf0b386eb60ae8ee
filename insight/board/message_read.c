#include "insight/board/message_channel.h"

static const struct message_slot *written_slot(const struct message_channel *c, uint64_t number)
{
    const struct message_slot *slot = &c->slot[number % CHANNEL_SLOTS];

    return atomic_load_explicit(&slot->sequence, memory_order_acquire) == (uint32_t)number + 1 ? slot : NULL;
}

/* The next one, whose number is put into `number`. The rest of a line may be left out; what was written to it before the next line is
 * seen when that line is. */
static const struct message_slot *next_slot(const struct message_channel *c, uint64_t *number)
{
    const struct message_slot *slot = written_slot(c, *number), *next;
    uint64_t line = message_channel_begin_line(*number);

    if (slot || line == *number || !(next = written_slot(c, line)))
        return slot;
    slot = written_slot(c, *number);
    if (slot)
        return slot;
    *number = line;
    return next;
}

static uint64_t bit_of_comm(uint64_t comm)
{
    return UINT64_C(1) << (comm * 0x9e3779b97f4a7c15u >> 58);
}

void message_channel_doubt(struct message_channel *c, uint64_t comm)
{
    atomic_fetch_or_explicit(&c->doubtful, bit_of_comm(comm), memory_order_release);
}

bool message_channel_is_doubtful(const struct message_channel *c, uint64_t comm)
{
    return atomic_load_explicit(&c->doubtful, memory_order_acquire) & bit_of_comm(comm);
}

bool message_channel_skip_fitting(const struct message_channel *c, uint64_t *tail, uint64_t comm, int tag,
                                  const struct type_signature *room)
{
    uint64_t number = *tail;
    const struct message_slot *slot = next_slot(c, &number);
    const struct message_kind *kind = slot ? &c->kind[slot->kind] : NULL;

    if (!kind || kind->is_whole || kind->comm != comm || slot->tag != tag || !kind->signature.is_known ||
        kind->signature.basic != room->basic || !room->is_known || slot->items > room->items)
        return false;
    *tail = number + 1;
    return true;
}

bool message_channel_read(const struct message_channel *c, uint64_t *tail, struct message_envelope *e)
{
    const struct message_slot *slot = next_slot(c, tail);
    const struct message_kind *kind;

    if (!slot)
        return false;
    kind = &c->kind[slot->kind];
    e->comm = kind->comm;
    e->tag = slot->tag;
    e->from = kind->from;
    e->signature = kind->signature;
    if (!kind->is_whole) {
        e->signature.items = slot->items;
        e->signature.bytes *= slot->items;
    }
    e->number = (*tail)++;
    e->place = kind->place;
    e->known = slot->known;
    return true;
}
