#include "net/shm/link.h"

#include "base/fail.h"
#include "hint/hint.h"
#include "net/shm/bell.h"
#include "net/shm/cma.h"

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static struct site *others; /* of other jobs */
/* What there is to write to when a process is gone: no room. */
static struct ring_control nowhere;
static _Atomic uint64_t nothing_busy;

void site_init(struct site *site)
{
    struct staging s;
    size_t ring_max = ring_message_max(site->house.ring_size);

    staging_init(&s, NULL, NULL, site->house.staging_size);
    site->heap_size = arena_heap_size(&site->house);
    site->limits.message_best = s.chunk_size;
    site->limits.message_max = ring_max > s.chunk_size ? ring_max : s.chunk_size;
}

int site_enter(uint64_t job, const struct house *house, struct site **site)
{
    struct site *s;

    for (s = others; s && s->job != job; s = s->next)
        ;
    if (s) {
        close(house->fd);
    } else {
        s = calloc(1, sizeof *s);
        if (!s) {
            close(house->fd);
            return fail(MPI_ERR_NO_MEM, "no memory for the links to another job");
        }
        *s = (struct site){.house = *house, .job = job, .next = others};
        site_init(s);
        others = s;
    }
    s->links++;
    *site = s;
    return MPI_SUCCESS;
}

static void leave(struct site *site)
{
    struct site **at = &others;

    if (!site->links || --site->links)
        return;
    while (*at != site)
        at = &(*at)->next;
    *at = site->next;
    close(site->house.fd);
    free(site);
}

int link_open(struct site *site, int local_rank, int seat, struct link_to **link)
{
    const struct house *house = &site->house;
    struct link_to *l = calloc(1, sizeof *l);
    int error = l ? arena_connect(house, local_rank, seat, &l->arena)
                  : fail(MPI_ERR_NO_MEM, "no memory for the link to a process");

    if (error) {
        free(l);
        leave(site);
        return error;
    }
    l->site = site;
    l->seat = seat;
    ring_init(&l->ring, l->arena.rings, house->ring_size, l->arena.control);
    l->view = (struct heap_view){
        .fd = house->fd, .place = arena_heap_place(house, local_rank), .size = site->heap_size};
    staging_init(&l->staging, l->arena.staging, &l->arena.head->staging_busy, house->staging_size);
    *link = l;
    return MPI_SUCCESS;
}

static void set_gone(struct link_to *l)
{
    static struct site no_site = {.limits = {.message_max = STAGING_CHUNK_MIN, .message_best = STAGING_CHUNK_MIN}};

    *l = (struct link_to){.site = &no_site,
                          .ring = {.control = &nowhere},
                          .view = {.fd = -1},
                          .staging = {.busy = &nothing_busy},
                          .cma = CMA_REFUSED,
                          .is_gone = true};
}

int link_open_gone(struct link_to **link)
{
    struct link_to *l = calloc(1, sizeof *l);

    if (!l)
        return fail(MPI_ERR_NO_MEM, "no memory for the link to a process");
    set_gone(l);
    *link = l;
    return MPI_SUCCESS;
}

void link_close(struct link_to *l)
{
    if (l->is_gone)
        return;
    arena_close(&l->arena);
    heap_view_close(&l->view);
    leave(l->site);
    set_gone(l);
}

/* For payloads that are too long for the ring. */
static bool write_staged(struct link_to *l, const struct message *message, const void *payload)
{
    struct message m = *message;
    struct staged staged;

    if (!staging_fill(&l->staging, payload, message->length, &staged))
        return false;
    m.kind |= STAGED;
    m.length = sizeof staged;
    if (ring_write(&l->ring, &m, &staged))
        return true;
    staging_give(&l->staging, staged.chunk);
    return false;
}

bool link_send(struct link_to *l, const struct message *message, const void *payload)
{
    if (message->length <= ring_message_max(l->site->house.ring_size)
            ? !ring_write(&l->ring, message, payload)
            : !write_staged(l, message, payload))
        return false;
    bell_tell(l->arena.head, l->ring.control, l->seat);
    return true;
}

void *link_map(struct link_to *l, uint64_t address, size_t bytes)
{
    uint64_t offset;

    if (!l->heap && !l->is_gone) /* acquire: pairs with the release in heap.c */
        l->heap = atomic_load_explicit(&l->arena.head->heap, memory_order_acquire);
    offset = address - l->heap;
    if (!l->heap || offset >= l->view.size || bytes > l->view.size - offset)
        return NULL;
    return heap_view_at(&l->view, offset, bytes);
}

static bool cma_may_be_used(struct link_to *l)
{
    if (l->cma == CMA_UNTRIED) {
        l->cma = hint_process.value[HINT_CMA] && cma_works(l->arena.head) ? CMA_WORKS : CMA_REFUSED;
        l->pid = atomic_load_explicit(&l->arena.head->pid, memory_order_relaxed);
    }
    return l->cma == CMA_WORKS;
}

int link_get(struct link_to *l, void *to, uint64_t address, size_t bytes)
{
    if (!cma_may_be_used(l))
        return MPI_ERR_UNSUPPORTED_OPERATION;
    return cma_read(l->pid, to, address, bytes);
}

int link_put(struct link_to *l, const void *from, uint64_t address, size_t bytes)
{
    if (!cma_may_be_used(l))
        return MPI_ERR_UNSUPPORTED_OPERATION;
    return cma_write(l->pid, from, address, bytes);
}
