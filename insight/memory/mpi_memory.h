/* mpi_memory: which memory MPI has allocated in this process: the kind "mpi" (MPI-5.0 section 12.5.3), by restrictor. All other is
 * the system's or a device's, which the calls of a program do not tell.
 *
 * wrap.c keeps the table, for the checks and for --advise, under the call lock.
 */
#ifndef INSIGHT_MEMORY_MPI_MEMORY_H
#define INSIGHT_MEMORY_MPI_MEMORY_H

#include "insight/call/intercept.h"

/* Bits. */
enum memory_maker {
    MEMORY_NOT_OF_MPI = 1,
    MEMORY_ALLOC_MEM = 2,
    MEMORY_WIN_ALLOCATE = 4,
    MEMORY_WIN_ALLOCATE_SHARED = 8
};

enum memory_maker mpi_memory_at(uintptr_t address);
/* Where memory of MPI_Alloc_mem with this address ends. */
bool mpi_memory_find_allocated(uintptr_t address, uintptr_t *end);
/* No memory for the table was left: what is not in it may be MPI's. */
bool mpi_memory_is_lost(void);
/* For each call: before what frees memory, and after what has made some. */
void mpi_memory_before(const struct intercept *call);
void mpi_memory_after(const struct intercept *call);

#endif
