/* cpu: lists of processors, and what a processor is asked for: a line of its cache, a barrier on all of them. */
#ifndef PLAIN_CPU_H
#define PLAIN_CPU_H

#include <linux/membarrier.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Lists are as Linux and users write them, such as 0,4-7. Whether the list has the number; what follows the first thing that is none of the list is not looked at. */
bool cpu_list_has(const char *list, long core);

/* Asks for a line of the cache that is about to be written, so that the store does not wait while another core gives it up.
 *
 * Not __builtin_prefetch(line, 1): unless the compiler is told that the processor knows prefetchw, it makes a prefetch to read of it, and
 * the line is asked for once more when it is written. Processors that do not know the instruction take it for a no-op. */
static inline void cpu_prefetch(const void *line)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/* membarrier(2), which the C library does not wrap. 0: done; -1, with errno: it is not available. */
static inline long cpu_membarrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0);
}

#endif
