/* mapped_memory: whether the process still has memory that the program may have freed.
 *
 * The main stack, the program's own data, and the heap up to the break cannot be unmapped unseen. The kernel is asked about other
 * memory, by a system call, which costs more than a small message: once in a call of MPI for a stretch, since the program does not run
 * meanwhile.
 */
#ifndef INSIGHT_MEMORY_MAPPED_MEMORY_H
#define INSIGHT_MEMORY_MAPPED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

bool mapped_memory_ask(uintptr_t low, uintptr_t high);
struct mapped_stretch {
    uintptr_t low, high;
};
extern struct mapped_stretch mapped_memory_seen; /* in this call */

static inline bool mapped_memory_has(uintptr_t low, uintptr_t high)
{
    return (low >= mapped_memory_seen.low && high <= mapped_memory_seen.high) || mapped_memory_ask(low, high);
}

/* To say so takes no system call. */
bool mapped_memory_is_lasting(uintptr_t low, uintptr_t high);
/* A call of MPI begins: the program may have unmapped anything since the last. */
static inline void mapped_memory_forget(void)
{
    mapped_memory_seen.low = mapped_memory_seen.high = 0;
}

#endif
