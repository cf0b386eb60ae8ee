/* memory: memory that the library gives to the program, and the kinds of memory that the program has
 * (kind.h).
 *
 * memory_alloc is MPI_Alloc_mem. It takes blocks from this process's heap (heap.h), a part of the host's
 * shared file, which the processes of the host can map. So a message from or into such a block is one copy
 * with plain loads and stores, without a system call, also where the kernel forbids processes to read each
 * other's memory (net/transport.h: map). Without such a file (a single process, other transports), and for
 * what the heap cannot hold, it takes plain memory; the program sees no difference.
 *
 * The bookkeeping lies outside the shared pages: another process can damage the contents of blocks, but not
 * the bookkeeping.
 *
 * Threads: any thread, any time between MPI_Init and MPI_Finalize.
 */
#ifndef MEMORY_MEMORY_H
#define MEMORY_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum {
    MEMORY_ALIGNMENT = 64 /* of every block: a cache line, and enough for any predefined datatype */
};

/* `bytes` (0: an empty block) at a multiple of `alignment`, a power of two, uninitialised. MPI_ERR_NO_MEM
 * also where the machine or a control group cannot give the pages. */
int memory_alloc(size_t bytes, size_t alignment, void **block);
/* MPI_ERR_BASE for anything that memory_alloc did not return, or that was freed. */
int memory_free(void *block);

/* physical: how much memory the system can still give this process. */

/* Bytes, swap included, as the machine and the control groups of this process count them; UINT64_MAX:
 * unknown. It does not foresee what others take meanwhile. */
uint64_t memory_available(void);
/* All memory of the machine, swap included; UINT64_MAX: unknown. */
uint64_t memory_installed(void);

#endif
