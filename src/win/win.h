/* win: a window, memory that other processes access (MPI-5.0 chapter 12).
 *
 * A window has a hidden communicator of its own, a duplicate of the one that it was made on, for the library's
 * messages and collectives. Making one is collective (win_make.h).
 *
 * Where the memory is. Each rank has a segment: address, bytes and displacement unit. Segments are a table or, without one,
 * lie one after the other where all are of one size and unit and were allocated together. The first rank's is the only one in
 * a window of the library's own, and a dynamic window has none. `at` is where this process loads and stores the segment;
 * NULL: it cannot. Every kind of access falls into one of four paths:
 *
 *     mapped    memory of MPI_Win_allocate, _allocate_shared or MPI_Alloc_mem, on this host: plain loads,
 *               stores and atomic instructions of the origin
 *     copied    other memory on this host: the kernel copies it (net_get, net_put), under a lock where
 *               accumulates must be atomic
 *     network   puts and gets of a few runs on other hosts, where a device of the network does them (network.h)
 *     message   everything else: the target does it when it makes progress (agent.h)
 *
 * The first two are complete when the call returns. The first three do not need the target's program. Each rank of the host
 * also has a control block that all of them map (passive.h): the lock of MPI_Win_lock and that of accumulates. A window
 * of several hosts has such blocks on each of them; the target's agent uses its own for the origins of other hosts.
 * Without shared memory each rank has its block alone.
 *
 * Epochs. `open_to_all` and access[rank] say what this process may access as an origin, `exposed` whether it
 * has posted its own memory. epoch.h checks them, and says what is open when a call does not fit.
 *
 * Threads: sync calls take `lock`. Communication calls only read what these write. A program that opens or
 * closes an epoch in one thread while another communicates in it is erroneous.
 */
#ifndef WIN_WIN_H
#define WIN_WIN_H

#include "base/list.h"
#include "base/lock.h"
#include "comm/comm.h"
#include "object/attribute.h"
#include "object/errhandler.h"
#include "progress/progress.h"
#include "request/request.h"

#include <mpi.h>
#include <stdatomic.h>

struct partners;    /* see active.c */
struct attachments; /* see attachment.h */
struct agent;       /* see agent.h */
struct win_network; /* see win_network.h */

enum {
    CONTROL_POSTS = 320 /* ranks whose posts a control block can have; so many fill its first cache line */
};

/* The synchronization words of a rank; see passive.h, and active.c for `completed` and `posted`. */
struct win_control {
    _Alignas(64) _Atomic uint64_t lock;
    _Atomic uint64_t waiters;   /* bit rank % 64 of the ranks that may sleep until the lock is given back */
    _Atomic uint64_t completed; /* how many epochs of MPI_Win_start others have ended here */
    _Atomic uint64_t posted[CONTROL_POSTS / 64]; /* a bit for each rank: it has posted to this one */
    _Alignas(64) _Atomic uint32_t combiner;      /* the rank that combines, plus 1; 0: none */
};

struct win_segment {
    unsigned char *at; /* as this process maps it; NULL: it does not */
    uint64_t address;  /* in its owner's memory */
    MPI_Aint bytes;
    MPI_Aint unit; /* of displacements, bytes */
};

/* What this process shares with a rank of a window of several hosts. */
struct win_neighbour {
    int control;    /* place of its control block; -1: this process does not map it */
    bool is_copied; /* the kernel copies its memory, where it is not mapped */
};

/* What an origin may access: bits of open_to_all and access[]. */
enum access {
    ACCESS_FENCE = 1,
    ACCESS_START = 2,
    ACCESS_SHARED = 4,     /* a shared lock is held */
    ACCESS_EXCLUSIVE = 8,  /* an exclusive lock is held */
    ACCESS_UNCHECKED = 16, /* beside one of these: MPI_MODE_NOCHECK, so no lock was taken */
    ACCESS_AWAITED = 32    /* alone: MPI_Win_start was called, MPI_Win_post has not been seen */
};

struct win {
    struct object object;
    struct link link;        /* in the list of live windows */
    struct comm *comm;       /* hidden, owned */
    int rank, size;          /* as comm's */
    int flavor;              /* MPI_WIN_FLAVOR_* */
    struct win_segment mine; /* this rank's */
    void *memory;            /* that the window allocated for this rank; NULL: none. Owned */
    void *shared_memory;     /* that the first rank of the host allocated for all; NULL elsewhere. Owned */

    int segments;                /* so many ranks have one, the first ones: all, one or none */
    struct win_segment *segment; /* by rank; NULL: first_segment says where they are. Owned */
    struct win_segment
        first_segment; /* of rank 0, if all are alike or the others have none; empty if nobody has one */
    size_t stride;     /* bytes from each to the next */
    struct win_control *control; /* of the ranks that share them, one after the other; NULL: nobody does */
    int controls;                /* how many */
    struct win_control *own_control; /* this rank's. Owned if control is NULL */
    bool is_shared;                  /* all ranks map the controls of all */
    struct win_neighbour *neighbour; /* by rank; NULL: all ranks share their controls, or none do. Owned */
    bool is_exposed;                 /* the others map this rank's segment */
    bool is_together;                /* rank 0's memory has the segments of all */
    bool lacks_mappings; /* some rank does not map memory that others map; the same on all ranks */
    int64_t alignment;   /* the largest that a rank asks for: of memory that one allocates for all */
    int holds;           /* this process holds what it maps of so many ranks, the first ones */

