#include "net/shm/link.h"

#include "base/live.h"
#include "hint/hint.h"
#include "net/shm/bell.h"
#include "net/shm/cma.h"
#include "net/shm/watch.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    CMA_OF_MESSAGES = 2 /* the setting inkling_cma=messages */
};

enum cma_state {
    CMA_UNTRIED,
    CMA_WORKS,
    CMA_REFUSED
};

static struct link_segment *others; /* of other jobs; under lane 0 */
/* What links to an ended process refer to: a ring and a staging area without room. */
static struct ring_control nowhere;
static _Atomic uint64_t nothing_busy;

void link_segment_init(struct link_segment *segment)
{
    struct staging s;

    staging_init(&s, NULL, NULL, segment->plan.staging_size);
    segment->heap_size = arena_heap_size(&segment->plan);
    segment->ring_max = ring_message_max(segment->plan.ring_size);
    segment->limits.message_best = s.chunk_size;
    segment->limits.message_max = segment->ring_max > s.chunk_size ? segment->ring_max : s.chunk_size;
    hint_cap(HINT_EAGER_LIMIT, (int64_t)segment->limits.message_max);
}

int link_segment_enter(uint64_t job, const struct arena_plan *plan, struct link_segment **segment)
{
    struct link_segment *s;

    for (s = others; s && s->job != job; s = s->next)
        ;
    if (s) {
        close(plan->fd);
    } else {
        s = calloc(1, sizeof *s);
        if (!s) {
            close(plan->fd);
            return fail(MPI_ERR_NO_MEM, "no memory for the processes of another job");
        }
        *s = (struct link_segment){.plan = *plan, .job = job, .next = others};
        link_segment_init(s);
        others = s;
    }
    s->remotes++;
    *segment = s;
    return MPI_SUCCESS;
}

/* Does nothing for this job's own segment. */
static void link_segment_leave(struct link_segment *segment)
{
    struct link_segment **at = &others;

    if (!segment->remotes || --segment->remotes)
        return;
    while (*at != segment)
        at = &(*at)->next;
    *at = segment->next;
    close(segment->plan.fd);
    free(segment);
}

int link_remote_open(struct link_segment *segment, int local_rank, int slot, struct link_remote **remote)
{
    struct link_remote *w = calloc(1, sizeof *w);
    int error = w ? arena_connect(&segment->plan, 0, local_rank, slot, &w->arena)
                  : fail(MPI_ERR_NO_MEM, "no memory for what is mapped of a process");

    if (error) {
        free(w);
        link_segment_leave(segment);
        return error;
    }
    w->segment = segment;
    w->local_rank = local_rank;
    w->slot = slot;
    w->view = (struct heap_view){.fd = segment->plan.fd,
                                 .place = arena_heap_place(&segment->plan, local_rank),
                                 .size = segment->heap_size};
    staging_init(&w->staging, w->arena.staging, &w->arena.head->staging_busy, segment->plan.staging_size);
    *remote = w;
    return MPI_SUCCESS;
}

static void set_gone(struct link_remote *remote)
{
    static struct link_segment no_segment = {
        .limits = {.message_max = STAGING_CHUNK_MIN, .message_best = STAGING_CHUNK_MIN}};

    *remote = (struct link_remote){.segment = &no_segment,
                                   .staging = {.busy = &nothing_busy},
                                   .view = {.fd = -1},
                                   .cma = CMA_REFUSED,
                                   .local_rank = remote->local_rank,
                                   .slot = remote->slot,
                                   .is_gone = true};
}

int link_remote_open_gone(struct link_remote **remote)
{
    struct link_remote *w = calloc(1, sizeof *w);

    if (!w)
        return fail(MPI_ERR_NO_MEM, "no memory for what is mapped of a process");
    set_gone(w);
    *remote = w;
    return MPI_SUCCESS;
}

static void unmap(struct link_remote *remote)
{
    heap_view_close(&remote->view);
    arena_close(&remote->arena);
}

