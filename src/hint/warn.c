#include "hint/warn.h"

#include "base/lock.h"

#include <stdint.h>

enum {
    KEYS_MAX = 256
};

static struct lock lock = LOCK_INIT;
static uint64_t seen[KEYS_MAX];   /* hashes; guarded by lock */
static int seen_count, next_seen; /* the oldest is forgotten */

static uint64_t warn_hash(const char *key)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */

    for (; *key; key++)
        h = (h ^ (unsigned char)*key) * 1099511628211u;
    return h;
}

/* Caller holds the lock. */
static bool add_new(uint64_t h)
{
    for (int i = 0; i < seen_count; i++)
        if (seen[i] == h)
            return false;
    seen[next_seen] = h;
    next_seen = (next_seen + 1) % KEYS_MAX;
    seen_count += seen_count < KEYS_MAX;
    return true;
}

bool warn_is_due(const char *key)
{
    bool due;

    lock_always_take(&lock);
    due = add_new(warn_hash(key));
    lock_always_release(&lock);
    return due;
}
