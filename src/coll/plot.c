#include "coll/plot.h"

#include "base/fail.h"
#include "base/live.h"
#include "base/lock.h"
#include "base/log.h"
#include "coll/coll.h"
#include "memory/kind.h"
#include "memory/memory.h"
#include "p2p/lane.h"

#include <stdlib.h>
#include <string.h>

/* Behind a rank's memory. */
struct tail {
    _Atomic int gone; /* of the others: each adds 1, release, when it has looked its last */
};

/* What the ranks agree on: bits. */
enum {
    SEES_ALL = 1,
    RMA_ALL = 2,
    HAS_MAPPED = 4
};

static struct lock lock = LOCK_INIT;       /* guards: */
static struct link left = LIST_INIT(left); /* what this process has freed and others may still look at */

static struct tail *tail_of(const struct plot *p, int rank)
{
    return (struct tail *)(void *)(p->part[rank].at + p->bytes);
}

/* Frees what nobody looks at any more. Caller holds the lock. */
static void sweep(void)
{
    struct link *next;

    for (struct link *l = left.next; l != &left; l = next) {
        struct plot *p = LIST_ENTRY(l, struct plot, link);

        next = l->next;
        /* acquire: pairs with the release in plot_free */
        if (atomic_load_explicit(&tail_of(p, p->rank)->gone, memory_order_acquire) < p->size - 1)
            continue;
        list_remove(l);
        memory_free(p->part[p->rank].at);
        free(p);
    }
}

void plot_free(struct plot *p)
{
    for (int r = 0; r < p->size; r++)
        if (r != p->rank) /* release: pairs with the acquire in sweep */
            atomic_fetch_add_explicit(&tail_of(p, r)->gone, 1, memory_order_release);
    live_add(LIVE_PLOT, -1); /* for this process */
    lock_take(&lock);
    list_add(&left, &p->link);
    sweep();
    lock_release(&lock);
}

/* This rank's memory; NULL: none. */
static unsigned char *take_memory(size_t bytes, size_t cleared)
{
    void *memory;

    if (!bytes || memory_alloc(bytes + sizeof(struct tail), PLOT_UNIT, &memory) != MPI_SUCCESS)
        return NULL;
    memset(memory, 0, cleared);
    memset((char *)memory + bytes, 0, sizeof(struct tail));
    return memory;
}

static unsigned char *map(struct peer *peer, uint64_t address, size_t bytes)
{
    if (!address || !peer || !peer->transport->attention)
        return NULL;
    return net_map(peer, address, bytes + sizeof(struct tail));
}

/* What a rank tells of its memory; address 0: it has none. */
struct offer {
    uint64_t address, bytes;
};

/* True when this rank sees the memory of all. It is as large everywhere, if their calls fit together. */
static bool map_all(struct plot *p, const struct comm *comm, const struct offer *offer)
{
    for (int r = 0; r < p->size; r++) {
        struct plot_part *part = &p->part[r];

        if (r == p->rank)
            continue;
        if (offer[r].bytes != p->bytes)
            return false;
        lane_take(&lanes[0]); /* peers are its holder's */
        part->peer = net_peer(0, comm->process[r]);
        part->at = map(part->peer, offer[r].address, p->bytes);
        if (part->at)
            part->attention = part->peer->transport->attention(part->peer);
        lane_release(&lanes[0]);
        if (!part->at)
            return false;
    }
    return true;
}

/* Whether this rank gets to the memory of all. */
static bool rma_all(const struct plot *p)
{
    bool reads = true;

    lane_take(&lanes[0]);
    for (int r = 0; r < p->size && reads; r++) {
        struct peer *peer = p->part[r].peer;

        reads = !peer || (peer->transport->get(peer, NULL, 0, 0) == MPI_SUCCESS &&
                          peer->transport->put(peer, NULL, 0, 0) == MPI_SUCCESS);
    }
    lane_release(&lanes[0]);
    return reads;
}

static uint64_t find_ways(const struct plot *p, const struct comm *comm)
{
    bool is_mapped = hint_buffer_kinds(&comm->hints) == (int64_t)1 << KIND_MPI;

    return SEES_ALL | (rma_all(p) ? RMA_ALL : 0) | (is_mapped ? HAS_MAPPED : 0);
}

static struct plot *alloc_plot(const struct comm *comm, unsigned char *mine, size_t bytes)
{
    struct plot *p = mine ? calloc(1, sizeof *p + (size_t)comm->size * sizeof p->part[0]) : NULL;

    if (!p)
        return NULL;
    live_add(LIVE_PLOT, 1);
    p->rank = comm->rank;
    p->size = comm->size;
    p->bytes = bytes;
    p->part[p->rank].at = mine;
    return p;
}

int plot_agreed(int error)
{
    if (error == MPI_ERR_NO_MEM)
        log_die("no memory to agree with the other ranks of a communicator: %s", fail_note());
    return error;
}

/* Two exchanges: where everybody's memory is, and whether every rank sees it all, or gets to it. */
struct plot *plot_new(struct comm *comm, size_t bytes, size_t cleared)
{
    unsigned char *memory = take_memory(bytes, cleared);
    struct plot *p = alloc_plot(comm, memory, bytes);
    struct offer all[PLOT_RANKS], mine = {(uint64_t)(uintptr_t)memory, bytes};
    uint64_t ways = 0;
    int error = plot_agreed(coll_allgather_bytes(comm, &mine, all, sizeof mine));

    if (!error && p && map_all(p, comm, all))
        ways = find_ways(p, comm);
    error = plot_agreed(coll_agree(comm, &ways, NULL));
    if (!error && ways & SEES_ALL) {
        p->is_read = ways & RMA_ALL;
        p->is_mapped = ways & HAS_MAPPED;
        return p;
    }
    if (memory)
        memory_free(memory);
    if (p)
        live_add(LIVE_PLOT, -1);
    free(p);
    return NULL;
}
