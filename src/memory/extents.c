#include "memory/extents.h"

#include "base/round.h"

#include <stdlib.h>

enum {
    LOOKS = 16 /* most extents to examine in one list */
};

static size_t extents_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Four classes to each power of two; sizes below four units have one class each. */
static int class_of(size_t size)
{
    size_t units = size / EXTENT_UNIT;
    int log = 63 - __builtin_clzll(units);

    return log < 2 ? (int)units : (log - 1) * 4 + (int)(units >> (log - 2) & 3);
}

static void list_up(struct extents *e, struct extent *x)
{
    int class = class_of(x->size);

    x->is_free = true;
    list_add(&e->list[class], &x->list);
    e->some[class / 64] |= (uint64_t)1 << class % 64;
}

static void unlist(struct extents *e, struct extent *x)
{
    int class = class_of(x->size);

    x->is_free = false;
    list_remove(&x->list);
    if (list_is_empty(&e->list[class]))
        e->some[class / 64] &= ~((uint64_t)1 << class % 64);
}

static struct extent *extent_new(size_t at, size_t size, size_t loose)
{
    struct extent *x = malloc(sizeof *x);

    if (x)
        *x = (struct extent){.at = at, .size = size, .loose = loose};
    return x;
}

static void extents_drop(struct extent *x)
{
    list_remove(&x->order);
    free(x);
}

bool extents_init(struct extents *e, size_t size)
{
    struct extent *x = extent_new(0, size & ~(size_t)(EXTENT_UNIT - 1), 0);

    if (!x)
        return false;
    *e = (struct extents){0};
    list_init(&e->all);
    for (int i = 0; i < EXTENT_CLASSES; i++)
        list_init(&e->list[i]);
    list_add(&e->all, &x->order);
    list_up(e, x);
    return true;
}

void extents_fini(struct extents *e)
{
    while (!list_is_empty(&e->all))
        extents_drop(LIST_ENTRY(e->all.next, struct extent, order));
}

bool extents_are_unused(const struct extents *e)
{
    const struct extent *first = LIST_ENTRY(e->all.next, struct extent, order);

    return first->is_free && first->order.next == &e->all;
}

static bool extents_fits(const struct extent *x, size_t bytes, size_t alignment)
{
    return round_up(x->at, alignment) - x->at <= x->size &&
           x->size - (round_up(x->at, alignment) - x->at) >= bytes;
}

/* The first class from `class` on that has an extent; -1: none has. */
static int some_class(const struct extents *e, int class)
{
    for (; class < EXTENT_CLASSES; class = (class / 64 + 1) * 64) {
        uint64_t some = e->some[class / 64] >> class % 64;

        if (some)
            return class + __builtin_ctzll(some);
    }
    return -1;
}

static struct extent *extents_look_in(const struct extents *e, int class, size_t bytes, size_t alignment,
                                      int looks)
{
    const struct link *head = &e->list[class];

    for (struct link *l = head->next; l != head && looks > 0; l = l->next, looks--) {
        struct extent *x = LIST_ENTRY(l, struct extent, list);

        if (extents_fits(x, bytes, alignment))
            return x;
    }
    return NULL;
}

/* Looks at a few extents of each list that may have one large enough; from `sure` on every extent is. */
static struct extent *extents_find(const struct extents *e, size_t bytes, size_t alignment)
{
    int sure = class_of(bytes + alignment - EXTENT_UNIT) + 1;

    for (int class = some_class(e, class_of(bytes)); class >= 0; class = some_class(e, class + 1)) {
        struct extent *x = extents_look_in(e, class, bytes, alignment, LOOKS);

        if (x || class >= sure)
            return x;
    }
    return NULL;
}

/* Splits x, which is in no list, at `size`; the rest becomes a free extent. False: out of memory. */
static bool cut(struct extents *e, struct extent *x, size_t size)
{
    struct extent *rest = extent_new(x->at + size, x->size - size, extents_smaller(x->loose, x->size - size));

    if (!rest)
        return false;
    x->size = size;
    x->loose = extents_smaller(x->loose, size);
    list_add(x->order.next, &rest->order);
    list_up(e, rest);
    return true;
}

struct extent *extents_take(struct extents *e, size_t bytes, size_t alignment)
{
    size_t size = round_up(bytes, EXTENT_UNIT), skipped;
    struct extent *x;

    if (size < bytes || bytes > SIZE_MAX / 4 || alignment > SIZE_MAX / 4)
        return NULL;
    alignment = alignment < EXTENT_UNIT ? EXTENT_UNIT : alignment;
    x = extents_find(e, size, alignment);
    if (!x)
        return NULL;
    skipped = round_up(x->at, alignment) - x->at;
    unlist(e, x);
    if (skipped) { /* the skipped part stays free */
        bool done = cut(e, x, skipped);

        list_up(e, x);
        if (!done)
            return NULL;
        x = LIST_ENTRY(x->order.next, struct extent, order);
        unlist(e, x);
    }
    if (x->size > size && !cut(e, x, size)) {
        extents_give(e, x);
        return NULL;
    }
    return x;
}

/* Merges the free extent behind x into x. */
static void swallow(struct extents *e, struct extent *x, struct extent *next)
{
    unlist(e, next);
    x->size += next->size;
    x->loose += next->loose;
    extents_drop(next);
}

struct extent *extents_give(struct extents *e, struct extent *x)
{
    struct extent *next = LIST_ENTRY(x->order.next, struct extent, order);
    struct extent *before = LIST_ENTRY(x->order.prev, struct extent, order);

    x->loose = x->size;
    if (&next->order != &e->all && next->is_free)
        swallow(e, x, next);
    list_up(e, x);
    if (&before->order == &e->all || !before->is_free)
        return x;
    unlist(e, before);
    swallow(e, before, x);
    list_up(e, before);
    return before;
}
