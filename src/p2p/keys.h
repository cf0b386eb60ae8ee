/* keys: which chain belongs to this (source, tag)? Wildcards are keys like any other.
 *
 * A hash table of open addressing: a key is found, added and removed by looking at neighbouring slots,
 * without touching what it leads to. It is never more than three quarters full, and a key goes with the last
 * of its chain, so no cost depends on how many have the same key. It grows, and does not shrink.
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
    struct key_slot *slot; /* NULL until first used */
    uint32_t mask;         /* slots - 1 */
    int shift;             /* 64 - log2(slots) */
    uint32_t count, most;  /* keys that there are, and that there may be */
};

/* Makes room for so many more keys; false: no memory. */
bool keys_reserve(struct key_table *t, uint64_t more);
/* NULL: there is no such key. */
struct key_slot *keys_find(const struct key_table *t, int32_t source, int32_t tag);
/* The same, but a key that is not there is added, with an empty chain, in room that was reserved. */
struct key_slot *keys_add(struct key_table *t, int32_t source, int32_t tag);
/* Takes a key out of the table. Other slots may move. */
void keys_remove(struct key_table *t, struct key_slot *slot);
void keys_free(struct key_table *t);

#endif
