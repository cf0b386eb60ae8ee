/* membarrier: membarrier(2), for which the C library has no name. */
#ifndef BASE_MEMBARRIER_H
#define BASE_MEMBARRIER_H

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 0: done; -1, and errno: it cannot be had here. */
static inline long membarrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0);
}

#endif
