/* memory_use: memory of the program that MPI uses until the program takes it back: of windows, and buffers of MPI_Bsend.
 *
 * It may not be freed before, nor may the function return whose variable it is.
 */
#ifndef INSIGHT_MEMORY_MEMORY_USE_H
#define INSIGHT_MEMORY_MEMORY_USE_H

#include "insight/call/intercept.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* heap_blocks: the blocks of the C library's heap, by functions that stand before its own: malloc, free and their like.
 *
 * A block is one word of a table, at a place that its address gives: who finds the place taken writes over it, so blocks may be
 * forgotten, and are never taken for others. The words are atomic, relaxed: one is complete in itself. An executable that has
 * functions of these names itself has them called, and no blocks are known.
 */

/* The block with this address in its first 2 KiB, as long as it was asked for; false: not known. */
bool heap_blocks_find(uintptr_t address, uintptr_t *start, uintptr_t *end);
/* All of these bytes are in one block, as is seen at once; false: they need be looked for. */
bool heap_blocks_have(uintptr_t low, uintptr_t high);

/* No block of the heap has this address. */
bool heap_blocks_begin_above(uintptr_t address);

/* mpi_memory: which memory MPI has allocated in this process: the kind "mpi" (MPI-5.0 section 12.5.3), by restrictor. All other is
 * the system's or a device's, which the calls of a program do not tell.
 *
 * wrap.c keeps the table, for the checks and for --advise, under the call lock.
 */

/* Bits. */
enum memory_maker {
    MEMORY_NOT_OF_MPI = 1,
    MEMORY_ALLOC_MEM = 2,
    MEMORY_WIN_ALLOCATE = 4,
    MEMORY_WIN_ALLOCATE_SHARED = 8
};

enum memory_maker mpi_memory_at(uintptr_t address);
/* False: there is none. */
bool mpi_memory_is_there(void);
/* Where memory of MPI_Alloc_mem with this address ends. */
bool mpi_memory_find_allocated(uintptr_t address, uintptr_t *end);
/* No memory for the table was left: what is not in it may be MPI's. */
bool mpi_memory_is_lost(void);

/* stack_frame: the function whose variables an address of this thread's stack is among, as the unwinder sees it. */

struct stack_frame {
    uintptr_t end; /* of its variables; 0: none */
    void *function;
    const void *thread; /* a name */
};

/* Whether an address may be of this thread's stack. */
bool stack_frame_is_above(uintptr_t address);
/* A name of this thread. */
const void *stack_frame_thread(void);
/* An address that was on that thread's stack is below the program's, which begins above `top`: what was there is gone. */
bool stack_frame_is_left(uintptr_t address, const void *thread, const void *top);
/* False: not on this thread's stack, or not known. */
bool stack_frame_find(uintptr_t address, struct stack_frame *frame);
/* The function has returned: false also if that is not known. */
bool stack_frame_is_gone(const struct stack_frame *frame, const void *top);

/* mapped_memory: whether the process still has memory that the program may have freed.
 *
 * The main stack, the program's own data, and the heap up to the break cannot be unmapped unseen. The kernel is asked about other
 * memory, by a system call, which costs more than a small message: once in a call of MPI for a stretch, since the program does not run
 * meanwhile.
 */

bool memory_mapped_ask(uintptr_t low, uintptr_t high);
struct mapped_stretch {
    uintptr_t low, high;
};
extern struct mapped_stretch memory_mapped_seen; /* in this call */

static inline bool memory_mapped_has(uintptr_t low, uintptr_t high)
{
    return (low >= memory_mapped_seen.low && high <= memory_mapped_seen.high) || memory_mapped_ask(low, high);
}

/* To say so takes no system call. */
bool memory_mapped_is_lasting(uintptr_t low, uintptr_t high);
/* A call of MPI begins: the program may have unmapped anything since the last. */
static inline void memory_mapped_forget(void)
{
    memory_mapped_seen.low = memory_mapped_seen.high = 0;
}

#endif
