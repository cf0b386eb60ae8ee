/* guard_memory: which memory page_guard.h may protect, and which code is the program's. */
#ifndef INSIGHT_GUARD_GUARD_MEMORY_H
#define INSIGHT_GUARD_GUARD_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* One mapping, which the program may read and write, has all of it, and the thread's own data is not there: the kernel writes to that. */
bool guard_memory_is_plain(uintptr_t low, uintptr_t high);
/* Reads which code is the program's, and where the stack of this thread lies. */
void guard_memory_read(void);
/* Of Fortran's library, which reads and writes what the program gives it. */
bool guard_memory_is_runtime(uintptr_t address);
bool guard_memory_is_stack(uintptr_t address);
/* Neither of the C library nor of MPI. Safe in signal handlers. */
bool guard_memory_is_program(uintptr_t address);

#endif
