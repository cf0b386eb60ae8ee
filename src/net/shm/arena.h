/* arena: the memory that a process shares with the others of its host.
 *
 * All arenas of a job on one host are parts of one memfd, which has no name in any file system and ends with
 * its last user. Local rank i's begins at i * stride, ARENA_STRIDE unless files are limited (ulimit -f). The file is sparse; pages exist once touched.
 * Rings lie in the receiver's arena, one per sender. A process may send before the receiver has started,
 * since zeroed memory is a valid, empty arena.
 *
 *     arena_head | lane_head | ring_control[slots] | advert_table[local_size] | staging
 *                | rings[slots], ring_size bytes each | lanes 1 to NET_LANES - 1 | heap
 *
 * A sender's *slot* is the index of its ring: in its own job its local rank. Lane 0 has more slots behind
 * these for *guests*: processes of other jobs on this host, which get a slot when they attach (attach.h).
 *
 * The other lanes are laid out like lane 0, without arena_head, guests and staging. The heap is the rest: the
 * memory of MPI_Alloc_mem (memory/heap.h). Lanes and heaps are mapped on first use. One page behind the last
 * arena is the host page.
 *
 * The first process of the host settles the sizes of the rings and of the staging area.
 */
#ifndef NET_SHM_ARENA_H
#define NET_SHM_ARENA_H

#include "net/advert.h"
#include "net/shm/host_page.h"
#include "net/shm/ring.h"
#include "net/shm/staging.h"

enum {
    ARENA_GUESTS = 512,
    ARENA_SLOTS_MAX = 4096, /* that the doorbell has bits for */
    ARENA_LOCAL_MAX = ARENA_SLOTS_MAX - ARENA_GUESTS,
    DOORBELL_WORDS = ARENA_SLOTS_MAX / 64
};

/* Owner: the receiver, except where a field says otherwise. */
struct arena_head {
    _Alignas(
        RING_CELL) _Atomic int32_t pid; /* set by the owner before it sends anything; 0: not started yet */
    _Atomic uint64_t probe;             /* a random number, also found ... */
    _Atomic uint64_t probe_address;     /* ... at this address of the owner's memory: see cma.c */
    _Atomic uint64_t heap; /* address of the heap in the owner's own memory; 0: not used yet. Release by the
                            * owner before it gives out a block, acquire by peers (link_remote_map) */
    _Atomic uint64_t tell; /* where in the file the process's struct tell lies (tell.h); set with `pid` */
    _Atomic uint64_t lane_place,
        lane_bytes; /* where in the file lane 1 begins once it is open, and how long a
                                              * lane is; relaxed: who misses it asks in lane 0 */

    _Alignas(RING_CELL) _Atomic uint32_t attention;    /* enum attention; see bell.h */
    _Alignas(RING_CELL) _Atomic uint32_t bell;         /* the futex; a process that wakes adds 1 */
    _Alignas(RING_CELL) _Atomic uint64_t staging_busy; /* see staging.h (senders set, owner clears) */
};

/* Of one lane. Senders set, the owner clears. */
struct lane_head {
    _Alignas(RING_CELL) _Atomic uint32_t rung; /* 1: some doorbell bit is set; RUNG_ASKED: see tell.h */
    _Alignas(RING_CELL) _Atomic uint64_t
        doorbell[DOORBELL_WORDS]; /* bit i: the sender of slot i asks to be watched */
};

/* One lane of an arena, as this process maps it. */
struct arena {
    struct arena_head *head; /* lane 0 only, like `staging` */
    struct lane_head *lane;
    struct ring_control *control; /* own arena: all; peer's: the one of this process */
    struct advert_table *adverts; /* own arena: all; peer's: the one for this process */
    unsigned char *staging;       /* of its owner, STAGING_MOST bytes */
    unsigned char *rings;         /* own arena: all but the guests'; peer's: the one of this process */
    void *map[2];                 /* what to unmap, with sizes */
    size_t map_size[2];
};

/* The layout of all arenas of a job on a host. */
struct arena_plan {
    int fd, local_size;
    uint64_t stride; /* of the arenas in the file */
    size_t ring_size, staging_size;
};

int arena_slots(const struct arena_plan *plan, int lane);
/* An error if lane 0 does not fit into an arena. */
int arena_check_room(const struct arena_plan *plan);

/* arena_open maps `count` lanes of this process's arena, in one piece that the first of them keeps.
 * arena_connect maps the part of another process's arena that the sender of this slot writes to. */
int arena_open(const struct arena_plan *plan, int first, int count, int local_rank, struct arena *arena);
int arena_connect(const struct arena_plan *plan, int lane, int local_rank, int slot, struct arena *arena);
void arena_close(struct arena *arena);

/* A guest's ring in this process's arena, mapped; NULL with a note. Clearing unmaps it and empties it for the
 * next guest. */
void *arena_map_guest(const struct arena_plan *plan, int local_rank, int slot);
void arena_clear_guest(const struct arena_plan *plan, int local_rank, const struct arena *mine, int slot,
                       void *ring);

/* Whether an arena has room for lanes above 0. */
bool arena_has_lanes(const struct arena_plan *plan);
/* Writes down in it where these lie. */
void arena_show_lanes(const struct arena_plan *plan, int local_rank, struct arena_head *head);

/* Offset of a process's heap in the file, and the size of every heap: whole HEAP_PAGEs, no more than the
 * machine's memory; 0: there is no room for one. */
uint64_t arena_heap_place(const struct arena_plan *plan, int local_rank);
size_t arena_heap_size(const struct arena_plan *plan);

#endif
