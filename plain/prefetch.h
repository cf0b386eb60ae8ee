/* prefetch: asks for a line of the cache that is about to be written, so that the store does not wait while another core gives it up. */
#ifndef PLAIN_PREFETCH_H
#define PLAIN_PREFETCH_H

/* Not __builtin_prefetch(line, 1): unless the compiler is told that the processor knows prefetchw, it makes a prefetch to read of it, and
 * the line is asked for once more when it is written. Processors that do not know the instruction take it for a no-op. */
static inline void prefetch_to_write(const void *line)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

#endif
