/* link: the remote to another process of this host, of this job or another: what this process maps of its arena,
 * and what it knows of it.
 *
 * A *segment* is what all remotes to processes of one job have in common. A *remote* leads to a process; the peers of
 * all lanes share it. A *link* leads to a peer: one lane of a process. Processes of other jobs have lane 0
 * only.
 */
#ifndef NET_SHM_LINK_H
#define NET_SHM_LINK_H

#include "memory/heap.h"
#include "net/shm/arena.h"
#include "net/transport.h"

struct link_segment {
    struct arena_plan plan;
    size_t heap_size; /* of every heap there, used or not */
    size_t ring_max;  /* the longest payload of a ring */
    struct transport_limits limits;
    uint64_t job;              /* these three of another job; see net/card.h */
    int remotes;               /* when the last goes, the segment does */
    struct link_segment *next; /* in the list of them */
};

/* Fills in what follows from the plan. */
void link_segment_init(struct link_segment *segment);
/* The segment of another job, with one more remote. Takes the plan's descriptor over, on error too. */
int link_segment_enter(uint64_t job, const struct arena_plan *plan, struct link_segment **segment);

struct link_remote {
    struct link_segment *segment;
    int local_rank;         /* there */
    int slot;               /* of this process, there */
    bool is_gone;           /* the process is: nothing is mapped, nothing can be sent; under lane 0 */
    struct arena arena;     /* its lane 0 */
    struct staging staging; /* the process's */
    _Atomic uint64_t heap;  /* where it has its heap; 0: not known yet */
    struct heap_view view;  /* the heap as this process sees it */
    _Atomic int cma;        /* enum cma_state; release when pid is set, acquire */
    _Atomic int32_t pid;    /* valid when it works */
};

/* *remote to the process of this local rank at the segment, which it leaves on error. */
int link_remote_open(struct link_segment *segment, int local_rank, int slot, struct link_remote **remote);
/* To a process that is gone already. */
int link_remote_open_gone(struct link_remote **remote);
/* Unmaps all. The remote stays, as one to a process that is gone. */
void link_remote_close(struct link_remote *remote);

struct link_lane {
    struct ring ring;
    struct arena arena;      /* the lane; of lane 0, the remote's */
    struct arena_head *head; /* the remote's */
    struct link_remote *remote;
};

int link_open(struct link_remote *remote, int lane, struct link_lane *l);
void link_close(struct link_lane *l, int lane);
/* The process is gone: closes the remote too. Lane 0. */
void link_lose(struct link_lane *l);

/* What struct transport says of the same names. */
bool link_send(struct link_lane *l, const struct message *message, const void *payload);
void *link_remote_map(struct link_remote *remote, uint64_t address, size_t bytes);
int link_remote_get(struct link_remote *remote, struct iovec *to, int pieces, uint64_t address);
int link_remote_put(struct link_remote *remote, const void *from, uint64_t address, size_t bytes);

#endif
