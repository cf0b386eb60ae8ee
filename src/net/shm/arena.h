/* arena: what a process shows to the others of its host.
 *
 * All arenas of a job on one host are parts of one memfd (no name in any file system; gone with its last
 * user): local rank i's begins at i * ARENA_STRIDE. The file is sparse; pages exist once touched. Rings lie
 * in the receiver's arena, one per sender, so a process may send before the receiver has started: zeroed
 * memory is a valid, empty arena.
 *
 *     arena_head | ring_control[local_size] | rings[local_size], ring_size bytes each | ... | staging memory
 *
 * (staging memory fills the last ARENA_STAGING_MAX bytes of the stride, as far as it is used)
 * and one page behind the last arena is the host's board.
 *
 * The size of the rings is settled for the host by whoever comes first (board_open).
 */
#ifndef NET_SHM_ARENA_H
#define NET_SHM_ARENA_H

#include "net/shm/ring.h"

enum {
    ARENA_LOCAL_MAX = 4096, /* processes per host that the doorbell has bits for */
    DOORBELL_WORDS = ARENA_LOCAL_MAX / 64,
    HOST_CORE_WORDS = 64 /* 4096 cores */
};

#define ARENA_STRIDE      ((uint64_t)1 << 36)
#define ARENA_STAGING_MAX ((uint64_t)1 << 30)

/* Owner: the receiver, except where a field says otherwise. */
struct arena_head {
    _Alignas(
        RING_CELL) _Atomic int32_t pid; /* set by the owner before it sends anything; 0: not started yet */
    _Atomic uint64_t probe;             /* a random number, also found ... */
    _Atomic uint64_t probe_address;     /* ... at this address of the owner's memory: see cma.c */
    _Atomic uint64_t staging;           /* bytes of staging memory; 0: not used yet */

    _Alignas(RING_CELL) _Atomic uint32_t attention; /* enum attention; see bell.h */
    _Alignas(RING_CELL) _Atomic uint32_t bell;      /* the futex; counted up by whoever wakes the owner */
    _Alignas(RING_CELL) _Atomic uint32_t rung; /* 1: some doorbell bit is set (senders set, owner clears) */
    _Alignas(
        RING_CELL) _Atomic uint64_t doorbell[DOORBELL_WORDS]; /* bit i: local rank i wants to be watched */
};

/* Behind the last arena: what the processes of the host tell each other about themselves. */
struct host_board {
    _Atomic uint64_t cores[HOST_CORE_WORDS]; /* bit i: some process may run on core i */
    _Atomic int32_t present;                 /* processes that have added their cores; never counted down */
    _Atomic uint64_t ring_size;              /* of all rings; settled once by compare-exchange */
};

struct arena {
    struct arena_head *head;
    struct ring_control *control; /* own arena: all; peer's: the one of this process */
    unsigned char *rings;         /* own arena: all; peer's: the one of this process */
    void *map[2];                 /* what to unmap, with sizes */
    size_t map_size[2];
};

/* Sizes the file, maps the board and settles the size of the rings (a power of two), wanted at first. */
struct host_board *board_open(int fd, int local_size, size_t *ring_size);
void board_close(struct host_board *board);

/* Maps the whole own arena / the part of a peer's that this process writes to. */
int arena_open(int fd, int local_rank, int local_size, size_t ring_size, struct arena *arena);
int arena_connect(int fd, int peer_rank, int my_rank, int local_size, size_t ring_size, struct arena *arena);
void arena_close(struct arena *arena);
/* The first `bytes` bytes of the staging memory of a process; NULL with a note. */
void *arena_map_staging(int fd, int local_rank, size_t bytes);
void arena_unmap_staging(void *staging, size_t bytes); /* NULL is fine */

#endif
