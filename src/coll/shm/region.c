#include "coll/shm/region.h"

#include "base/live.h"
#include "base/lock.h"
#include "coll/sched/exchange.h"
#include "memory/kind.h"
#include "memory/memory.h"
#include "p2p/lane.h"
#include "plain/fail.h"
#include "plain/log.h"

#include <stdlib.h>
#include <string.h>

/* Behind the bytes of a part. */
struct region_tail {
    _Atomic int gone; /* of the other ranks: each adds 1, release, after its last access */
};

/* Capabilities that the ranks agree on: bits. */
enum {
    CAP_MAPPED = 1,
    CAP_GET = 2,
    CAP_HEAP = 4
};

static struct lock lock = LOCK_INIT;             /* guards: */
static struct link retired = LIST_INIT(retired); /* what this process has freed and others may still access */

static struct region_tail *region_tail_of(const struct shm_region *p, int rank)
{
    return (struct region_tail *)(void *)(p->part[rank].at + p->bytes);
}

/* Frees what nobody accesses any more. Caller holds the lock. */
static void region_sweep(void)
{
    struct link *next;

    for (struct link *l = retired.next; l != &retired; l = next) {
        struct shm_region *p = LIST_ENTRY(l, struct shm_region, link);

        next = l->next;
        /* acquire: pairs with the release in region_free */
        if (atomic_load_explicit(&region_tail_of(p, p->rank)->gone, memory_order_acquire) < p->size - 1)
            continue;
        list_remove(l);
        memory_free(p->part[p->rank].at);
        free(p);
    }
}

/* Processes of this job do not outlive each other: only what is mapped of another job's must be held. */
static bool region_holds(const struct region_part *part)
{
    return part->at && part->peer && part->peer->process >= group_job_size;
}

/* This process accesses the other parts no more. */
static void region_let_go(struct shm_region *p)
{
    lane_take(&lanes[0]);
    for (int r = 0; r < p->size; r++)
        if (region_holds(&p->part[r]))
            p->part[r].peer->transport->hold(p->part[r].peer, -1);
    lane_release(&lanes[0]);
    live_add(LIVE_REGION, -1); /* for this process */
}

void region_free(struct shm_region *p)
{
    for (int r = 0; r < p->size; r++)
        if (r != p->rank) /* release: pairs with the acquire in region_sweep */
            atomic_fetch_add_explicit(&region_tail_of(p, r)->gone, 1, memory_order_release);
    region_let_go(p);
    lock_take(&lock);
    list_add(&retired, &p->link);
    region_sweep();
    lock_release(&lock);
}

/* This rank's memory; NULL: none. */
static unsigned char *region_alloc_mine(size_t bytes, size_t cleared)
{
    void *memory;

    if (!bytes || memory_alloc(bytes + sizeof(struct region_tail), REGION_UNIT, &memory) != MPI_SUCCESS)
        return NULL;
    memset(memory, 0, cleared);
    memset((char *)memory + bytes, 0, sizeof(struct region_tail));
    return memory;
}

/* Where a rank's part is; address 0: it has none. */
struct region_offer {
    uint64_t address, bytes;
};

/* Maps the part of a process. */
static void region_map(struct region_part *part, int process, uint64_t address, size_t bytes)
{
    struct peer *peer;

    lane_take(&lanes[0]); /* peers are its holder's */
    part->peer = peer = net_peer(0, process);
    if (peer && !peer->lost && peer->transport->attention) {
        part->at = net_map(peer, address, bytes);
        part->attention = peer->transport->attention(peer);
    }
    if (region_holds(part))
        peer->transport->hold(peer, 1);
    lane_release(&lanes[0]);
}

/* True when this rank maps all parts. They are of one size, if the calls of the ranks fit together. Offers are by position in the team. */
static bool region_map_all(struct shm_region *p, const struct comm *comm, const struct region_team *team,
                           const struct region_offer *offer)
{
    for (int i = 0; i < p->size; i++) {
        int r = team->member ? team->member[i] : i;

        if (i == p->rank)
            continue;
        if (offer[r].bytes != p->bytes || !offer[r].address)
            return false;
        region_map(&p->part[i], comm->process[schedule_team_at(&team->ranks, r)], offer[r].address,
                   p->bytes + sizeof(struct region_tail));
        if (!p->part[i].at)
            return false;
    }
    return true;
}

static uint64_t region_capabilities(const struct shm_region *p, const struct comm *comm)
{
    bool is_mapped = hint_buffer_kinds(&comm->hints) == (int64_t)1 << KIND_MPI, can_get = true;

    lane_take(&lanes[0]);
    for (int r = 0; r < p->size && can_get; r++)
        can_get = !p->part[r].peer || net_can_copy(p->part[r].peer, 0, 0);
    lane_release(&lanes[0]);
    return CAP_MAPPED | (can_get ? CAP_GET : 0) | (is_mapped ? CAP_HEAP : 0);
}

static struct shm_region *region_alloc(int count, int self, unsigned char *mine, size_t bytes)
{
    struct shm_region *p = mine ? calloc(1, sizeof *p + (size_t)count * sizeof p->part[0]) : NULL;

    if (!p)
        return NULL;
    live_add(LIVE_REGION, 1);
    p->rank = self;
    p->size = count;
    p->bytes = bytes;
    p->part[p->rank].at = mine;
    return p;
}

int region_agreed(int error)
{
    if (error == MPI_ERR_NO_MEM)
        log_die("no memory to agree with the other ranks of a communicator: %s", fail_note());
    return error;
}

/* Two exchanges: where the parts are; and which capabilities all ranks have. */
struct shm_region *region_new_in(struct comm *comm, const struct region_team *team, size_t bytes,
                                 size_t cleared)
{
    unsigned char *memory = region_alloc_mine(bytes, cleared);
    struct shm_region *p = region_alloc(team->count, team->self, memory, bytes);
    struct region_offer mine = {(uint64_t)(uintptr_t)memory, bytes},
                        *all = malloc((size_t)team->ranks.size * sizeof *all);
    uint64_t caps = 0;
    int error = region_agreed(all ? exchange_bytes_in(comm, team->ranks, &mine, all, sizeof mine)
                                  : fail(MPI_ERR_NO_MEM, "%d addresses", team->ranks.size));

    if (!error && p && region_map_all(p, comm, team, all))
        caps = region_capabilities(p, comm);
    free(all);
    error = region_agreed(exchange_and_in(comm, team->ranks, &caps, 1));
    if (!error && caps & CAP_MAPPED) {
        p->can_get = caps & CAP_GET;
        p->all_mapped = caps & CAP_HEAP;
        return p;
    }
    if (memory)
        memory_free(memory);
    if (p)
        region_let_go(p);
    free(p);
    return NULL;
}

struct shm_region *region_new(struct comm *comm, size_t bytes, size_t cleared)
{
    struct region_team all = {{.size = comm->size, .me = comm->rank}, NULL, comm->size, comm->rank};

    return region_new_in(comm, &all, bytes, cleared);
}
