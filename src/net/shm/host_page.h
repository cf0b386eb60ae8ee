/* host_page: what all processes of a job on a host share besides their arenas (arena.h). It lies behind the last arena.
 *
 * It says which processes have died, in a job that survives that. mpiexec --survive writes it then, and wakes the others; under
 * another launcher the processes do (neighbours.h). What follows the page are the agreements of the living (consensus.h), mapped only
 * where they may be needed, and what is asked of processes (tell.h).
 */
#ifndef NET_SHM_HOST_PAGE_H
#define NET_SHM_HOST_PAGE_H

#include "net/shm/ring.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HOST_CORE_WORDS = 64, /* 4096 cores */
    HOST_DEAD_WORDS = 64  /* 4096 processes */
};

#define ARENA_STRIDE ((uint64_t)1 << 36)

struct host_page {
    _Atomic uint64_t cores[HOST_CORE_WORDS];   /* bit i: some process may run on core i */
    _Atomic int32_t present;                   /* processes that have added their cores; never counted down */
    _Atomic uint64_t ring_size, staging_size;  /* of all arenas; each set once (host_page_settle) */
    _Alignas(RING_CELL) _Atomic uint64_t work; /* see progress_set_work */

    /* Owner: mpiexec --survive, or whoever sees it first. */
    _Alignas(RING_CELL) _Atomic uint32_t
        deaths; /* so many bits are set in `dead`: release after that, acquire before
                                                  * they are looked for (deaths.c) */
    _Atomic uint64_t dead[HOST_DEAD_WORDS]; /* bit i: the process with local rank i has died */
    _Atomic uint64_t over[HOST_DEAD_WORDS]; /* bit i: it has finalized, and may end; under another launcher */
};

static inline bool host_page_is_dead(const struct host_page *page, int local_rank)
{
    /* acquire: what it stored before its end is seen */
    return atomic_load_explicit(&page->dead[local_rank / 64], memory_order_acquire) >> local_rank % 64 & 1;
}

/* Sizes the file, says how large a process's part is, and maps the page; NULL with a note. */
struct host_page *host_page_open(int fd, int local_size, uint64_t *stride);
void host_page_close(struct host_page *page);
/* Maps what follows the page, host_page_more bytes. */
void *host_page_open_more(int fd, int local_size, uint64_t stride);
size_t host_page_more(int local_size);
/* Where in the file the part of a process for questions begins (tell.h), behind all that. */
uint64_t host_page_tell_place(int local_size, uint64_t stride, int local_rank);

/* The size in force on the host: `wanted` if none was settled before. */
size_t host_page_settle(_Atomic uint64_t *size, size_t wanted);

/* A process has finalized; whether it has. Release, acquire. */
void host_page_end(struct host_page *page, int local_rank);
bool host_page_is_over(const struct host_page *page, int local_rank);

/* Tells that a process has died, once; wakes one that may sleep. */
void host_page_tell_death(struct host_page *page, int local_rank);
void host_page_wake(int fd, uint64_t stride, int local_rank);

#endif
