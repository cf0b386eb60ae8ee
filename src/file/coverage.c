#include "file/coverage.h"

#include <stdint.h>

enum {
    BITS = 64
};

static MPI_Offset words_of(MPI_Offset bits)
{
    return (bits + BITS - 1) / BITS;
}

size_t coverage_bytes(MPI_Offset window)
{
    return (size_t)(words_of(window) + words_of(words_of(window))) * sizeof(uint64_t);
}

struct coverage coverage_at(void *memory, MPI_Offset window)
{
    _Atomic uint64_t *used = memory;

    return (struct coverage){used, used + words_of(words_of(window)), window};
}

static uint64_t word_at(const _Atomic uint64_t *map, MPI_Offset word)
{
    return atomic_load_explicit(&map[word], memory_order_relaxed);
}

/* Bits low to high - 1 of a word. */
static uint64_t bits(int low, int high)
{
    uint64_t below = high == BITS ? ~(uint64_t)0 : ((uint64_t)1 << high) - 1;

    return below & ~(((uint64_t)1 << low) - 1);
}

/* Sets bits `at` to end - 1. A word that is set already is only read: ranks whose runs are near each other share it. */
static void set_bits(_Atomic uint64_t *map, MPI_Offset at, MPI_Offset end)
{
    while (at < end) {
        MPI_Offset word = at / BITS;
        int low = (int)(at % BITS), high = end - word * BITS < BITS ? (int)(end - word * BITS) : BITS;
        uint64_t wanted = bits(low, high);

        if (!~wanted) /* all of it is this rank's, unless ranks write the same bytes */
            atomic_store_explicit(&map[word], wanted, memory_order_relaxed);
        else if ((word_at(map, word) & wanted) != wanted)
            atomic_fetch_or_explicit(&map[word], wanted, memory_order_relaxed);
        at = (word + 1) * BITS;
    }
}

void coverage_add(const struct coverage *c, MPI_Offset at, MPI_Offset bytes)
{
    set_bits(c->byte, at, at + bytes);
    set_bits(c->used, at / BITS, words_of(at + bytes));
}

/* The first covered byte at or behind `from`; the window's end: there is none. */
static MPI_Offset find_covered(const struct coverage *c, MPI_Offset from)
{
    MPI_Offset words = words_of(c->window), i = from / BITS + 1;
    uint64_t found = from < c->window ? word_at(c->byte, from / BITS) >> (from % BITS) : 0;

    if (found)
        return from + __builtin_ctzll(found);
    for (; i < words; i = (i / BITS + 1) * BITS) {
        found = word_at(c->used, i / BITS) >> (i % BITS);
        if (found) {
            i += __builtin_ctzll(found);
            return i * BITS + __builtin_ctzll(word_at(c->byte, i));
        }
    }
    return c->window;
}

/* The first byte at or behind `from` that is not covered, or the window's end. */
static MPI_Offset find_uncovered(const struct coverage *c, MPI_Offset from)
{
    while (from < c->window) {
        uint64_t found = ~word_at(c->byte, from / BITS) >> (from % BITS);

        if (found) {
            from += __builtin_ctzll(found);
            return from < c->window ? from : c->window;
        }
        from = (from / BITS + 1) * BITS;
    }
    return c->window;
}

bool coverage_next(const struct coverage *c, MPI_Offset from, struct file_run *covered)
{
    MPI_Offset begin = find_covered(c, from);

    *covered = (struct file_run){begin, find_uncovered(c, begin) - begin};
    return begin < c->window;
}

void coverage_init(const struct coverage *c)
{
    for (size_t i = 0; i < coverage_bytes(c->window) / sizeof *c->used;
         i++) /* the bytes' words lie behind these */
        atomic_store_explicit(&c->used[i], 0, memory_order_relaxed);
}

void coverage_clear(const struct coverage *c, MPI_Offset from)
{
    for (MPI_Offset i = from / BITS / BITS; i < words_of(words_of(c->window)); i++) {
        uint64_t used = word_at(c->used, i);

        if (!used)
            continue;
        for (uint64_t left = used; left; left &= left - 1)
            atomic_store_explicit(&c->byte[i * BITS + __builtin_ctzll(left)], 0, memory_order_relaxed);
        atomic_store_explicit(&c->used[i], 0, memory_order_relaxed);
    }
}
