#include "foreign/foreign.h"

#ifndef FOREIGN_HAS_POINTERS

struct known_row known_rows[KNOWN_KINDS][KNOWN_ROWS];
struct known_row numbered_rows[NUMBERED_ROWS];

int known_add(enum known_kind kind, int foreign, void *native)
{
    struct known_row *row = &known_rows[kind][foreign & (KNOWN_ROWS - 1)];

    /* Where the row has this number already, it may be that of an object that went without a call. */
    if (known_in_row(row, foreign) != native &&
        (atomic_load_explicit(&row->foreign, memory_order_relaxed) == foreign || known_take(row)))
        known_fill(row, foreign, native);
    return foreign;
}

void known_drop(enum known_kind kind, int foreign)
{
    int mine = foreign;

    /* release: the row's native handle is read before; pairs with known_take */
    atomic_compare_exchange_strong_explicit(&known_rows[kind][foreign & (KNOWN_ROWS - 1)].foreign, &mine,
                                            KNOWN_NONE, memory_order_release, memory_order_relaxed);
}

#endif
