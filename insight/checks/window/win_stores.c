#include "insight/checks/window/win_stores.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/checks/access/win_conflict.h"
#include "insight/findings/finding.h"
#include "insight/guard/watchpoint.h"
#include "insight/memory/memory_use.h"
#include "insight/objects/win_record.h"
#include "insight/order/order_clock.h"

#include <insight/checks.h>
#include <stdlib.h>
#include <string.h>

enum {
    BYTES = 4096 /* of a window that is looked at */
};

void win_stores_before_fence(struct win_record *w)
{
    const unsigned char *now = (const unsigned char *)w->memory;
    const struct win_target *t = win_check_target(w, w->comm.rank);

    w->next_at_entry = t ? t->next : 0;
    if (!w->kept)
        return;
    if (intercept_progress() != w->kept_at) {
        win_stores_forget(w);
        return;
    }
    free(w->is_changed); /* of a fence that was refused */
    w->is_changed = calloc((size_t)w->size, sizeof *w->is_changed);
    for (int64_t i = 0; w->is_changed && i < w->size; i++)
        w->is_changed[i] = now[i] != w->kept[i];
    memcpy(w->kept, now, (size_t)w->size); /* what the stores have left there */
}

static bool has_byte(const struct access *a, int64_t byte)
{
    for (int i = 0; i < a->parts; i++)
        if (byte >= a->part[i].offset && byte < a->part[i].offset + a->part[i].length)
            return true;
    return false;
}

/* Whether the access may have left this value there. */
static bool may_have_put(const struct access *a, int64_t byte, unsigned char value)
{
    if (a->kind == ACCESS_NONE || win_access_reads(a) || (a->parts > 0 && !has_byte(a, byte)))
        return false;
    return a->is_local || !a->given || a->given_bytes[byte - a->low] == value;
}

/* The access that a store to this byte conflicts with. */
static const struct access *find_conflict(const struct win_record *w, const struct win_target *t,
                                          int64_t byte)
{
    const struct access *found = NULL;

    for (uint64_t n = w->kept_next; n < t->next; n++) {
        const struct access *a = &t->access[n % ACCESSES];

        if (may_have_put(a, byte, w->kept[byte]))
            return NULL;
        if (!a->is_local && a->origin != process.rank && a->fence == w->turn - 1 && has_byte(a, byte))
            found = a;
    }
    return found;
}

static void say_store(struct intercept *call, const struct win_record *w, const struct access *a,
                      int64_t byte)
{
    finding_add(&(struct finding_about){.class = FINDING_CONFLICT,
                                        .call = call,
                                        .other = a->place,
                                        .role = "the access",
                                        .made = w->base.site,
                                        .made_by = "the window",
                                        .fix = "put a fence between them"},
                "a store of rank %d, between this fence and the one before, and %s of rank %d access the "
                "same bytes of "
                "rank %d's window, %lld, and nothing orders them",
                w->comm.rank, procedures[a->procedure].name, a->origin, w->comm.rank, (long long)byte);
}

static bool is_stored_here(const struct win_record *w, const struct win_target *t, int64_t byte)
{
    for (uint64_t n = w->kept_next; n < t->next; n++)
        if (!t->access[n % ACCESSES].is_local && may_have_put(&t->access[n % ACCESSES], byte, w->kept[byte]))
            return false;
    return true;
}

/* MPI_MODE_NOSTORE promises that there were no stores since the fence before. Shared memory others may have stored to. */
static void look_at_promise(struct intercept *call, const struct win_record *w, const struct win_target *t)
{
    int64_t i = 0;
    bool is_known;

    board_lock();
    is_known = t->next - w->kept_next <= ACCESSES;
    while (is_known && i < w->size && !(w->is_changed[i] && is_stored_here(w, t, i)))
        i++;
    board_unlock();
    if (!is_known || i == w->size || strstr(w->base.maker->name, "shared"))
        return;
    finding_add(
        &(struct finding_about){
            .class = FINDING_EPOCH, .call = call, .fix = "take MPI_MODE_NOSTORE away where stores precede"},
        "MPI_Win_fence asserts MPI_MODE_NOSTORE, but this rank has stored to its window since the last "
        "fence, at byte %lld",
        (long long)i);
}

