/* keys: which chain belongs to this (source, tag)? Wildcards are keys like any other.
 *
 * A key that comes when there is none is *alone*: it has a slot of its own, and one compare finds it. With the
 * second both go into a hash table of open addressing, and are there until no key is left. In it a key is found,
 * added and removed by looking at neighbouring slots, without touching what it leads to. It is never more than
 * three quarters full, and a key goes with the last of its chain, so no cost depends on how many have the same
 * key. It grows, and does not shrink.
 *
 * Lock: belongs to the owner of the table.
 */
#ifndef P2P_KEYS_H
#define P2P_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct posted;

/* The ends of a chain of unexpected messages, by index; 0: none (unexpected.h). */
struct chain_ends {
    uint32_t first, last;
};

struct key_slot {
    uint64_t key; /* of source and tag; 0: the slot is free */
    union {
        struct chain_ends ends;
        struct posted *posted; /* the first; the others are in a ring with it (match.h) */
    };
};

struct key_table {
    struct key_slot alone; /* the only key; else its key is 0 */
    struct key_slot *slot; /* the others'; NULL until first used */
    uint32_t mask;         /* slots - 1 */
    int shift;             /* 64 - log2(slots) */
    uint32_t count, most;  /* keys that there are, and that there may be */
};

/* Not 0, since no source is INT32_MIN. */
static inline uint64_t key_of(int32_t source, int32_t tag)
{
    return ((uint64_t)(uint32_t)source << 32 | (uint32_t)tag) ^ (uint64_t)1 << 63;
}

bool keys_grow(struct key_table *t, uint64_t keys);
struct key_slot *keys_find_hashed(const struct key_table *t, uint64_t key);
struct key_slot *keys_add_hashed(struct key_table *t, uint64_t key);
void keys_remove_hashed(struct key_table *t, struct key_slot *slot);

/* Makes room for so many more keys; false: no memory. */
static inline bool keys_reserve(struct key_table *t, uint64_t more)
{
    return t->count + more <= 1 || t->count + more <= t->most || keys_grow(t, t->count + more);
}

/* NULL: there is no such key. */
static inline struct key_slot *keys_find(struct key_table *t, int32_t source, int32_t tag)
{
    uint64_t key = key_of(source, tag);

    if (t->alone.key == key)
        return &t->alone;
    return t->count == 0 || t->alone.key ? NULL : keys_find_hashed(t, key);
}

/* The same, but a key that is not there is added, with an empty chain, in room that was reserved. Other slots
 * may move. */
static inline struct key_slot *keys_add(struct key_table *t, int32_t source, int32_t tag)
{
    uint64_t key = key_of(source, tag);

    if (t->alone.key == key)
        return &t->alone;
    if (t->count)
        return keys_add_hashed(t, key);
    t->alone = (struct key_slot){.key = key};
    t->count = 1;
    return &t->alone;
}

/* Takes a key out of the table. Other slots may move. */
static inline void keys_remove(struct key_table *t, struct key_slot *slot)
{
    t->count--;
    if (slot == &t->alone)
        slot->key = 0;
    else
        keys_remove_hashed(t, slot);
}

/* The key after this one, or the first where slot is NULL; NULL: there is none. */
struct key_slot *keys_next(struct key_table *t, struct key_slot *slot);
void keys_free(struct key_table *t);

#endif
