#include "win/attachment.h"

#include "base/clock.h"
#include "base/fail.h"
#include "base/live.h"
#include "memory/heap.h"
#include "win/agent.h"
#include "win/passive.h"
#include "win/win_memory.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPINS = 128,      /* reads of a table that changes before this process yields */
    LOST_ROUNDS = 512 /* of these, until it asks whether the table's owner lives */
};
/* A get may be complete at its origin before this process has heard of it: so long MPI_Win_detach waits for that. */
#define IN_USE_NS UINT64_C(1000000000)

struct attachments {
    int count, room;
    struct own_attachment {
        uint64_t first, bytes;
        int uses; /* operations that the agent has begun there */
    } * own;      /* guarded by the window's lock */
};

/* The table of a rank in shared memory; NULL: there is none. */
static struct attachments_shown *shown_of(const struct win *win, int rank)
{
    int place = win_control_place(win, rank);

    if (place < 0)
        return NULL;
    return (struct attachments_shown *)(void *)(win->control + win->controls) + place;
}

int attachment_open(struct win *win)
{
    win->attached = calloc(1, sizeof *win->attached);
    if (!win->attached)
        return fail(MPI_ERR_NO_MEM, "no memory for the attachments of a window");
    live_add(LIVE_ATTACHMENTS, 1);
    return MPI_SUCCESS;
}

void attachment_close(struct win *win)
{
    if (!win->attached)
        return;
    live_add(LIVE_ATTACHMENTS, -1);
    free(win->attached->own);
    free(win->attached);
    win->attached = NULL;
}

/* Copies the list to the shared table. The caller holds the window's lock. */
static void attachment_show(struct win *win)
{
    struct attachments *a = win->attached;
    struct attachments_shown *shown = shown_of(win, win->rank);

    if (!shown)
        return;
    atomic_fetch_add_explicit(&shown->version, 1, memory_order_acq_rel);
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < a->count && i < ATTACHMENTS_SHOWN; i++) {
        atomic_store_explicit(&shown->at[i].first, a->own[i].first, memory_order_relaxed);
        atomic_store_explicit(&shown->at[i].bytes, a->own[i].bytes, memory_order_relaxed);
    }
    atomic_store_explicit(&shown->count, (uint32_t)a->count, memory_order_relaxed);
    atomic_fetch_add_explicit(&shown->version, 1, memory_order_release);
}

/* The caller holds the window's lock. */
static int attachment_add(struct win *win, uint64_t first, uint64_t bytes)
{
    struct attachments *a = win->attached;

    for (int i = 0; i < a->count; i++)
        if (first < a->own[i].first + a->own[i].bytes && a->own[i].first < first + bytes)
            return fail(MPI_ERR_RMA_ATTACH, "%llu bytes at 0x%llx overlap %llu attached bytes at 0x%llx",
                        (unsigned long long)bytes, (unsigned long long)first,
                        (unsigned long long)a->own[i].bytes, (unsigned long long)a->own[i].first);
    if (a->count == a->room) {
        int room = a->room ? a->room * 2 : 8;
        void *own = realloc(a->own, (size_t)room * sizeof *a->own);

        if (!own)
            return fail(MPI_ERR_NO_MEM, "no memory for attachment %d of a window", a->count + 1);
        a->own = own;
        a->room = room;
    }
    a->own[a->count++] = (struct own_attachment){first, bytes, 0};
    attachment_show(win);
    return MPI_SUCCESS;
}

static int check_dynamic(const struct win *win, const char *call)
{
    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return MPI_SUCCESS;
    return fail(MPI_ERR_RMA_FLAVOR, "%s: the window is not one of MPI_Win_create_dynamic", call);
}

int win_attach(struct win *win, void *base, MPI_Aint size)
{
    int error = check_dynamic(win, "MPI_Win_attach");

    if (error)
        return error;
    if (size < 0)
        return fail(MPI_ERR_SIZE, "size %lld is negative", (long long)size);
    if (!base && size)
        return fail(MPI_ERR_BASE, "base is NULL, but size is %lld", (long long)size);
    lock_take(&win->lock);
    error = attachment_add(win, (uint64_t)(uintptr_t)base, (uint64_t)size);
    lock_release(&win->lock);
    return error;
}

