/* memory_use: memory of the program that MPI uses until the program takes it back: of windows, and buffers of MPI_Bsend.
 *
 * It may not be freed before, nor may the function return whose variable it is.
 */
#ifndef INSIGHT_MEMORY_MEMORY_USE_H
#define INSIGHT_MEMORY_MEMORY_USE_H

#include "insight/call/intercept.h"

/* Some memory is in use; relaxed. */
extern _Atomic bool memory_use_is_wanted;

/* The call has given MPI this memory. `end`: the call that gives it back. */
void memory_use_begin(const struct intercept *call, const void *memory, int64_t size, const char *end);
void memory_use_end(const void *memory);
/* A block is freed, from there on; `size`: one more than its size, 0: not known. */
void memory_use_freed(uintptr_t block, size_t size, void *site);
/* A call of MPI frees memory of its own. */
void memory_use_mpi_frees(struct intercept *call, const void *memory);
/* The call needs memory that is in use: says if it is of a function that has returned. */
void memory_use_look(struct intercept *call, const void *memory);

#endif
