/* large: gigabytes for a test. */
#ifndef TESTS_MPI_LARGE_H
#define TESTS_MPI_LARGE_H

#include "check.h"

#include <sys/mman.h>

/* Zeroed, and of large pages where the system has them: small ones take most of the test's time. For munmap. */
static inline void *large_memory(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(at != MAP_FAILED);
    madvise(at, bytes, MADV_HUGEPAGE);
    return at;
}

#endif
