#include "win/attachment.h"

#include "base/clock.h"
#include "base/fail.h"
#include "base/live.h"
#include "memory/heap.h"
#include "memory/memory.h"
#include "win/agent.h"
#include "win/passive.h"
#include "win/win_memory.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    MORE_FIRST =
        64, /* attachments in the first block behind those shown, and twice as many in each that follows */
    MORE_BLOCKS = 24, /* room for any number that memory holds */
    SPINS = 128,      /* reads of a table that changes before this process yields */
    LOST_ROUNDS = 512 /* of these, until it asks whether the table's owner lives */
};
/* A get may be complete at its origin before this process has heard of it: so long MPI_Win_detach waits for that. */
#define IN_USE_NS UINT64_C(1000000000)

struct attachments {
    int count, room;
    struct own_attachment {
        uint64_t first, bytes;
        int uses;                         /* operations that the agent has begun there */
    } * own;                              /* guarded by the window's lock */
    struct attachment *more[MORE_BLOCKS]; /* owned; the last one is in use */
    int blocks;
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
    for (int i = 0; i < win->attached->blocks; i++)
        memory_free(win->attached->more[i]);
    live_add(LIVE_ATTACHMENTS, -1);
    free(win->attached->own);
    free(win->attached);
    win->attached = NULL;
}

/* Makes room in the shared table for so many attachments. The caller holds the window's lock. */
static int show_room(struct win *win, int count)
{
    struct attachments *a = win->attached;
    int room = ATTACHMENTS_SHOWN + (a->blocks ? MORE_FIRST << (a->blocks - 1) : 0);
    size_t bytes = ((size_t)MORE_FIRST << a->blocks) * sizeof(struct attachment);
    void *block;
    int error;

    if (!shown_of(win, win->rank) || count <= room)
        return MPI_SUCCESS;
    error = memory_alloc(bytes, MEMORY_ALIGNMENT, &block);
    if (error)
        return error;
    if (a->blocks < MORE_BLOCKS && heap_holds(block, bytes)) {
        a->more[a->blocks++] = block;
        return MPI_SUCCESS;
    }
    memory_free(block);
    return fail(MPI_ERR_NO_MEM, "no shared memory to show attachment %d of a window to other ranks", count);
}

/* Copies the list to the shared table, which has room. The caller holds the window's lock. */
static void attachment_show(struct win *win)
{
    struct attachments *a = win->attached;
    struct attachments_shown *shown = shown_of(win, win->rank);
    struct attachment *more = a->blocks ? a->more[a->blocks - 1] : NULL;

    if (!shown)
        return;
    atomic_fetch_add_explicit(&shown->version, 1, memory_order_acq_rel);
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < a->count; i++) {
        struct attachment *at = i < ATTACHMENTS_SHOWN ? &shown->at[i] : &more[i - ATTACHMENTS_SHOWN];

        atomic_store_explicit(&at->first, a->own[i].first, memory_order_relaxed);
        atomic_store_explicit(&at->bytes, a->own[i].bytes, memory_order_relaxed);
    }
    atomic_store_explicit(&shown->more, (uint64_t)(uintptr_t)more, memory_order_relaxed);
    atomic_store_explicit(&shown->count, (uint32_t)a->count, memory_order_relaxed);
    atomic_fetch_add_explicit(&shown->version, 1, memory_order_release);
}

