#include "file/coverage.h"

#include <stdint.h>

enum {
    BITS = 64
};

/* Bits low to high - 1 of a word. */
static uint64_t bits(int low, int high)
{
    uint64_t below = high == BITS ? ~(uint64_t)0 : ((uint64_t)1 << high) - 1;

    return below & ~(((uint64_t)1 << low) - 1);
}

void coverage_add(_Atomic uint64_t *map, MPI_Offset at, MPI_Offset bytes)
{
    MPI_Offset end = at + bytes;

    while (at < end) {
        MPI_Offset word = at / BITS;
        int low = (int)(at % BITS), high = end - word * BITS < BITS ? (int)(end - word * BITS) : BITS;

        if (low == 0 && high == BITS) /* all of it is this rank's, unless ranks write the same bytes */
            atomic_store_explicit(&map[word], ~(uint64_t)0, memory_order_relaxed);
        else
            atomic_fetch_or_explicit(&map[word], bits(low, high), memory_order_relaxed);
        at = (word + 1) * BITS;
    }
}

/* The first byte at or behind `from` whose bit is `is_set`; `window`: there is none. */
static MPI_Offset find(const _Atomic uint64_t *map, MPI_Offset window, MPI_Offset from, bool is_set)
{
    while (from < window) {
        uint64_t word = atomic_load_explicit(&map[from / BITS], memory_order_relaxed);

        word = (is_set ? word : ~word) >> (from % BITS);
        if (word) {
            from += __builtin_ctzll(word);
            return from < window ? from : window;
        }
        from = (from / BITS + 1) * BITS;
    }
    return window;
}

bool coverage_next(const _Atomic uint64_t *map, MPI_Offset window, MPI_Offset from, struct file_run *covered)
{
    MPI_Offset begin = find(map, window, from, true);

    *covered = (struct file_run){begin, find(map, window, begin, false) - begin};
    return begin < window;
}

void coverage_clear(_Atomic uint64_t *map, MPI_Offset window)
{
    for (size_t i = 0; i < coverage_bytes(window) / sizeof *map; i++)
        atomic_store_explicit(&map[i], 0, memory_order_relaxed);
}
