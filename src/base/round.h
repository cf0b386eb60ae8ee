/* round: sizes and addresses in whole units. */
#ifndef BASE_ROUND_H
#define BASE_ROUND_H

#include <stddef.h>

/* unit: a power of two. */
static inline size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) & ~(unit - 1);
}

#endif
