#include "win/attachment.h"

#include "base/live.h"
#include "memory/heap.h"
#include "memory/memory.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "win/agent.h"
#include "win/control.h"
#include "win/win_make.h"

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
        int64_t uses;                     /* runs of operations that the agent has begun there */
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

/* Removes an attachment that nobody uses. Returns how much uses it; -1: there is none that begins here. */
static int64_t attachment_remove(struct win *win, uint64_t first)
{
    struct attachments *a = win->attached;
    int64_t uses;
    int i;

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
    int error = check_dynamic(win, "MPI_Win_detach");
    int64_t uses;

    if (error)
        return error;
    while ((uses = attachment_remove(win, first)) > 0 && clock_ns() < end)
        win_progress(win);
    if (uses < 0)
        return fail(MPI_ERR_RMA_ATTACH, "base %p is not the beginning of attached memory", base);
    if (uses)
        return fail(MPI_ERR_RMA_ATTACH, "base %p is in use: operations of other ranks there are not complete",
                    base);
    return MPI_SUCCESS;
}

/* Goes along memory of a rank, from attachment to attachment. */
struct along {
    struct win *win;
    int rank;
    uint64_t first, bytes;      /* the attachment that was found last */
    struct own_attachment *own; /* it, if it is this rank's; the caller holds the window's lock */
    int found;                  /* how often another one was looked for */
    int change;                 /* of the uses of each one of this rank's */
    uint64_t missing;           /* address of a byte that is not attached */
};

static bool attachment_has(uint64_t first, uint64_t bytes, uint64_t at)
{
    return at - first < bytes;
}

static void own_find(struct along *along, uint64_t at)
{
    struct attachments *a = along->win->attached;

    for (int i = 0; i < a->count; i++) {
        struct own_attachment *own = &a->own[i];

        if (!attachment_has(own->first, own->bytes, at))
            continue;
        along->own = own;
        along->first = own->first;
        along->bytes = own->bytes;
        return;
    }
}

static bool shown_has(const struct attachment *at, uint32_t count, uint64_t byte, struct along *a)
{
    for (uint32_t i = 0; i < count; i++) {
        a->first = atomic_load_explicit(&at[i].first, memory_order_relaxed);
        a->bytes = atomic_load_explicit(&at[i].bytes, memory_order_relaxed);
        if (attachment_has(a->first, a->bytes, byte))
            return true;
    }
    a->bytes = 0;
    return false;
}

/* Whether the table has not changed since it had this version. */
static bool shown_is_still(const struct attachments_shown *s, uint32_t version)
{
    atomic_thread_fence(memory_order_acquire); /* pairs with the releases of attachment_show */
    return !(version & 1) && version == atomic_load_explicit(&s->version, memory_order_relaxed);
}

/* Looks for a byte in the table of the rank once. False: its owner writes. *error: this process cannot map all of it. */
static bool shown_find(struct along *a, uint64_t at, int *error)
{
    const struct attachments_shown *s = shown_of(a->win, a->rank);
    uint32_t version = atomic_load_explicit(&s->version, memory_order_acquire),
             count = atomic_load_explicit(&s->count, memory_order_relaxed),
             here = count < ATTACHMENTS_SHOWN ? count : ATTACHMENTS_SHOWN;
    uint64_t address = atomic_load_explicit(&s->more, memory_order_relaxed);
    const struct attachment *more;

    if (!shown_is_still(s, version)) /* what follows follows an address */
        return false;
    *error = MPI_SUCCESS;
    if (!shown_has(s->at, here, at, a) && count > here) {
        more = win_memory_map(a->win, a->rank, address, (count - here) * sizeof *more);
        if (more)
            shown_has(more, count - here, at, a);
        else
            *error = fail(MPI_ERR_NO_MEM, "no room to map what rank %d has attached", a->rank);
    }
    return shown_is_still(s, version);
}

/* Who writes is soon done, but may have lost its core, or its life. */
static int shown_await(struct along *a, uint64_t at)
{
    int error = MPI_SUCCESS;

    for (unsigned i = 1; !error && !shown_find(a, at, &error); i++) {
        if (i >= SPINS)
            sched_yield();
        error = i % LOST_ROUNDS ? MPI_SUCCESS : control_look_for_losses(a->win);
    }
    return error;
}

/* Finds the attachment that has this byte. MPI_ERR_RMA_RANGE, without a note: none has. */
static int along_find(struct along *a, uint64_t at)
{
    int error = MPI_SUCCESS;

    if (attachment_has(a->first, a->bytes, at))
        return MPI_SUCCESS;
    a->bytes = 0;
    a->found++;
    if (a->rank == a->win->rank)
        own_find(a, at);
    else
        error = shown_await(a, at);
    if (error || a->bytes)
        return error;
    a->missing = at;
    return MPI_ERR_RMA_RANGE;
}

