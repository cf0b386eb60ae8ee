/* sides: the buffer on one side of a collective, as a program might describe it, drawn at random.
 *
 * A side holds blocks of ints, one for each rank that it is for or from. The ints of a block lie in items of
 * a datatype: dense, with gaps, out of order, at negative displacements, between each other as the columns of
 * a matrix, backwards, or at absolute addresses from MPI_BOTTOM. Blocks lie one behind the other (EVEN),
 * anywhere in items of one type (SPREAD), or anywhere in bytes, each of a type of its own (OWN_TYPES).
 *
 * `wanted` is what the memory must be in the end, gaps and surroundings included. */
#ifndef TESTS_COLL_SIDES_H
#define TESTS_COLL_SIDES_H

#include "check.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    BLOCKS = 32,   /* at most */
    ITEM_INTS = 6, /* in an item, at most */
    INT_BYTES = (int)sizeof(int),
    MARGIN = 32, /* bytes around the data */
    UNTOUCHED = 0x5a
};

enum arrangement {
    EVEN,
    SPREAD,
    OWN_TYPES
};

struct layout {
    int ints, at[ITEM_INTS]; /* bytes */
    int lower, extent;
};

struct side {
    int blocks; /* 0: the side is not used, or is in the other one */
    int ints[BLOCKS];
    enum arrangement arrangement;
    struct layout layout[BLOCKS]; /* OWN_TYPES; else the first is that of all */
    MPI_Datatype type[BLOCKS];    /* likewise */
    MPI_Count count[BLOCKS];
    MPI_Aint place[BLOCKS];
    int narrow_count[BLOCKS], narrow_place[BLOCKS];
    const void *address; /* what MPI is given */
    unsigned char *memory, *wanted, *base;
    size_t bytes;
    bool is_in_heap;
};

static uint64_t shared_state, own_state; /* of the draws that all ranks make alike, and of this rank's */

