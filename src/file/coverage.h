/* coverage: which bytes of a window ranks have put there; a bit a byte.
 *
 * Ranks of a host add runs at the same time: relaxed, since a barrier comes before the aggregator looks.
 */
#ifndef FILE_COVERAGE_H
#define FILE_COVERAGE_H

#include "file/view.h"

#include <stdatomic.h>

/* Bytes of the map of a window. */
static inline size_t coverage_bytes(MPI_Offset window)
{
    return ((size_t)window + 63) / 64 * sizeof(uint64_t);
}

void coverage_add(_Atomic uint64_t *map, MPI_Offset at, MPI_Offset bytes);
/* The first stretch of covered bytes at or behind `from`. False: there is none. */
bool coverage_next(const _Atomic uint64_t *map, MPI_Offset window, MPI_Offset from, struct file_run *covered);
void coverage_clear(_Atomic uint64_t *map, MPI_Offset window);

#endif
