/* counts: an array of counts or displacements, as either form of a procedure passes it.
 *
 * The `int` form of a procedure gives `narrow`, the large-count form gives `wide` (MPI_Count and MPI_Aint are
 * both 64 bits in this ABI); the other one is NULL. The array belongs to the caller of MPI. Where the
 * standard says that an array is not significant (a gather's counts on a non-root rank) both may be NULL, and
 * counts_at must not be called.
 */
#ifndef BASE_COUNTS_H
#define BASE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct counts {
    const int *narrow;
    const int64_t *wide;
};

static inline bool counts_given(struct counts c)
{
    return c.narrow || c.wide;
}

static inline int64_t counts_at(struct counts c, int64_t i)
{
    return c.wide ? c.wide[i] : (int64_t)c.narrow[i];
}

#endif
