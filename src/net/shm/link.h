/* link: what this process maps of another process's arena on this host, and what it knows of that process, of
 * this job or another.
 *
 * A *segment* is what all processes of one job on this host have in common. A *remote* is one of these
 * processes; the peers of all lanes share it. A *link* belongs to a peer: one lane of a remote. Processes of
 * other jobs have lane 0 only.
 */
#ifndef NET_SHM_LINK_H
#define NET_SHM_LINK_H

#include "memory/heap.h"
#include "net/shm/arena.h"
#include "net/transport.h"

struct link_segment {
    struct arena_plan plan;
    size_t heap_size; /* of every heap in it, used or not */
    size_t ring_max;  /* longest payload in a ring */
    struct transport_limits limits;
    uint64_t job;              /* these three: for other jobs only; see net/card.h */
    int remotes;               /* the segment is freed with the last one */
    struct link_segment *next; /* in the list of other jobs' segments */
};

/* Fills in what follows from the plan. */
void link_segment_init(struct link_segment *segment);
/* The segment of another job, with one more remote. Takes over the plan's descriptor, on error too. */
int link_segment_enter(uint64_t job, const struct arena_plan *plan, struct link_segment **segment);

struct link_remote {
    struct link_segment *segment;
    int local_rank;         /* of the remote process */
    int slot;               /* of this process, in the remote arena */
    bool is_gone;           /* the process has ended: nothing is mapped, nothing can be sent; under lane 0 */
    struct arena arena;     /* its lane 0 */
    struct staging staging; /* the remote process's */
    _Atomic uint64_t heap;  /* address of its heap in its own memory; 0: not known yet */
    struct heap_view view;  /* its heap as this process maps it */
    int holders;            /* of the view and the arena, which outlive the process with them; under lane 0 */
    _Atomic int cma;        /* enum cma_state; release when pid is set, acquire */
    _Atomic int32_t pid;    /* valid when cma is CMA_WORKS */
};

/* Maps the process of this local rank in the segment. On error the segment loses one remote. */
int link_remote_open(struct link_segment *segment, int local_rank, int slot, struct link_remote **remote);
/* A remote for a process that has ended already. */
int link_remote_open_gone(struct link_remote **remote);
/* Unmaps all but a heap that is held. The remote stays valid, as one for a process that has ended. */
void link_remote_close(struct link_remote *remote);

struct link_lane {
    struct ring ring;
    struct arena arena;      /* this lane; for lane 0, the remote's */
    struct arena_head *head; /* the remote's */
    struct link_remote *remote;
};

int link_open(struct link_remote *remote, int lane, struct link_lane *l);
void link_close(struct link_lane *l, int lane);
/* The process has ended: closes the remote too. Lane 0 only. */
void link_lose(struct link_lane *l);

/* As struct transport's functions of the same names. */
bool link_send(struct link_lane *l, const struct message *message, const void *payload);
void *link_remote_map(struct link_remote *remote, uint64_t address, size_t bytes);
void link_remote_hold(struct link_remote *remote, int change);
int link_remote_copy(struct link_remote *remote, bool is_put, struct iovec *here, int pieces,
                     struct iovec *there, int pieces_there);

#endif
