/* link: the way to a peer of this host, of this job or another: what this process maps of its arena, and what
 * it knows of it. */
#ifndef NET_SHM_LINK_H
#define NET_SHM_LINK_H

#include "memory/heap.h"
#include "net/shm/arena.h"
#include "net/transport.h"

/* A job's memory, for all links to its processes. */
struct site {
    struct house house;
    uint64_t job; /* of another job; see net/card.h */
    size_t heap_size;
    struct transport_limits limits;
    int links;         /* of another job: when the last goes, the site does */
    struct site *next; /* of another job */
};

enum cma_state {
    CMA_UNTRIED,
    CMA_WORKS,
    CMA_REFUSED
};

struct link_to {
    struct ring ring;
    struct arena arena;
    struct site *site;
    int seat;               /* of this process, there */
    uint64_t heap;          /* where the peer has its heap; 0: not known yet */
    struct heap_view view;  /* the heap as this process sees it */
    struct staging staging; /* the peer's */
    enum cma_state cma;
    int32_t pid;  /* valid when CMA_WORKS */
    bool is_gone; /* the peer is: nothing is mapped, nothing can be sent */
};

/* Fills in what follows from the house. */
void site_init(struct site *site);
/* The site of another job, with one more link. Takes the house's descriptor over, on error too. */
int site_enter(uint64_t job, const struct house *house, struct site **site);

/* *l to the process of this local rank at the site. */
int link_open(struct site *site, int local_rank, int seat, struct link_to **l);
/* To a process that is gone already. */
int link_open_gone(struct link_to **l);
/* Unmaps all; the link itself stays, as one to a process that is gone. */
void link_close(struct link_to *l);

/* What struct transport says of the same names. */
bool link_send(struct link_to *l, const struct message *message, const void *payload);
void *link_map(struct link_to *l, uint64_t address, size_t bytes);
int link_get(struct link_to *l, void *to, uint64_t address, size_t bytes);
int link_put(struct link_to *l, const void *from, uint64_t address, size_t bytes);

/* Bit of a message's kind in the ring: its payload is a struct staged. */
enum {
    STAGED = 0x80
};

#endif
