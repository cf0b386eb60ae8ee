/* Handles that are int in the ABI: tables that turn those made at run time without a call. A row belongs to a handle from the call that
 * gives it to the program to the one that frees it, so it does not change while the program may pass that handle, and nobody locks. A
 * handle whose row is taken is turned by MPI_X_fromint. Included by abi.h of such an ABI alone. */
#ifndef FOREIGN_KNOWN_H
#define FOREIGN_KNOWN_H

#include <stdatomic.h>
#include <sys/single_threaded.h>

enum {
    KNOWN_ROWS = 256,
    NUMBERED_ROWS = 1024,
    KNOWN_NONE = 0,
    KNOWN_BUSY = 1 /* somebody fills the row */
};

struct known_row {
    _Atomic int foreign;  /* written last, with release; read with acquire by known_in_row */
    void *_Atomic native; /* relaxed: between the two above */
};
extern struct known_row known_rows[KNOWN_KINDS][KNOWN_ROWS];
extern struct known_row numbered_rows[NUMBERED_ROWS];

static inline void *known_in_row(struct known_row *row, int foreign)
{
    /* acquire: pairs with the release in known_fill */
    return atomic_load_explicit(&row->foreign, memory_order_acquire) == foreign
               ? atomic_load_explicit(&row->native, memory_order_relaxed)
               : NULL;
}

/* Whether the row was empty, and is the caller's now. */
static inline bool known_take(struct known_row *row)
{
    int none = KNOWN_NONE;

    if (!__libc_single_threaded)
        return atomic_compare_exchange_strong_explicit(
            &row->foreign, &none, KNOWN_BUSY, memory_order_acquire,
            memory_order_relaxed); /* pairs with the release of a drop */
    return atomic_load_explicit(&row->foreign, memory_order_relaxed) == KNOWN_NONE;
}

static inline void known_fill(struct known_row *row, int foreign, void *native)
{
    atomic_store_explicit(&row->native, native, memory_order_relaxed);
    atomic_store_explicit(&row->foreign, foreign, memory_order_release); /* pairs with known_in_row */
}

static inline void *known_find(enum known_kind kind, int foreign)
{
    return known_in_row(&known_rows[kind][foreign & (KNOWN_ROWS - 1)], foreign);
}
int known_add(enum known_kind kind, int foreign, void *native); /* returns foreign */
void known_drop(enum known_kind kind, int foreign);

/* Requests. Their numbers have bit 30 alone. */
static inline bool handle_is_numbered(int handle)
{
    return (unsigned)handle >> 30 == 1;
}
static inline void *numbered_find(int foreign)
{
    void *native = known_in_row(&numbered_rows[foreign & (NUMBERED_ROWS - 1)], foreign);

    return native ? native : (void *)(uintptr_t)4095;
}
/* 0: the row is taken, also by the same handle: sends that are complete at once share one, and each is waited for. */
static inline int numbered_add(void *native)
{
    uintptr_t word = (uintptr_t)native;
    struct known_row *row = &numbered_rows[word & (NUMBERED_ROWS - 1)];
    int number = (int)(1u << 30 | (word >> 24 & 0xfffff) << 10 | (word & (NUMBERED_ROWS - 1)));

    if (!known_take(row))
        return 0;
    known_fill(row, number, native);
    return number;
}
static inline void numbered_drop(int foreign)
{
    struct known_row *row = &numbered_rows[foreign & (NUMBERED_ROWS - 1)];

    /* relaxed: the row is the caller's; release: its native handle is read before */
    if (atomic_load_explicit(&row->foreign, memory_order_relaxed) == foreign)
        atomic_store_explicit(&row->foreign, KNOWN_NONE, memory_order_release);
}

#endif
