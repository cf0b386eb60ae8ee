/* extents: which parts of a range of bytes are in use. Pure: it works on offsets and touches nothing in the
 * range, so the bytes may be shared with processes that are not trusted.
 *
 * Adjacent free bytes form one extent. Free extents are in lists by size, four lists to each power of two. A
 * request looks at a few extents of each list that may have one large enough. It stops at the latest at the
 * first list whose every extent is large enough. Not thread-safe.
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
    struct link order; /* in all extents, by offset */
    struct link list;  /* free: in the list of its size */
    size_t at, size;
    size_t loose; /* free: most of its bytes that still have pages; the user of extents may clear it */
    bool is_free;
};

struct extents {
    struct link all;
    struct link list[EXTENT_CLASSES];
    uint64_t some[EXTENT_CLASSES / 64]; /* bit i: list[i] is not empty */
};

/* One free extent of `size` bytes at 0. False: out of memory. */
bool extents_init(struct extents *e, size_t size);
void extents_fini(struct extents *e);
/* Whether nothing is in use. */
bool extents_are_unused(const struct extents *e);

/* Takes `bytes` (at least 1) at a multiple of `alignment`, a power of two. NULL: no extent is large enough,
 * or there is no memory for the bookkeeping. */
struct extent *extents_take(struct extents *e, size_t bytes, size_t alignment);
/* Frees an extent; returns the free extent that contains it now. */
struct extent *extents_give(struct extents *e, struct extent *extent);

#endif