static void look_at_stores(struct intercept *call, const struct win_record *w)
{
    const struct win_target *t = win_check_target(w, w->comm.rank);
    struct access found = {0};
    int64_t i;

    board_lock();
    for (i = 0; i < w->size && t->next - w->kept_next <= ACCESSES && !found.kind; i++) {
        const struct access *a = w->is_changed[i] ? find_conflict(w, t, i) : NULL;

        if (a)
            found = *a;
    }
    board_unlock();
    if (found.kind)
        say_store(call, w, &found, i - 1);
}

void win_stores_forget(struct win_record *w)
{
    free(w->kept);
    free(w->is_changed);
    w->kept = NULL;
    w->is_changed = NULL;
}

void win_stores_after_fence(struct intercept *call, struct win_record *w)
{
    const struct win_target *t = win_check_target(w, w->comm.rank);

    if (w->is_changed && t && intercept_argument(call, AT_ASSERT) & MPI_MODE_NOSTORE)
        look_at_promise(call, w, t);
    if (w->is_changed && t && !call->is_reported)
        look_at_stores(call, w);
    win_stores_forget(w);
    if (!t || !w->memory || w->size <= 0 || w->size > BYTES || !(w->kept = malloc((size_t)w->size)))
        return;
    memcpy(w->kept, (const void *)w->memory, (size_t)w->size);
    w->kept_at = intercept_progress();
    /* Who has left the fence earlier may have begun an access by now, which comes later. */
    w->kept_next = w->next_at_entry;
}

/* The bytes that a small put without gaps gives. */
void win_stores_fill_given(const struct intercept *call, struct access *a)
{
    const struct type_record *type =
        type_check_find((MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE));
    int64_t bytes = a->high - a->low;

    if (a->kind != ACCESS_PUT || a->parts != 1 || bytes > GIVEN || !type || !type->is_dense ||
        intercept_argument(call, AT_COUNT) * type->extent != bytes)
        return;
    a->given = (int)bytes;
    memcpy(a->given_bytes, (const char *)(intptr_t)intercept_argument(call, AT_BUF) + type->run[0].offset,
           (size_t)bytes);
}

/* Who polls with loads has been told what the others did before their stores. */
static bool may_be_told(const struct win_record *w)
{
    return w->locks > 0 || (w->turn == 0 && !w->posted_to);
}

/* The first byte of a target's memory, which is this rank's, or shared with it. */
struct watched {
    int target, watchpoint;
    int64_t base; /* of the displacements: of memory that is attached its address */
};

/* What others put may be there before their calls are over: they have numbers by then. */
static void see_accesses(struct win_record *w, int target)
{
    board_lock();
    w->seen[target] = win_check_target(w, target)->next;
    board_unlock();
    order_learn_all(&w->comm);
}

static bool is_synced(const struct win_record *w)
{
    return atomic_load_explicit(&win_check_target(w, w->comm.rank)->is_synced, memory_order_relaxed);
}

static void access_directly(struct intercept *call, struct win_record *w, int target,
                            const struct watchpoint_hit *hit, bool has_loaded)
{
    struct access a = {.kind = hit->is_store ? ACCESS_PUT : ACCESS_GET,
                       .origin = process.rank,
                       .is_local = true,
                       .is_direct = true,
                       .is_blind = !has_loaded,
                       .is_polled = !hit->is_store && (hit->may_poll || is_synced(w)),
                       .low = hit->byte[0],
                       .interval = order_interval(),
                       .fence = w->locks || w->is_started ? 0 : w->turn,
                       .place = finding_place(hit->at),
                       .parts = hit->bytes};

    for (int i = 0; i < hit->bytes && i < PARTS; i++) {
        a.part[i] = (struct byte_run){hit->byte[i], 1};
        a.low = a.low < hit->byte[i] ? a.low : hit->byte[i];
        a.high = a.high > hit->byte[i] + 1 ? a.high : hit->byte[i] + 1;
    }
    if (a.is_polled && may_be_told(w))
        see_accesses(w, target);
    a.seen = w->seen[target];
    win_check_add(call, w, target, &a);
}

