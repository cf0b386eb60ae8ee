/* membarrier: membarrier(2), which the C library does not wrap. */
#ifndef PLAIN_MEMBARRIER_H
#define PLAIN_MEMBARRIER_H

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 0: done; -1, with errno: it is not available. */
static inline long membarrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0);
}

#endif
