/* memory: memory that the library gives to the program, and the kinds of memory that the program has.
 *
 * memory_alloc is MPI_Alloc_mem. Blocks come from the process's heap (heap.h), a part of the shared file of
 * the host: its processes can map it, so a message from or into such a block is one copy with plain loads and
 * stores, without a system call, and also where the kernel forbids processes to read each other
 * (net/transport.h: map). Where there is no such file (a process alone, other transports), and for what the
 * heap cannot hold, plain memory is taken; the program cannot tell.
 *
 * Everything that says which bytes are taken lies outside the shared pages: another process can spoil the
 * contents of blocks, not the account of them.
 *
 * Threads: any thread, any time between MPI_Init and MPI_Finalize.
 */
#ifndef MEMORY_MEMORY_H
#define MEMORY_MEMORY_H

#include <stddef.h>

enum {
    MEMORY_ALIGNMENT = 64 /* of every block: a cache line, and enough for any predefined datatype */
};

/* `bytes` (0: a block that holds nothing) at a multiple of `alignment`, a power of two, uninitialised.
 * MPI_ERR_NO_MEM also where the machine or a control group could not give the pages. */
int memory_alloc(size_t bytes, size_t alignment, void **block);
/* MPI_ERR_BASE for anything that memory_alloc did not give, or that was freed. */
int memory_free(void *block);

#endif