void link_remote_close(struct link_remote *remote)
{
    struct link_remote before = *remote;

    if (remote->is_gone)
        return;
    link_segment_leave(remote->segment);
    set_gone(remote);
    remote->view = before.view; /* nothing more is mapped of it, since `heap` is 0 */
    remote->arena = before.arena;
    remote->holders = before.holders;
    if (!remote->holders)
        unmap(remote);
}

void link_remote_hold(struct link_remote *remote, int change)
{
    remote->holders += change;
    if (remote->is_gone && !remote->holders)
        unmap(remote);
}

int link_open(struct link_remote *remote, int lane, struct link_lane *l)
{
    const struct arena_plan *plan = &remote->segment->plan;
    int error = MPI_SUCCESS;

    if (remote->is_gone) {
        *l = (struct link_lane){.remote = remote, .ring = {.control = &nowhere}};
        return MPI_SUCCESS;
    }
    if (lane)
        error = arena_connect(plan, lane, remote->local_rank, remote->slot, &l->arena);
    else /* opened with the remote */
        l->arena = remote->arena;
    if (error)
        return error;
    ring_init(&l->ring, l->arena.rings, plan->ring_size, l->arena.control);
    l->head = remote->arena.head;
    l->remote = remote;
    return MPI_SUCCESS;
}

void link_close(struct link_lane *l, int lane)
{
    if (lane)
        arena_close(&l->arena);
}

void link_lose(struct link_lane *l)
{
    link_remote_close(l->remote);
    link_open(l->remote, 0, l);
}

/* For payloads that are too long for the ring. */
static bool write_staged(struct link_lane *l, const struct message *message, const void *payload)
{
    struct message m = *message;
    struct staged staged;

    if (!staging_fill(&l->remote->staging, payload, message->length, &staged))
        return false;
    m.kind |= WATCH_STAGED;
    m.length = sizeof staged;
    if (ring_write(&l->ring, &m, &staged)) {
        live_add(LIVE_CHUNK, -1); /* it belongs to the receiver now */
        return true;
    }
    staging_give(&l->remote->staging, staged.chunk);
    return false;
}

bool link_send(struct link_lane *l, const struct message *message, const void *payload)
{
    if (message->length <= l->remote->segment->ring_max ? !ring_write(&l->ring, message, payload)
                                                        : !write_staged(l, message, payload))
        return false;
    bell_ring(l->head, l->arena.lane, l->ring.control, l->remote->slot);
    return true;
}

void *link_remote_map(struct link_remote *remote, uint64_t address, size_t bytes)
{
    uint64_t heap = atomic_load_explicit(&remote->heap, memory_order_relaxed), offset;

    if (!heap && !remote->is_gone) { /* acquire: pairs with the release in memory/heap.c */
        heap = atomic_load_explicit(&remote->arena.head->heap, memory_order_acquire);
        atomic_store_explicit(&remote->heap, heap, memory_order_relaxed);
    }
    offset = address - heap;
    if (!heap || offset >= remote->view.size || bytes > remote->view.size - offset)
        return NULL;
    return heap_view_at(&remote->view, offset, bytes);
}

/* Threads that try at the same time get the same result. */
static bool cma_may_be_used(struct link_remote *remote)
{
    int state = atomic_load_explicit(&remote->cma, memory_order_acquire);

    if (state == CMA_UNTRIED) {
        state = hint_process.value[HINT_CMA] && cma_works(remote->arena.head) ? CMA_WORKS : CMA_REFUSED;
        atomic_store_explicit(&remote->pid,
                              atomic_load_explicit(&remote->arena.head->pid, memory_order_relaxed),
                              memory_order_relaxed);
        atomic_store_explicit(&remote->cma, state, memory_order_release); /* pairs with the acquire above */
    }
    return state == CMA_WORKS;
}

int link_remote_copy(struct link_remote *remote, bool is_put, struct iovec *here, int pieces,
                     struct iovec *there, int pieces_there)
{
    bool is_read = !is_put && pieces > 0;

    if ((hint_process.value[HINT_CMA] == CMA_OF_MESSAGES && !is_read) || !cma_may_be_used(remote))
        return MPI_ERR_UNSUPPORTED_OPERATION;
    return cma_copy(atomic_load_explicit(&remote->pid, memory_order_relaxed), is_put, here, pieces, there,
                    pieces_there);
}