static int along_range(struct along *a, uint64_t at, size_t bytes)
{
    int error = MPI_SUCCESS;

    while (bytes && !(error = along_find(a, at))) {
        uint64_t rest = a->first + a->bytes - at, n = rest < bytes ? rest : bytes;

        if (a->own)
            a->own->uses += a->change;
        at += n;
        bytes -= n;
    }
    return error;
}

/* Each run of the target's data. */
static int along_runs(struct along *a, const struct target *t)
{
    size_t total, done = 0;
    int error = datatype_bytes(t->type, t->count, &total);

    while (done < total && !error) {
        struct runs r = target_runs(t, (void *)(uintptr_t)t->address, done, total);

        for (; r.count && done < total && !error; r.count--) {
            size_t n = (size_t)r.bytes < total - done ? (size_t)r.bytes : total - done;

            error = along_range(a, (uint64_t)(uintptr_t)r.at, n);
            done += n;
            r.at = layout_at(r.at, r.stride);
        }
    }
    return error;
}

/* Whether all of the target's data are attached. What lies between them need not be. */
static int along_target(struct along *a, const struct target *t, MPI_Count begin, size_t bytes)
{
    int error = along_range(a, t->address + (uint64_t)begin, bytes);

    if (error == MPI_ERR_RMA_RANGE && !t->type->dense)
        error = along_runs(a, t);
    if (error != MPI_ERR_RMA_RANGE)
        return error;
    return fail(error, "%zu bytes from address 0x%llx on: the one at 0x%llx is not attached by rank %d",
                bytes, (unsigned long long)(t->address + (uint64_t)begin), (unsigned long long)a->missing,
                t->rank);
}

/* Adds to the uses of each attachment that has some of the target's data. The same calls find the same ones, since those in
 * use stay. The caller holds the window's lock. */
static void change_uses(const struct target *t, MPI_Count begin, size_t bytes, int change)
{
    struct along span = {.win = t->win, .rank = t->rank},
                 runs = {.win = t->win, .rank = t->rank, .change = change};

    if (!along_range(&span, t->address + (uint64_t)begin, bytes) && span.found == 1)
        span.own->uses += change;
    else
        along_runs(&runs, t);
}

/* Where this process loads and stores the target's data, all of which are attached. */
static void attachment_map(struct target *t, MPI_Count begin, size_t bytes)
{
    struct win *win = t->win;
    uint64_t first = t->address + (uint64_t)begin;
    void *at = win_maps_control(win, t->rank) ? win_memory_map(win, t->rank, first, bytes) : NULL;

    t->is_mapped = t->rank == win->rank || at;
    t->is_shared = t->is_mapped && win_control_place(win, t->rank) >= 0 &&
                   (t->rank != win->rank || heap_holds((void *)(uintptr_t)first, bytes));
    t->at = t->is_mapped ? (unsigned char *)layout_at(at, -begin) : NULL;
}

int attachment_find(struct target *t, MPI_Count begin, size_t bytes)
{
    struct along a = {.win = t->win, .rank = t->rank};
    bool is_mine = t->rank == t->win->rank;
    int error = MPI_SUCCESS;

    if (is_mine)
        lock_take(&t->win->lock);
    if (is_mine || shown_of(t->win, t->rank))
        error = along_target(&a, t, begin, bytes);
    if (is_mine)
        lock_release(&t->win->lock);
    if (error)
        return error;
    attachment_map(t, begin, bytes);
    t->is_apart = a.found > 1 && !t->is_shared;
    return MPI_SUCCESS;
}

void attachment_find_part(struct target *t, size_t bytes)
{
    attachment_map(t, 0, bytes);
    t->is_apart = false;
}

int attachment_use(struct target *t)
{
    struct along a = {.win = t->win, .rank = t->rank};
    MPI_Count begin;
    size_t bytes;
    int error = datatype_span(t->type, t->count, &begin, &bytes);

    if (error || !bytes)
        return error;
    lock_take(&t->win->lock);
    error = along_target(&a, t, begin, bytes);
    if (!error)
        change_uses(t, begin, bytes, 1);
    lock_release(&t->win->lock);
    if (error)
        return error;
    attachment_map(t, begin, bytes);
    t->is_apart = a.found > 1 && !t->is_shared;
    return MPI_SUCCESS;
}

void attachment_end_use(const struct target *t)
{
    MPI_Count begin;
    size_t bytes;

    if (datatype_span(t->type, t->count, &begin, &bytes) || !bytes)
        return;
    lock_take(&t->win->lock);
    change_uses(t, begin, bytes, -1);
    lock_release(&t->win->lock);
}
