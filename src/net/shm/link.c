#include "net/shm/link.h"

#include "base/fail.h"
#include "base/live.h"
#include "hint/hint.h"
#include "net/shm/bell.h"
#include "net/shm/cma.h"
#include "net/shm/watch.h"

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum cma_state {
    CMA_UNTRIED,
    CMA_WORKS,
    CMA_REFUSED
};

static struct site *others; /* of other jobs; under lane 0 */
/* What there is to write to when a process is gone: no room. */
static struct ring_control nowhere;
static _Atomic uint64_t nothing_busy;

void site_init(struct site *site)
{
    struct staging s;

    staging_init(&s, NULL, NULL, site->plan.staging_size);
    site->heap_size = arena_heap_size(&site->plan);
    site->ring_max = ring_message_max(site->plan.ring_size);
    site->limits.message_best = s.chunk_size;
    site->limits.message_max = site->ring_max > s.chunk_size ? site->ring_max : s.chunk_size;
}

int site_enter(uint64_t job, const struct arena_plan *plan, struct site **site)
{
    struct site *s;

    for (s = others; s && s->job != job; s = s->next)
        ;
    if (s) {
        close(plan->fd);
    } else {
        s = calloc(1, sizeof *s);
        if (!s) {
            close(plan->fd);
            return fail(MPI_ERR_NO_MEM, "no memory for the ways to another job");
        }
        *s = (struct site){.plan = *plan, .job = job, .next = others};
        site_init(s);
        others = s;
    }
    s->ways++;
    *site = s;
    return MPI_SUCCESS;
}

/* This job's own site stays. */
static void site_leave(struct site *site)
{
    struct site **at = &others;

    if (!site->ways || --site->ways)
        return;
    while (*at != site)
        at = &(*at)->next;
    *at = site->next;
    close(site->plan.fd);
    free(site);
}

int way_open(struct site *site, int local_rank, int seat, struct way **way)
{
    struct way *w = calloc(1, sizeof *w);
    int error = w ? arena_connect(&site->plan, 0, local_rank, seat, &w->arena)
                  : fail(MPI_ERR_NO_MEM, "no memory for the way to a process");

    if (error) {
        free(w);
        site_leave(site);
        return error;
    }
    w->site = site;
    w->local_rank = local_rank;
    w->seat = seat;
    w->view = (struct heap_view){
        .fd = site->plan.fd, .place = arena_heap_place(&site->plan, local_rank), .size = site->heap_size};
    staging_init(&w->staging, w->arena.staging, &w->arena.head->staging_busy, site->plan.staging_size);
    *way = w;
    return MPI_SUCCESS;
}

static void set_gone(struct way *way)
{
    static struct site no_site = {
        .limits = {.message_max = STAGING_CHUNK_MIN, .message_best = STAGING_CHUNK_MIN}};

    *way = (struct way){.site = &no_site,
                        .staging = {.busy = &nothing_busy},
                        .view = {.fd = -1},
                        .cma = CMA_REFUSED,
                        .is_gone = true};
}

int way_open_gone(struct way **way)
{
    struct way *w = calloc(1, sizeof *w);

    if (!w)
        return fail(MPI_ERR_NO_MEM, "no memory for the way to a process");
    set_gone(w);
    *way = w;
    return MPI_SUCCESS;
}

void way_close(struct way *way)
{
    if (way->is_gone)
        return;
    heap_view_close(&way->view);
    arena_close(&way->arena);
    site_leave(way->site);
    set_gone(way);
}

int link_open(struct way *way, int lane, struct link_to *l)
{
    const struct arena_plan *plan = &way->site->plan;
    int error = MPI_SUCCESS;

    if (way->is_gone) {
        *l = (struct link_to){.way = way, .ring = {.control = &nowhere}};
        return MPI_SUCCESS;
    }
    if (lane)
        error = arena_connect(plan, lane, way->local_rank, way->seat, &l->arena);
    else /* it has come with the way */
        l->arena = way->arena;
    if (error)
        return error;
    ring_init(&l->ring, l->arena.rings, plan->ring_size, l->arena.control);
    l->head = way->arena.head;
    l->way = way;
    return MPI_SUCCESS;
}

void link_close(struct link_to *l, int lane)
{
    if (lane)
        arena_close(&l->arena);
}

void link_lose(struct link_to *l)
{
    way_close(l->way);
    link_open(l->way, 0, l);
}

/* For payloads that are too long for the ring. */
static bool write_staged(struct link_to *l, const struct message *message, const void *payload)
{
    struct message m = *message;
    struct staged staged;

    if (!staging_fill(&l->way->staging, payload, message->length, &staged))
        return false;
    m.kind |= WATCH_STAGED;
    m.length = sizeof staged;
    if (ring_write(&l->ring, &m, &staged)) {
        live_add(LIVE_CHUNK, -1); /* it is the receiver's now */
        return true;
    }
    staging_give(&l->way->staging, staged.chunk);
    return false;
}

bool link_send(struct link_to *l, const struct message *message, const void *payload)
{
    if (message->length <= l->way->site->ring_max ? !ring_write(&l->ring, message, payload)
                                                  : !write_staged(l, message, payload))
        return false;
    bell_tell(l->head, l->arena.lane, l->ring.control, l->way->seat);
    return true;
}

void *way_map(struct way *way, uint64_t address, size_t bytes)
{
    uint64_t heap = atomic_load_explicit(&way->heap, memory_order_relaxed), offset;

    if (!heap && !way->is_gone) { /* acquire: pairs with the release in heap.c */
        heap = atomic_load_explicit(&way->arena.head->heap, memory_order_acquire);
        atomic_store_explicit(&way->heap, heap, memory_order_relaxed);
    }
    offset = address - heap;
    if (!heap || offset >= way->view.size || bytes > way->view.size - offset)
        return NULL;
    return heap_view_at(&way->view, offset, bytes);
}

/* Threads that try at once find the same. */
static bool cma_may_be_used(struct way *way)
{
    int state = atomic_load_explicit(&way->cma, memory_order_acquire);

    if (state == CMA_UNTRIED) {
        state = hint_process.value[HINT_CMA] && cma_works(way->arena.head) ? CMA_WORKS : CMA_REFUSED;
        atomic_store_explicit(&way->pid, atomic_load_explicit(&way->arena.head->pid, memory_order_relaxed),
                              memory_order_relaxed);
        atomic_store_explicit(&way->cma, state, memory_order_release); /* pairs with the acquire above */
    }
    return state == CMA_WORKS;
}

int way_get(struct way *way, struct iovec *to, int pieces, uint64_t address)
{
    if (!cma_may_be_used(way))
        return MPI_ERR_UNSUPPORTED_OPERATION;
    return cma_read(atomic_load_explicit(&way->pid, memory_order_relaxed), to, pieces, address);
}

int way_put(struct way *way, const void *from, uint64_t address, size_t bytes)
{
    if (!cma_may_be_used(way))
        return MPI_ERR_UNSUPPORTED_OPERATION;
    return cma_write(atomic_load_explicit(&way->pid, memory_order_relaxed), from, address, bytes);
}