static inline uint64_t scramble(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline int draw(uint64_t *state, int below)
{
    *state += 0x9e3779b97f4a7c15u;
    return (int)(scramble(*state) % (unsigned)below);
}

static inline int draw_own(int below)
{
    return draw(&own_state, below);
}

static inline void shuffle(int *list, int count, uint64_t *state)
{
    for (int i = count - 1; i > 0; i--) {
        int k = draw(state, i + 1), old = list[i];

        list[i] = list[k];
        list[k] = old;
    }
}

/* Items of this many ints; `items` of them, or fewer, are consecutive. */
static inline struct layout layout_draw(int ints, int items)
{
    struct layout l = {.ints = ints, .extent = INT_BYTES * ints};
    int way = ints ? draw_own(5) : 0, order[ITEM_INTS], first = draw_own(4) - 2, gap = 1 + draw_own(3);

    for (int i = 0; i < ints; i++)
        order[i] = i;
    if (way == 2)
        shuffle(order, ints, &own_state);
    for (int i = 0; i < ints; i++) {
        l.at[i] = INT_BYTES * i;
        if (way == 1 || way == 2)
            l.at[i] = INT_BYTES * (first + gap * order[i]);
        if (way == 3)
            l.at[i] = INT_BYTES * (items + gap) * i;
    }
    if (way == 1 || way == 2)
        l.extent = INT_BYTES * (gap * ints + draw_own(2));
    if (way == 3)
        l.extent = INT_BYTES;
    if (way == 4)
        l.extent = -INT_BYTES * (ints + draw_own(2));
    if (way)
        l.lower = INT_BYTES * (draw_own(5) - 3);
    return l;
}

static inline MPI_Datatype layout_type(const struct layout *l, const void *from)
{
    MPI_Aint at[ITEM_INTS], begin = 0;
    MPI_Datatype ints, type;

    if (from)
        MPI_Get_address(from, &begin);
    for (int i = 0; i < l->ints; i++)
        at[i] = begin + l->at[i];
    MPI_Type_create_hindexed_block(l->ints, 1, at, MPI_INT, &ints);
    MPI_Type_create_resized(ints, begin + l->lower, l->extent, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&ints);
    return type;
}

/* Bytes from the base to an int of a block. */
static inline int64_t offset_of(const struct side *s, int block, int j)
{
    bool has_own = s->arrangement == OWN_TYPES;
    const struct layout *l = &s->layout[has_own ? block : 0];

    return s->place[block] * (has_own ? 1 : l->extent) + (int64_t)(j / l->ints) * l->extent +
           l->at[j % l->ints];
}

/* Some number of ints an item that divides them all. */
static inline int draw_ints(const int *ints, int blocks)
{
    bool fits = false;
    int n = 0;

    while (!fits) {
        n = 1 + draw_own(ITEM_INTS);
        fits = true;
        for (int b = 0; b < blocks; b++)
            fits = fits && ints[b] % n == 0;
    }
    return n;
}

static inline void place_in_items(struct side *s)
{
    int order[BLOCKS], total = 0, at = s->arrangement == SPREAD ? draw_own(5) - 2 : 0;

    for (int b = 0; b < s->blocks; b++) {
        order[b] = b;
        total += s->ints[b];
    }
    if (s->arrangement == SPREAD)
        shuffle(order, s->blocks, &own_state);
    s->layout[0] = layout_draw(total ? draw_ints(s->ints, s->blocks) : 0, total + 4 * s->blocks);
    for (int i = 0; i < s->blocks; i++) {
        int b = order[i];

        s->count[b] = total ? s->ints[b] / s->layout[0].ints : draw_own(3); /* items without data */
        s->place[b] = at;
        at += (int)s->count[b] + (s->arrangement == SPREAD ? draw_own(3) : 0);
    }
}

static inline void place_in_bytes(struct side *s)
{
    int order[BLOCKS];
    int64_t end = -16;

    for (int b = 0; b < s->blocks; b++)
        order[b] = b;
    shuffle(order, s->blocks, &own_state);
    for (int i = 0; i < s->blocks; i++) {
        int b = order[i];
        int64_t low = 0, high = 0;

        s->layout[b] = layout_draw(s->ints[b] ? draw_ints(&s->ints[b], 1) : 0, s->ints[b]);
        s->count[b] = s->ints[b] ? s->ints[b] / s->layout[b].ints : draw_own(3);
        s->place[b] = 0;
        for (int j = 0; j < s->ints[b]; j++) {
            low = offset_of(s, b, j) < low ? offset_of(s, b, j) : low;
            high = offset_of(s, b, j) + INT_BYTES > high ? offset_of(s, b, j) + INT_BYTES : high;
        }
        s->place[b] = end - low;
        end += high - low + INT_BYTES * draw_own(3);
    }
}

static inline void side_clear(struct side *s)
{
    if (s->blocks) {
        memset(s->memory, UNTOUCHED, s->bytes);
        memset(s->wanted, UNTOUCHED, s->bytes);
    }
}

/* Memory for what has been placed, including the gaps of items at both ends. */
static inline void side_allocate(struct side *s, bool is_in_heap)
{
    int64_t low = 0, high = 0;

    for (int b = 0; b < s->blocks; b++)
        for (int j = 0; j < s->ints[b]; j++) {
            low = offset_of(s, b, j) < low ? offset_of(s, b, j) : low;
            high = offset_of(s, b, j) + INT_BYTES > high ? offset_of(s, b, j) + INT_BYTES : high;
        }
    s->bytes = (size_t)(high - low) + 2 * MARGIN;
    s->is_in_heap = is_in_heap;
    if (is_in_heap)
        CHECK_EQ(MPI_Alloc_mem((MPI_Aint)s->bytes, MPI_INFO_NULL, &s->memory), MPI_SUCCESS);
    else
        s->memory = malloc(s->bytes);
    s->wanted = malloc(s->bytes);
    s->base = s->memory + MARGIN - low;
    s->address = s->base;
    side_clear(s);
}

static inline void side_open(struct side *s, int blocks, const int *ints, enum arrangement arrangement,
                             bool is_in_heap)
{
    bool is_absolute = arrangement != OWN_TYPES && draw_own(8) == 0;

    s->blocks = blocks;
    s->arrangement = arrangement;
    memcpy(s->ints, ints, (size_t)blocks * sizeof *ints);
    if (arrangement == OWN_TYPES)
        place_in_bytes(s);
    else
        place_in_items(s);
    side_allocate(s, is_in_heap);
    for (int b = 0; b < (arrangement == OWN_TYPES ? blocks : 1); b++)
        s->type[b] = layout_type(&s->layout[b], is_absolute ? s->base : NULL);
    if (is_absolute)
        s->address = MPI_BOTTOM;
    for (int b = 0; b < blocks; b++) {
        s->narrow_count[b] = (int)s->count[b];
        s->narrow_place[b] = (int)s->place[b];
    }
}

/* A vector of items that a reduction works on. */
static inline void side_open_items(struct side *s, int items, struct layout layout, bool is_in_heap)
{
    s->blocks = 1;
    s->arrangement = EVEN;
    s->layout[0] = layout;
    s->ints[0] = items * layout.ints;
    s->count[0] = items;
    s->place[0] = 0;
    s->type[0] = layout_type(&layout, NULL);
    side_allocate(s, is_in_heap);
}

/* One that is not significant here: `address` and anything else. */
static inline void side_leave_out(struct side *s, const void *address)
{
    s->blocks = 0;
    s->address = address;
    for (int b = 0; b < BLOCKS; b++) {
        s->type[b] = MPI_DATATYPE_NULL;
        s->count[b] = s->narrow_count[b] = -3;
        s->place[b] = s->narrow_place[b] = -4;
    }
}

/* Operations under way keep the types that they need. */
static inline void side_free_types(struct side *s)
{
    for (int b = 0; s->blocks && b < (s->arrangement == OWN_TYPES ? s->blocks : 1); b++)
        if (s->type[b] != MPI_DATATYPE_NULL)
            MPI_Type_free(&s->type[b]);
}

static inline void side_close(struct side *s)
{
    if (!s->blocks)
        return;
    side_free_types(s);
    if (s->is_in_heap)
        MPI_Free_mem(s->memory);
    else
        free(s->memory);
    free(s->wanted);
}

static inline void side_want(struct side *s, int block, int j, int value)
{
    memcpy(s->wanted + (s->base - s->memory) + offset_of(s, block, j), &value, sizeof value);
}

static inline void side_put(struct side *s, int block, int j, int value)
{
    memcpy(s->base + offset_of(s, block, j), &value, sizeof value);
    side_want(s, block, j, value);
}

/* Whatever is there is right. */
static inline void side_forget(struct side *s, int block, int j)
{
    int value;

    memcpy(&value, s->base + offset_of(s, block, j), sizeof value);
    side_want(s, block, j, value);
}

/* The first byte, counted from the base, that is not what it must be; false: there is none. */
static inline bool side_differs(const struct side *s, long *at)
{
    for (size_t i = 0; s->blocks && i < s->bytes; i++)
        if (s->memory[i] != s->wanted[i]) {
            *at = (long)(s->memory + i - s->base);
            return true;
        }
    return false;
}

#endif
