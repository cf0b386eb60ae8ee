#include "p2p/keys.h"

#include <stdlib.h>

enum {
    FIRST_SLOTS = 16
};

/* Where a key would like to lie: the upper bits of a product, which depend on all bits of the key. */
static inline uint32_t local_of(const struct key_table *t, uint64_t key)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> t->shift);
}

/* The slot of the key, or the free one where its search ends. */
static inline struct key_slot *seek(const struct key_table *t, uint64_t key)
{
    uint32_t i = local_of(t, key);

    while (t->slot[i].key && t->slot[i].key != key)
        i = (i + 1) & t->mask;
    return &t->slot[i];
}

/* Out of line: it is rare. */
__attribute__((noinline)) bool keys_grow(struct key_table *t, uint64_t keys)
{
    uint64_t slots = t->slot ? t->mask + 1 : FIRST_SLOTS;
    struct key_table bigger;

    while (slots - slots / 4 < keys)
        slots *= 2;
    if (slots > (uint64_t)1 << 31)
        return false;
    bigger = (struct key_table){.alone = t->alone,
                                .slot = calloc(slots, sizeof *bigger.slot),
                                .mask = (uint32_t)slots - 1,
                                .shift = __builtin_clzll(slots) + 1,
                                .count = t->count,
                                .most = (uint32_t)(slots - slots / 4)};
    if (!bigger.slot)
        return false;
    for (uint32_t i = 0; t->slot && i <= t->mask; i++)
        if (t->slot[i].key)
            *seek(&bigger, t->slot[i].key) = t->slot[i];
    free(t->slot);
    *t = bigger;
    return true;
}

struct key_slot *keys_find_hashed(const struct key_table *t, uint64_t key)
{
    struct key_slot *slot = seek(t, key);

    return slot->key ? slot : NULL;
}

struct key_slot *keys_add_hashed(struct key_table *t, uint64_t key)
{
    struct key_slot *slot;

    if (t->alone.key) {
        *seek(t, t->alone.key) = t->alone;
        t->alone.key = 0;
    }
    slot = seek(t, key);
    if (!slot->key) {
        *slot = (struct key_slot){.key = key};
        t->count++;
    }
    return slot;
}

/* Closes the gap: what lies behind it moves up, if that brings it no further than to its home. */
void keys_remove_hashed(struct key_table *t, struct key_slot *slot)
{
    uint32_t gap = (uint32_t)(slot - t->slot), i = (gap + 1) & t->mask;

    for (; t->slot[i].key; i = (i + 1) & t->mask)
        if (((i - local_of(t, t->slot[i].key)) & t->mask) >= ((i - gap) & t->mask)) {
            t->slot[gap] = t->slot[i];
            gap = i;
        }
    t->slot[gap].key = 0;
}

struct key_slot *keys_next(struct key_table *t, struct key_slot *slot)
{
    if (t->alone.key)
        return slot ? NULL : &t->alone;
    if (t->count == 0)
        return NULL;
    for (slot = slot ? slot + 1 : t->slot; slot <= t->slot + t->mask; slot++)
        if (slot->key)
            return slot;
    return NULL;
}

void keys_free(struct key_table *t)
{
    free(t->slot);
    *t = (struct key_table){0};
}