static void take_hits_of(struct intercept *call, struct win_record *w, struct watched watched)
{
    struct win_target *t = win_check_target(w, watched.target);
    struct watchpoint_hit hit;
    bool has_loaded = false;

    while (t && watchpoint_take(watched.watchpoint, &hit)) {
        for (int i = 0; i < hit.bytes; i++)
            hit.byte[i] += watched.base;
        has_loaded |= !hit.is_store;
        if (hit.is_atomic)
            atomic_store_explicit(&t->has_atomics, 1, memory_order_relaxed);
        if (!atomic_load_explicit(&t->has_atomics, memory_order_relaxed))
            access_directly(call, w, watched.target, &hit, has_loaded);
    }
}

void win_check_take_hits(struct intercept *call)
{
    for (struct win_record *w = win_check_windows(); w; w = w->older) {
        take_hits_of(call, w, (struct watched){w->comm.rank, w->watchpoint, 0});
        take_hits_of(call, w, (struct watched){w->queried, w->queried_watchpoint, 0});
        for (int i = 0; i < WIN_ATTACHED; i++)
            take_hits_of(
                call, w,
                (struct watched){w->comm.rank, w->attached[i].watchpoint, (int64_t)w->attached[i].memory});
    }
}

/* The lowest rank that has memory there stands for MPI_PROC_NULL. */
static int find_owner(MPI_Win win, const struct win_record *w, const void *memory)
{
    for (int i = 0; i < w->comm.size; i++) {
        MPI_Aint size;
        void *base;
        int unit;

        if (!real.Win_shared_query(win, i, &size, &unit, &base) && base == memory && size > 0)
            return i;
    }
    return MPI_PROC_NULL;
}

static MPI_Aint shared_size(MPI_Win win, int rank)
{
    MPI_Aint size = 0;
    void *base;
    int unit;

    return real.Win_shared_query(win, rank, &size, &unit, &base) ? 0 : size;
}

/* Another rank's memory, which the program may now use. */
void win_check_queried(struct intercept *call, int error)
{
    MPI_Win win = (MPI_Win)(intptr_t)intercept_argument(call, AT_WIN);
    struct win_record *w = win_check_find(win);
    int target = (int)intercept_argument(call, AT_TARGET);
    void *memory;

    if (error || !w || !w->shared || w->queried_watchpoint)
        return;
    memory = *(void **)(intptr_t)intercept_argument(call, AT_BASE_OUT);
    if (target == MPI_PROC_NULL)
        target = find_owner(win, w, memory);
    if (!memory || target == MPI_PROC_NULL || target == w->comm.rank)
        return;
    w->queried = target;
    w->queried_watchpoint = watchpoint_set(memory, (size_t)shared_size(win, target), WATCH_LOADS_AND_STORES);
}

void win_check_attached(struct intercept *call, int error)
{
    struct win_record *w = error ? NULL : win_check_find((MPI_Win)(intptr_t)intercept_argument(call, AT_WIN));
    struct attached *a = w ? w->attached : NULL;

    while (a && a < w->attached + WIN_ATTACHED && a->memory)
        a++;
    if (!a || a == w->attached + WIN_ATTACHED)
        return;
    a->memory = (uintptr_t)intercept_argument(call, AT_BASE);
    a->size = (uintptr_t)intercept_argument(call, AT_SIZE);
    memory_use_begin(call, (void *)a->memory, (int64_t)a->size, "MPI_Win_detach");
    if (w->shared)
        a->watchpoint = watchpoint_set((void *)a->memory, a->size, WATCH_LOADS_AND_STORES);
}

static void detach_memory(struct attached *a)
{
    watchpoint_clear(a->watchpoint);
    memory_use_end((void *)a->memory);
    *a = (struct attached){0};
}

void win_check_detaching(struct intercept *call)
{
    struct win_record *w = win_check_find((MPI_Win)(intptr_t)intercept_argument(call, AT_WIN));

    for (int i = 0; w && i < WIN_ATTACHED; i++)
        if (w->attached[i].memory && w->attached[i].memory == (uintptr_t)intercept_argument(call, AT_BASE)) {
            memory_use_look(call, (void *)w->attached[i].memory);
            detach_memory(&w->attached[i]);
        }
}

void win_check_detach_all(struct win_record *w)
{
    for (int i = 0; i < WIN_ATTACHED; i++)
        detach_memory(&w->attached[i]);
}
