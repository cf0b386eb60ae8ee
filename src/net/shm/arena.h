/* arena: what a process shows to the others of its host.
 *
 * All arenas of a job on one host are parts of one memfd (no name in any file system; gone with its last
 * user): local rank i's begins at i * ARENA_STRIDE. The file is sparse; pages exist once touched. Rings lie
 * in the receiver's arena, one per sender, so a process may send before the receiver has started: zeroed
 * memory is a valid, empty arena.
 *
 *     arena_head | lane_head | ring_control[slots] | board[local_size] | staging
 *                | rings[slots], ring_size bytes each | lanes 1 to NET_LANES - 1 | heap
 *
 * A sender's *slot* says which ring is its own: in its job its local rank. Lane 0 has more slots behind
 * these, for guests: processes of other jobs on this host, who get theirs at the door (door.h).
 *
 * A lane is laid out like what stands before it, which is lane 0, but for arena_head, guests and staging. The
 * heap is the rest: what MPI_Alloc_mem gives (memory/heap.h). Lanes and heaps are mapped on first use, and
 * one page behind the last arena is the host's board.
 *
 * The sizes of the rings and of the staging area are settled for the host by whoever comes first.
 */
#ifndef NET_SHM_ARENA_H
#define NET_SHM_ARENA_H

#include "net/board.h"
#include "net/shm/ring.h"
#include "net/shm/staging.h"

enum {
    ARENA_GUESTS = 512,
    ARENA_SLOTS_MAX = 4096, /* that the doorbell has bits for */
    ARENA_LOCAL_MAX = ARENA_SLOTS_MAX - ARENA_GUESTS,
    DOORBELL_WORDS = ARENA_SLOTS_MAX / 64,
    HOST_CORE_WORDS = 64 /* 4096 cores */
};

#define ARENA_STRIDE ((uint64_t)1 << 36)

/* Owner: the receiver, except where a field says otherwise. */
struct arena_head {
    _Alignas(
        RING_CELL) _Atomic int32_t pid; /* set by the owner before it sends anything; 0: not started yet */
    _Atomic uint64_t probe;             /* a random number, also found ... */
    _Atomic uint64_t probe_address;     /* ... at this address of the owner's memory: see cma.c */
    _Atomic uint64_t heap; /* where the owner has its heap in its own memory; 0: not used yet. Release by the
                              owner before it gives a block away, acquire by peers (shm_map) */

    _Alignas(RING_CELL) _Atomic uint32_t attention;    /* enum attention; see bell.h */
    _Alignas(RING_CELL) _Atomic uint32_t bell;         /* the futex; counted up by whoever wakes the owner */
    _Alignas(RING_CELL) _Atomic uint64_t staging_busy; /* see staging.h (senders set, owner clears) */
};

/* Of one lane: senders set, owner clears. */
struct lane_head {
    _Alignas(RING_CELL) _Atomic uint32_t rung; /* 1: some doorbell bit is set */
    _Alignas(RING_CELL) _Atomic uint64_t
        doorbell[DOORBELL_WORDS]; /* bit i: the sender of slot i wants to be watched */
};

/* Behind the last arena: what the processes of the host tell each other about themselves. */
struct host_page {
    _Atomic uint64_t cores[HOST_CORE_WORDS];  /* bit i: some process may run on core i */
    _Atomic int32_t present;                  /* processes that have added their cores; never counted down */
    _Atomic uint64_t ring_size, staging_size; /* of all; each settled once (arena_settle_size) */
};

/* One lane of an arena, as this process maps it. */
struct arena {
    struct arena_head *head; /* lane 0 only, like `staging` */
    struct lane_head *lane;
    struct ring_control *control; /* own arena: all; peer's: the one of this process */
    struct board *board;          /* own arena: all; peer's: the one for this process */
    unsigned char *staging;       /* of its owner, STAGING_MOST bytes */
    unsigned char *rings;         /* own arena: all but the guests'; peer's: the one of this process */
    void *map[2];                 /* what to unmap, with sizes */
    size_t map_size[2];
};

/* Sizes the file and maps the board. */
struct host_page *arena_open_host_page(int fd, int local_size);
/* The size that holds for the host: `wanted` if nobody has settled it before. */
size_t arena_settle_size(_Atomic uint64_t *size, size_t wanted);
void arena_close_host_page(struct host_page *board);

/* How all arenas of a job on a host are laid out. */
struct arena_plan {
    int fd, local_size;
    size_t ring_size, staging_size;
};

int arena_slots(const struct arena_plan *plan, int lane);

/* Maps so many lanes of the own arena, in one piece that the first of them keeps / the part of another's that
 * the sender of this slot writes to. */
int arena_open(const struct arena_plan *plan, int first, int count, int local_rank, struct arena *arena);
int arena_connect(const struct arena_plan *plan, int lane, int local_rank, int slot, struct arena *arena);
void arena_close(struct arena *arena);

/* In the own arena: the ring of a guest, mapped; NULL with a note. Clearing unmaps it and makes it ready for
 * the next guest. */
void *arena_map_guest(const struct arena_plan *plan, int local_rank, int slot);
void arena_clear_guest(const struct arena_plan *plan, int local_rank, const struct arena *mine, int slot,
                       void *ring);

/* Whether there is room in an arena for more lanes than the first. */
bool arena_has_lanes(const struct arena_plan *plan);

/* Where a process's heap lies in the file, and how large it is, the same for all: whole HEAP_PAGEs, no more
 * than the machine has memory; 0: there is no room for one. */
uint64_t arena_heap_place(const struct arena_plan *plan, int local_rank);
size_t arena_heap_size(const struct arena_plan *plan);

#endif
