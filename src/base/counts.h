/* counts: an array of counts or displacements, as either twin of a procedure passes it.
 *
 * The `int` form of a procedure gives `narrow`, the large-count form gives `wide` (MPI_Count and MPI_Aint are
 * both 64 bits in this ABI); the other one is NULL. The array belongs to the caller of MPI. Where the
 * standard says that an array is not significant (a gather's counts on a non-root rank) both may be NULL, and
 * nobody may call counts_at.
 */
#ifndef BASE_COUNTS_H
#define BASE_COUNTS_H

#include <stdint.h>

struct counts {
    const int *narrow;
    const int64_t *wide;
};

static inline int64_t counts_at(struct counts c, int64_t i)
{
    return c.wide ? c.wide[i] : (int64_t)c.narrow[i];
}

#endif
