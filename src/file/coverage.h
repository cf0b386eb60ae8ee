/* coverage: which bytes of a window ranks have put there.
 *
 * A bit for each byte, in words of 64; and a bit for each word that has one set, so that looking and clearing take the time
 * of the bytes that were put there, and little of the stretch between them.
 *
 * Ranks of a host add runs at the same time: relaxed, since a barrier comes before the aggregator looks.
 */
#ifndef FILE_COVERAGE_H
#define FILE_COVERAGE_H

#include "file/view.h"

#include <stdatomic.h>

struct coverage {
    _Atomic uint64_t *used; /* the bit of each word of `byte` that may have bits; NULL: there is no window */
    _Atomic uint64_t *byte;
    MPI_Offset window; /* bytes. Who knows that nothing was put behind a place may look only so far */
};

/* Bytes of the map of a window, of which the smaller windows have no more. */
size_t coverage_bytes(MPI_Offset window);
/* The map of a window in this memory, which is aligned for its words. */
struct coverage coverage_at(void *memory, MPI_Offset window);
/* In memory that may hold anything. */
void coverage_init(const struct coverage *c);

void coverage_add(const struct coverage *c, MPI_Offset at, MPI_Offset bytes);
/* The first stretch of covered bytes at or behind `from`. False: there is none. */
bool coverage_next(const struct coverage *c, MPI_Offset from, struct file_run *covered);
/* Nothing was put before `from`. */
void coverage_clear(const struct coverage *c, MPI_Offset from);

#endif