    struct lock lock;            /* guards the sync state below */
    _Atomic uint8_t open_to_all; /* bits of enum access for all ranks; relaxed */
    _Atomic bool fence_is_used;  /* communication has followed the fence; relaxed */
    _Atomic bool has_stored;     /* see win_make_visible; relaxed */
    _Atomic uint8_t
        *_Atomic access; /* by rank, see epoch.h; NULL: no epoch on single ranks yet. Set once, release.
                                      * Owned */
    _Atomic int
        locked; /* ranks that this process has locked by MPI_Win_lock; changed under `lock`, relaxed */
    struct partners *started;     /* of MPI_Win_start; NULL: none */
    struct partners *posted;      /* of MPI_Win_post; NULL: none */
    uint64_t completed;           /* the part of own_control->completed that this rank has waited for */
    struct attachments *attached; /* of a dynamic window */
    struct agent *agent;          /* messages; NULL: there are none */
    bool may_survive;             /* deaths of its members (mpiexec --survive) */
    bool
        looks_around; /* synchronization calls that wait for nobody make progress: an agent serves others, or members may die */
    struct win_network *network; /* NULL: nothing goes that way */

    struct hints hints;
    _Atomic uint64_t spared_locks, coarse_locks; /* accumulates; see win_make.c */
    struct errhandler *errhandler;
    struct attribute_set attributes;
    int unit_attribute;             /* mine.unit, as MPI_WIN_DISP_UNIT gives it */
    char name[MPI_MAX_OBJECT_NAME]; /* changed by set_name */
};

extern struct pool win_pool;
/* The live window of a handle, or NULL. Any value is safe. */
static inline struct win *win_find(MPI_Win handle)
{
    return (struct win *)object_find_in_pool(&win_pool, object_word(handle));
}

/* Of a rank that has one, or in a dynamic window. */
static inline struct win_segment win_segment_of(const struct win *win, int rank)
{
    struct win_segment s;

    if (win->segment)
        return win->segment[rank];
    s = win->first_segment;
    s.at += (size_t)rank * win->stride;
    s.address += (size_t)rank * win->stride;
    return s;
}

/* Place of the control block of a rank among those that this process maps; -1: it is not there. */
static inline int win_control_place(const struct win *win, int rank)
{
    if (win->is_shared)
        return rank;
    return win->neighbour ? win->neighbour[rank].control : -1;
}

/* Whether this process needs no messages for the locks of a rank. */
static inline bool win_maps_control(const struct win *win, int rank)
{
    return rank == win->rank || win_control_place(win, rank) >= 0;
}

/* The control block of a rank that win_maps_control. */
static inline struct win_control *win_control_of(const struct win *win, int rank)
{
    int place = win_control_place(win, rank);

    return place >= 0 ? &win->control[place] : win->own_control;
}

/* Comes before stores to memory that others map, or that the kernel may make there. */
static inline void win_note_stores(struct win *win)
{
    if (!atomic_load_explicit(&win->has_stored, memory_order_relaxed))
        atomic_store_explicit(&win->has_stored, true, memory_order_relaxed);
}

/* All see what this process has stored there before they see what it does next. A fence takes as long as a put. After loads
 * and atomic instructions alone x86 needs none: these are fences themselves. Under MPI_THREAD_MULTIPLE another thread may
 * have taken note of this one's stores just before they were made. */
static inline void win_make_visible(struct win *win)
{
#if defined(__x86_64__)
    if (!lock_enabled && !atomic_load_explicit(&win->has_stored, memory_order_relaxed))
        return;
    atomic_store_explicit(&win->has_stored, false, memory_order_relaxed);
#else
    (void)win;
#endif
    atomic_thread_fence(memory_order_seq_cst);
}

/* Its handle, as callbacks get it. */
static inline MPI_Win win_handle(const struct win *win)
{
    return (MPI_Win)(uintptr_t)object_handle(&win->object);
}

/* Bodies of MPI_Win_X. */
int win_revoke(struct win *win); /* MPIX_Win_revoke */
int win_get_group(struct win *win, struct group **group);
int win_set_name(struct win *win, const char *name);
int win_get_name_of_handle(MPI_Win win, char *name, int *length);
int win_set_errhandler(struct win *win, struct errhandler *e);
int win_get_errhandler(struct win *win, struct errhandler **e);
int win_set_attribute(struct win *win, int keyval, void *value);
int win_get_attribute(struct win *win, int keyval, void *value, int *flag); /* *(void **)value is set */
int win_delete_attribute(struct win *win, int keyval);
int win_get_info(struct win *win, struct info **info);

/* Finishes a call: *request becomes a request that is complete. A NULL request is fine. */
int win_finish(struct request **request);
/* Synchronization calls that wait for nobody make progress all the same: a target may do nothing else. */
static inline void win_progress(struct win *win)
{
    if (win->looks_around && !progress_poll())
        progress_look_again();
}

#endif
