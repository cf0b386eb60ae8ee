/* Reads of other processes that find memory in the middle of a change: in front of the C library's process_vm_readv, for asking.c.
 *
 * After torn_begin one read in TORN_EACH of memory that a running thread may write is changed in one of the ways in which a
 * process that goes on changes it under its reader: one word, or all from some place on, has another value, or it cannot be read.
 * No change comes twice. What is read while a thread is stopped, and what no thread can write, stays as it is.
 */
#include "torn.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int each; /* 0: nothing is torn */
static bool is_stopped;
static uint64_t changes, state = 1;

void torn_begin(int reads)
{
    each = reads;
}

unsigned long torn_count(void)
{
    return changes;
}

static uint64_t random_below(uint64_t most)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % most;
}

/* Whether the process may write there. */
static bool is_writable(pid_t pid, uint64_t address)
{
    char path[64], line[512], rights[8];
    unsigned long begin, end;
    bool may = false;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) == 3 && address >= begin && address < end)
            may = rights[1] == 'w';
    if (f)
        fclose(f);
    return may;
}

/* Changes some of it; the same never again. */
static ssize_t tear(unsigned char *to, size_t bytes)
{
    size_t at = random_below(bytes);
    unsigned char by = (unsigned char)(1 + changes % 255);

    changes++;
    switch (random_below(8)) {
    case 0:
        return -1;
    case 1:
        for (size_t i = at; i < bytes; i++)
            to[i] ^= by;
        break;
    case 2: /* a number that is a little larger, such as the next tag */
        at -= at % 4;
        to[at] = (unsigned char)(to[at] + by);
        break;
    default:
        at -= at % 8;
        for (size_t i = at; i < bytes && i < at + 8; i++)
            to[i] = (unsigned char)random_below(256);
    }
    return (ssize_t)bytes;
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long locals,
                         const struct iovec *remote, unsigned long remotes, unsigned long flags)
{
    ssize_t n = syscall(SYS_process_vm_readv, pid, local, locals, remote, remotes, flags);

    if (n <= 0 || !each || is_stopped || random_below((uint64_t)each) != 0 ||
        !is_writable(pid, (uint64_t)(uintptr_t)remote->iov_base))
        return n;
    return tear(local->iov_base, (size_t)n);
}

/* From PTRACE_GETREGSET, which only a stopped thread answers, to PTRACE_DETACH. */
long ptrace(enum __ptrace_request request, ...)
{
    va_list list;
    pid_t tid;
    void *address, *data;

    va_start(list, request);
    tid = va_arg(list, pid_t);
    address = va_arg(list, void *);
    data = va_arg(list, void *);
    va_end(list);
    is_stopped = request == PTRACE_GETREGSET;
    return syscall(SYS_ptrace, request, tid, address, data);
}
