/* calls: counts the library's calls of pread and pwrite. The functions of the system that it calls are these here. */
#ifndef TESTS_FILES_CALLS_H
#define TESTS_FILES_CALLS_H

#include <sys/syscall.h>
#include <unistd.h>

static int preads, pwrites, largest; /* `largest`: bytes of either */

/* Before the system's, for the library too. */
#pragma GCC visibility push(default)

ssize_t pread(int fd, void *to, size_t bytes, off_t at)
{
    preads++;
    largest = (int)bytes > largest ? (int)bytes : largest;
    return syscall(SYS_pread64, fd, to, bytes, at);
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at)
{
    pwrites++;
    largest = (int)bytes > largest ? (int)bytes : largest;
    return syscall(SYS_pwrite64, fd, from, bytes, at);
}

#pragma GCC visibility pop

#endif