/* The caller holds the window's lock. */
static int attachment_add(struct win *win, uint64_t first, uint64_t bytes)
{
    struct attachments *a = win->attached;
    int error;

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
    error = show_room(win, a->count + 1);
    if (error)
        return error;
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

/* The attachment that begins here; where one of no bytes does too, not that one. -1: none does. The caller holds the
 * window's lock. */
static int own_beginning(const struct attachments *a, uint64_t first)
{
    int found = -1;

    for (int i = 0; i < a->count; i++)
        if (a->own[i].first == first && (found < 0 || a->own[i].bytes))
            found = i;
    return found;
}

/* Removes an attachment that nobody uses. Returns how many operations use it; -1: there is none that begins here. */
static int attachment_remove(struct win *win, uint64_t first)
{
    struct attachments *a = win->attached;
    int uses, i;

    lock_take(&win->lock);
    i = own_beginning(a, first);
    uses = i < 0 ? -1 : a->own[i].uses;
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

static bool covers(const struct attachment *at, uint32_t count, uint64_t first, size_t bytes)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t from = atomic_load_explicit(&at[i].first, memory_order_relaxed),
                 room = atomic_load_explicit(&at[i].bytes, memory_order_relaxed);

        if (first >= from && first - from <= room && bytes <= room - (first - from))
            return true;
    }
    return false;
}

/* Whether the table has not changed since it had this version. */
static bool shown_is_still(const struct attachments_shown *s, uint32_t version)
{
    atomic_thread_fence(memory_order_acquire); /* pairs with the releases of attachment_show */
    return !(version & 1) && version == atomic_load_explicit(&s->version, memory_order_relaxed);
}

/* Reads the table of a rank once. False: its owner writes. *verdict: MPI_SUCCESS: it covers the bytes;
 * MPI_ERR_RMA_RANGE: it does not; MPI_ERR_NO_MEM: this process cannot map it. */
static bool shown_read(struct win *win, int rank, uint64_t first, size_t bytes, int *verdict)
{
    const struct attachments_shown *s = shown_of(win, rank);
    uint32_t version = atomic_load_explicit(&s->version, memory_order_acquire),
             count = atomic_load_explicit(&s->count, memory_order_relaxed),
             here = count < ATTACHMENTS_SHOWN ? count : ATTACHMENTS_SHOWN;
    uint64_t address = atomic_load_explicit(&s->more, memory_order_relaxed);
    const struct attachment *more;

    if (!shown_is_still(s, version)) /* what follows follows an address */
        return false;
    *verdict = covers(s->at, here, first, bytes) ? MPI_SUCCESS : MPI_ERR_RMA_RANGE;
    if (*verdict && count > here) {
        more = win_memory_map(win, rank, address, (count - here) * sizeof *more);
        *verdict = !more                                      ? MPI_ERR_NO_MEM
                   : covers(more, count - here, first, bytes) ? MPI_SUCCESS
                                                              : MPI_ERR_RMA_RANGE;
    }
    return shown_is_still(s, version);
}

/* Whoever writes is soon done, but may have lost its core, or its life. */
static int shown_await(struct win *win, int rank, uint64_t first, size_t bytes, int *verdict)
{
    int error = MPI_SUCCESS;

    for (unsigned i = 1; !error && !shown_read(win, rank, first, bytes, verdict); i++) {
        if (i >= SPINS)
            sched_yield();
        if (i % LOST_ROUNDS == 0)
            error = passive_look_for_losses(win);
    }
    return error;
}

int attachment_check(struct win *win, int rank, uint64_t first, size_t bytes)
{
    int verdict = MPI_SUCCESS, error = MPI_SUCCESS;

    if (rank == win->rank)
        verdict = own_covers(win, first, bytes) ? MPI_SUCCESS : MPI_ERR_RMA_RANGE;
    else if (shown_of(win, rank))
        error = shown_await(win, rank, first, bytes, &verdict);
    if (error || !verdict)
        return error;
    if (verdict == MPI_ERR_NO_MEM)
        return fail(verdict, "no room to map what rank %d has attached", rank);
    return fail(MPI_ERR_RMA_RANGE, "%zu bytes at address 0x%llx are not attached by rank %d", bytes,
                (unsigned long long)first, rank);
}

unsigned char *attachment_map(struct win *win, int rank, uint64_t first, size_t bytes, bool *is_shared)
{
    *is_shared = win_control_place(win, rank) >= 0 &&
                 (rank != win->rank || heap_holds((void *)(uintptr_t)first, bytes));
    return win_maps_control(win, rank) ? win_memory_map(win, rank, first, bytes) : NULL;
}
