/* extents: which parts of a range of bytes are taken. Pure: offsets only, nothing in the range is touched, so
 * that its bytes may be shared with processes that need not be trusted.
 *
 * Neighbours that are free are one extent. Free ones hang in lists by size, four to each power of two; a
 * request takes from the smallest list whose every extent is large enough, after a short look at the list
 * that its size belongs to. Not thread-safe.
 */
#ifndef MEMORY_EXTENTS_H
#define MEMORY_EXTENTS_H

#include "base/list.h"

#include <stdint.h>

enum {
    EXTENT_UNIT = 64, /* offsets and sizes are multiples of it: a cache line */
    EXTENT_CLASSES = 128
};

struct extent {
    struct link order; /* among all, by offset */
    struct link list;  /* free: among those of its size */
    size_t at, size;
    size_t loose; /* free: how many of its bytes at most still have pages; the user of extents may clear it */
    bool is_free;
};

struct extents {
    struct link all;
    struct link list[EXTENT_CLASSES];
    uint64_t some[EXTENT_CLASSES / 64]; /* bit i: list[i] is not empty */
};

/* One free extent of `size` bytes at 0. False if memory is out. */
bool extents_init(struct extents *e, size_t size);
void extents_fini(struct extents *e);
/* Nothing is taken. */
bool extents_are_unused(const struct extents *e);

/* Takes `bytes` (at least 1) at a multiple of `alignment`, a power of two. NULL when there is no such room,
 * or no memory to keep account of it. */
struct extent *extents_take(struct extents *e, size_t bytes, size_t alignment);
/* Gives one back; returns the free extent that it is part of now. */
struct extent *extents_give(struct extents *e, struct extent *extent);

#endif
