/* link: the way to another process of this host, of this job or another: what this process maps of its arena,
 * and what it knows of it.
 *
 * A *site* is what all ways to processes of one job have in common. A *way* leads to a process; the peers of
 * all lanes share it. A *link* leads to a peer: one lane of a process. Processes of other jobs have lane 0
 * only.
 */
#ifndef NET_SHM_LINK_H
#define NET_SHM_LINK_H

#include "memory/heap.h"
#include "net/shm/arena.h"
#include "net/transport.h"

struct site {
    struct arena_plan plan;
    size_t heap_size; /* of every heap there, used or not */
    size_t ring_max;  /* the longest payload of a ring */
    struct transport_limits limits;
    uint64_t job;      /* these three of another job; see net/card.h */
    int ways;          /* when the last goes, the site does */
    struct site *next; /* in the list of them */
};

/* Fills in what follows from the plan. */
void site_init(struct site *site);
/* The site of another job, with one more way. Takes the plan's descriptor over, on error too. */
int site_enter(uint64_t job, const struct arena_plan *plan, struct site **site);

struct way {
    struct site *site;
    int local_rank;         /* there */
    int seat;               /* of this process, there */
    bool is_gone;           /* the process is: nothing is mapped, nothing can be sent; under lane 0 */
    struct arena arena;     /* its lane 0 */
    struct staging staging; /* the process's */
    _Atomic uint64_t heap;  /* where it has its heap; 0: not known yet */
    struct heap_view view;  /* the heap as this process sees it */
    _Atomic int cma;        /* enum cma_state; release when pid is set, acquire */
    _Atomic int32_t pid;    /* valid when it works */
};

/* *way to the process of this local rank at the site, which it leaves on error. */
int way_open(struct site *site, int local_rank, int seat, struct way **way);
/* To a process that is gone already. */
int way_open_gone(struct way **way);
/* Unmaps all. The way stays, as one to a process that is gone. */
void way_close(struct way *way);

struct link_to {
    struct ring ring;
    struct arena arena;      /* the lane; of lane 0, the way's */
    struct arena_head *head; /* the way's */
    struct way *way;
};

int link_open(struct way *way, int lane, struct link_to *l);
void link_close(struct link_to *l, int lane);
/* The process is gone: closes the way too. Lane 0. */
void link_lose(struct link_to *l);

/* What struct transport says of the same names. */
bool link_send(struct link_to *l, const struct message *message, const void *payload);
void *way_map(struct way *way, uint64_t address, size_t bytes);
int way_get(struct way *way, struct iovec *to, int pieces, uint64_t address);
int way_put(struct way *way, const void *from, uint64_t address, size_t bytes);

#endif
