#include "net/advert.h"

enum advert_state {
    FREE,
    OPEN,
    CLAIMED,
    DECLINED
};

#define STATE_BITS 2
#define STATE_MASK (((uint64_t)1 << STATE_BITS) - 1)
#define NO_SERIAL  UINT64_MAX

static uint64_t advert_state_of(struct advert_table *b, int slot)
{
    return atomic_load_explicit(&b->slot[slot].state, memory_order_acquire);
}

/* Changes the state if it is `before`, which the caller has acquired; false: it is not. */
static bool advert_change(struct advert_table *b, int slot, uint64_t before, enum advert_state to)
{
    return atomic_compare_exchange_strong_explicit(&b->slot[slot].state, &before, (before & ~STATE_MASK) | to,
                                                   memory_order_release, memory_order_relaxed);
}

int advert_post(struct advert_table *b, const struct advert *a)
{
    uint32_t used = atomic_load_explicit(&b->used, memory_order_relaxed);
    int slot = __builtin_ctz(~used);
    struct advert_slot *s = &b->slot[slot];

    if (slot >= ADVERT_SLOTS)
        return -1;
    atomic_store_explicit(&s->context, a->context, memory_order_relaxed);
    atomic_store_explicit(&s->address, a->address, memory_order_relaxed);
    atomic_store_explicit(&s->bytes, a->bytes, memory_order_relaxed);
    atomic_store_explicit(&s->receiver, a->receiver, memory_order_relaxed);
    atomic_store_explicit(&s->seen, a->seen, memory_order_relaxed);
    atomic_store_explicit(&s->tag, a->tag, memory_order_relaxed);
    atomic_store_explicit(&s->state, ++b->serial << STATE_BITS | OPEN, memory_order_release);
    atomic_store_explicit(&b->used, used | 1u << slot, memory_order_relaxed);
    return slot;
}

static void advert_empty(struct advert_table *b, int slot)
{
    uint32_t used = atomic_load_explicit(&b->used, memory_order_relaxed);

    atomic_store_explicit(&b->used, used & ~(1u << slot), memory_order_relaxed);
}

bool advert_withdraw(struct advert_table *b, int slot)
{
    uint64_t state = advert_state_of(b, slot);

    if ((state & STATE_MASK) == CLAIMED || !advert_change(b, slot, state, FREE))
        return false;
    advert_empty(b, slot);
    return true;
}

bool advert_free(struct advert_table *b, int slot)
{
    uint64_t state = advert_state_of(b, slot);

    if ((state & STATE_MASK) != CLAIMED || !advert_change(b, slot, state, FREE))
        return false;
    advert_empty(b, slot);
    return true;
}

void advert_clear(struct advert_table *b)
{
    for (int slot = 0; slot < ADVERT_SLOTS; slot++)
        if (atomic_load_explicit(&b->used, memory_order_relaxed) & 1u << slot)
            advert_withdraw(b, slot);
}

/* The state of the earliest open advert for context and tag, NO_SERIAL: there is none. */
static uint64_t find_earliest(struct advert_table *b, uint64_t context, int32_t tag, int *slot)
{
    uint32_t used = atomic_load_explicit(&b->used, memory_order_relaxed) & ((1u << ADVERT_SLOTS) - 1);
    uint64_t earliest = NO_SERIAL;

    for (; used; used &= used - 1) {
        int i = __builtin_ctz(used);
        uint64_t state = advert_state_of(b, i);

        if ((state & STATE_MASK) == OPEN && state < earliest &&
            atomic_load_explicit(&b->slot[i].context, memory_order_relaxed) == context &&
            atomic_load_explicit(&b->slot[i].tag, memory_order_relaxed) == tag) {
            earliest = state;
            *slot = i;
        }
    }
    return earliest;
}

int advert_claim(struct advert_table *b, uint64_t context, int32_t tag, uint64_t bytes, uint64_t sent,
                 struct advert *found)
{
    int slot = -1;
    uint64_t seen_before, state = find_earliest(b, context, tag, &slot);
    struct advert_slot *s;

    do { /* an earlier one may have come up behind the first look */
        if (state == NO_SERIAL)
            return -1;
        seen_before = state;
        state = find_earliest(b, context, tag, &slot);
    } while (state != seen_before);
    s = &b->slot[slot];
    *found = (struct advert){
        .context = context,
        .address = atomic_load_explicit(&s->address, memory_order_relaxed),
        .bytes = atomic_load_explicit(&s->bytes, memory_order_relaxed),
        .receiver = atomic_load_explicit(&s->receiver, memory_order_relaxed),
        .seen = atomic_load_explicit(&s->seen, memory_order_relaxed),
        .tag = tag,
    };
    if (found->bytes != bytes || found->seen < sent || !advert_change(b, slot, state, CLAIMED))
        return -1;
    return slot;
}

void advert_decline(struct advert_table *b, int slot)
{
    advert_change(b, slot, advert_state_of(b, slot), DECLINED);
}
