/* match_hash: a hash table from (source, tag) to a chain of receives or messages.
 *
 * A wildcard is a source or tag like any other. A key that is the only one lies in `single`: one compare finds
 * it. A second key moves both into a table of open addressing with linear probing. They stay there until the
 * table is empty. Lookups, insertions and removals touch neighbouring slots only, never what the keys lead to.
 * The table is at most three quarters full. A key leaves with the last member of its chain, so no cost depends
 * on the length of a chain. The table grows and never shrinks.
 *
 * Lock: that of the table's owner.
 */
#ifndef P2P_MATCH_MATCH_HASH_H
#define P2P_MATCH_MATCH_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct posted;

/* The ends of a chain of unexpected messages, by index; 0: none (unexpected.h). */
struct match_chain {
    uint32_t first, last;
};

struct match_hash_slot {
    uint64_t key; /* of source and tag; 0: the slot is free */
    union {
        struct match_chain ends;
        struct posted *posted; /* the first; the others are in a ring with it (match.h) */
    };
};

struct match_hash {
    struct match_hash_slot single; /* the only key; else its key is 0 */
    struct match_hash_slot *slot;  /* the others'; NULL until first used */
    uint32_t mask;                 /* slots - 1 */
    int shift;                     /* 64 - log2(slots) */
    uint32_t count, most;          /* keys that there are, and that there may be */
};

/* Not 0, since no source is INT32_MIN. */
static inline uint64_t match_hash_key(int32_t source, int32_t tag)
{
    return ((uint64_t)(uint32_t)source << 32 | (uint32_t)tag) ^ (uint64_t)1 << 63;
}

bool match_hash_grow(struct match_hash *t, uint64_t keys);
struct match_hash_slot *match_hash_find_hashed(const struct match_hash *t, uint64_t key);
struct match_hash_slot *match_hash_add_hashed(struct match_hash *t, uint64_t key);
void match_hash_remove_hashed(struct match_hash *t, struct match_hash_slot *slot);

/* Makes room for so many more keys; false: no memory. */
static inline bool match_hash_reserve(struct match_hash *t, uint64_t more)
{
    return t->count + more <= 1 || t->count + more <= t->most || match_hash_grow(t, t->count + more);
}

/* NULL: there is no such key. */
static inline struct match_hash_slot *match_hash_find(struct match_hash *t, int32_t source, int32_t tag)
{
    uint64_t key = match_hash_key(source, tag);

    if (t->single.key == key)
        return &t->single;
    return t->count == 0 || t->single.key ? NULL : match_hash_find_hashed(t, key);
}

/* The same, but a key that is not there is added, with an empty chain, in room that was reserved. Other slots
 * may move. */
static inline struct match_hash_slot *match_hash_add(struct match_hash *t, int32_t source, int32_t tag)
{
    uint64_t key = match_hash_key(source, tag);

    if (t->single.key == key)
        return &t->single;
    if (t->count)
        return match_hash_add_hashed(t, key);
    t->single = (struct match_hash_slot){.key = key};
    t->count = 1;
    return &t->single;
}

/* Takes a key out of the table. Other slots may move. */
static inline void match_hash_remove(struct match_hash *t, struct match_hash_slot *slot)
{
    t->count--;
    if (slot == &t->single)
        slot->key = 0;
    else
        match_hash_remove_hashed(t, slot);
}

/* The key after this one, or the first where slot is NULL; NULL: there is none. */
struct match_hash_slot *match_hash_next(struct match_hash *t, struct match_hash_slot *slot);
void match_hash_free(struct match_hash *t);

#endif
