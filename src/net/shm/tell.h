/* tell: a process reads its own memory for `inkling where`, where the kernel does not let that do so.
 *
 * Who may not trace a process may often still open its descriptors (/proc/PID/fd takes a weaker right, see ptrace(2)), and so the shared
 * memory of its job. Behind the host page each process has a part of that for one question at a time. Who asks holds a lock on the file
 * (flock), writes the question, sets RUNG_ASKED in `rung` of the process's lanes and wakes the process. The thread that polls next answers, and goes on. Nobody
 * touches this memory before, and a poll looks at `rung` anyway: this costs nothing while nobody asks. A process that does not poll
 * does not answer. Where kernel.yama.ptrace_scope is 2 or more, only root may look at processes, so none answers.
 */
#ifndef NET_SHM_TELL_H
#define NET_SHM_TELL_H

#include "progress/progress.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

enum {
    TELL_BYTES = 64 * 1024, /* of an answer */
    TELL_REGISTERS = 33,
    RUNG_ASKED = 2 /* a bit of `rung` in struct lane_head */
};

struct tell {
    /* The question. Owner: who holds the lock. */
    _Atomic uint32_t asked; /* its number: release after the rest, acquire by the thread that answers */
    int32_t thread;         /* that is to answer, as gettid() gives it there; 0: any */
    uint64_t until_ns;      /* afterwards nobody waits for the answer */
    uint64_t address;       /* of the memory that is to be read; 0: the own stack of the thread */
    uint64_t bytes;         /* at most TELL_BYTES */

    /* The answer. Owner: the thread that answers, under a lock of the process (tell.c). */
    _Atomic uint32_t answered;            /* release after the rest, acquire by who has asked */
    uint64_t got;                         /* bytes that could be read */
    uint64_t sp, pc;                      /* of the thread: ... */
    uint64_t register_of[TELL_REGISTERS]; /* ... by the numbers that DWARF gives them on this machine */
    struct wait_note note;
    unsigned char data[TELL_BYTES];
};

/* Bytes of the file for each process of the host. */
static inline size_t tell_size(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (sizeof(struct tell) + page - 1) & ~(page - 1);
}

/* Answers what is asked at this place of the file. False: that is for another thread. */
bool tell_answer(int fd, uint64_t place);

#endif
