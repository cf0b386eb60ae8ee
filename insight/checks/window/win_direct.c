#include "insight/checks/window/win_direct.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/checks/access/win_conflict.h"
#include "insight/findings/finding.h"
#include "insight/guard/watchpoint.h"
#include "insight/memory/memory_use.h"
#include "insight/objects/win_access.h"
#include "insight/order/order_clock.h"

#include <insight/checks.h>

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