/* Removes an attachment that nobody uses. Returns how many operations use it; -1: there is none that begins here. */
static int attachment_remove(struct win *win, uint64_t first)
{
    struct attachments *a = win->attached;
    int uses = -1, i;

    lock_take(&win->lock);
    for (i = 0; i < a->count && a->own[i].first != first; i++)
        ;
    if (i < a->count)
        uses = a->own[i].uses;
    if (uses == 0) {
        a->own[i] = a->own[--a->count];
        attachment_show(win);
    }
    lock_release(&win->lock);
    return uses;
}

int win_detach(struct win *win, const void *base)
{
    uint64_t first = (uint64_t)(uintptr_t)base, end = clock_ns() + IN_USE_NS;
    int error = check_dynamic(win, "MPI_Win_detach"), uses;

    if (error)
        return error;
    while ((uses = attachment_remove(win, first)) > 0 && clock_ns() < end)
        agent_progress(win);
    if (uses < 0)
        return fail(MPI_ERR_RMA_ATTACH, "base %p is not the beginning of attached memory", base);
    if (uses)
        return fail(MPI_ERR_RMA_ATTACH,
                    "base %p is in use: operations of other ranks there (%d) are not complete", base, uses);
    return MPI_SUCCESS;
}

/* The attachment that has all of these bytes; NULL: none has. The caller holds the window's lock. */
static struct own_attachment *own_find(struct win *win, uint64_t first, size_t bytes)
{
    struct attachments *a = win->attached;

    for (int i = 0; i < a->count; i++) {
        struct own_attachment *own = &a->own[i];

        if (first >= own->first && first - own->first <= own->bytes &&
            bytes <= own->bytes - (first - own->first))
            return own;
    }
    return NULL;
}

static bool own_covers(struct win *win, uint64_t first, size_t bytes)
{
    bool covers;

    lock_take(&win->lock);
    covers = own_find(win, first, bytes);
    lock_release(&win->lock);
    return covers;
}

bool attachment_use(struct win *win, uint64_t first, size_t bytes, int change)
{
    struct own_attachment *own;

    lock_take(&win->lock);
    own = own_find(win, first, bytes);
    if (own && bytes)
        own->uses += change;
    lock_release(&win->lock);
    return own;
}

static bool shown_covers(const struct attachments_shown *s, uint64_t first, size_t bytes)
{
    uint32_t count = atomic_load_explicit(&s->count, memory_order_relaxed);

    for (uint32_t i = 0; i < count && i < ATTACHMENTS_SHOWN; i++) {
        uint64_t from = atomic_load_explicit(&s->at[i].first, memory_order_relaxed),
                 room = atomic_load_explicit(&s->at[i].bytes, memory_order_relaxed);

        if (first >= from && first - from <= room && bytes <= room - (first - from))
            return true;
    }
    return count > ATTACHMENTS_SHOWN;
}

/* Reads the table once. False: its owner writes. */
static bool shown_read(struct attachments_shown *s, uint64_t first, size_t bytes, bool *covers)
{
    uint32_t before = atomic_load_explicit(&s->version, memory_order_acquire);

    *covers = shown_covers(s, first, bytes);
    atomic_thread_fence(memory_order_acquire); /* pairs with the releases of attachment_show */
    return !(before & 1) && before == atomic_load_explicit(&s->version, memory_order_relaxed);
}

/* Whoever writes is soon done, but may have lost its core, or its life. */
static int shown_await(struct win *win, struct attachments_shown *s, uint64_t first, size_t bytes,
                       bool *covers)
{
    int error = MPI_SUCCESS;

    for (unsigned i = 1; !error && !shown_read(s, first, bytes, covers); i++) {
        if (i >= SPINS)
            sched_yield();
        if (i % LOST_ROUNDS == 0)
            error = passive_look_for_losses(win);
    }
    return error;
}

int attachment_check(struct win *win, int rank, uint64_t first, size_t bytes)
{
    struct attachments_shown *shown = shown_of(win, rank);
    bool covers = true;
    int error = MPI_SUCCESS;

    if (rank == win->rank)
        covers = own_covers(win, first, bytes);
    else if (shown)
        error = shown_await(win, shown, first, bytes, &covers);
    if (error || covers)
        return error;
    return fail(MPI_ERR_RMA_RANGE, "%zu bytes at address 0x%llx are not attached by rank %d", bytes,
                (unsigned long long)first, rank);
}

unsigned char *attachment_map(struct win *win, int rank, uint64_t first, size_t bytes, bool *is_shared)
{
    *is_shared = win_control_place(win, rank) >= 0 &&
                 (rank != win->rank || heap_holds((void *)(uintptr_t)first, bytes));
    return win_maps_control(win, rank) ? win_memory_map(win, rank, first, bytes) : NULL;
}
