#include "insight/win_check.h"

#include "insight/board.h"
#include "insight/checks.h"
#include "insight/collective_check.h"
#include "insight/error_check.h"
#include "insight/finding.h"
#include "insight/order_clock.h"
#include "insight/process_state.h"
#include "insight/request_check.h"
#include "insight/type_check.h"

#include <stdlib.h>
#include <string.h>

enum {
    ACCESSES = 64 /* to a target, the last ones */
};

enum access_kind {
    ACCESS_NONE,
    ACCESS_GET,
    ACCESS_PUT,
    ACCESS_ACCUMULATE
};

struct access {
    int kind, origin; /* rank in MPI_COMM_WORLD */
    int64_t low, high;
    uint64_t interval, completed;
    uint64_t fence; /* its epoch; 0: of locks */
    uint64_t op;
    uint32_t procedure;
    struct call_place place;
};

struct win_target {
    int64_t unit;
    uint64_t next;
    struct access access[ACCESSES];
};

static struct win_target *target_of(const struct win_record *w, int rank)
{
    return w->shared && rank >= 0 && rank < w->comm.size ? (struct win_target *)board_at(w->shared) + rank
                                                         : NULL;
}

struct win_record *win_check_find(MPI_Win win)
{
    return tracked_find(TRACKED_WIN, (uint64_t)(uintptr_t)win);
}

static struct win_record *win_of(const struct intercept *call)
{
    return intercept_has(call, AT_WIN) ? win_check_find((MPI_Win)(intptr_t)intercept_argument(call, AT_WIN))
                                       : NULL;
}

const struct comm_record *win_check_comm(const struct intercept *call)
{
    struct win_record *w = win_of(call);

    if (!w && call->procedure->family == FAMILY_WIN_FREE)
        w = win_check_find((MPI_Win)(intptr_t)call->saved[0]);
    return w ? &w->comm : NULL;
}

/* Where the members find each other's accesses: an entry of the table with the window's number. */
static uint64_t share_targets(uint64_t number, int size)
{
    struct win_share {
        uint64_t next, number, targets;
    } * share;
    uint64_t *slot = &board->table[(number * 31) % BOARD_TABLES], targets;

    board_lock();
    for (; *slot; slot = &share->next) {
        share = board_at(*slot);
        if (share->number == (number ^ 0x77696e))
            break;
    }
    if (!*slot && (*slot = board_allocate(64))) {
        share = board_at(*slot);
        share->number = number ^ 0x77696e;
        share->targets = board_allocate((size_t)size * sizeof(struct win_target));
    }
    targets = *slot ? ((struct win_share *)board_at(*slot))->targets : 0;
    board_unlock();
    return targets;
}

static bool has_hint(MPI_Win win, const char *key, const char *wanted)
{
    MPI_Info info = MPI_INFO_NULL;
    char value[32] = "";
    int size = sizeof value, flag = 0;

    if (real.Win_get_info(win, &info))
        return false;
    real.Info_get_string(info, key, &size, value, &flag);
    real.Info_free(&info);
    return flag && strcmp(value, wanted) == 0;
}

void win_check_made(struct intercept *call, int error)
{
    MPI_Win *win = (MPI_Win *)(intptr_t)intercept_argument(call, AT_NEW);
    struct comm_record *comm = comm_check_of(call);
    struct win_record *w =
        error || !comm ? NULL : tracked_add(TRACKED_WIN, (uint64_t)(uintptr_t)*win, sizeof *w, call);

    collective_check_after(call, error);
    if (!w)
        return;
    w->comm = *comm;
    w->comm.number = comm_check_derive(comm);
    w->comm.world = comm->world ? malloc((size_t)(comm->targets + 1) * sizeof *comm->world) : NULL;
    if (w->comm.world)
        memcpy(w->comm.world, comm->world, (size_t)comm->targets * sizeof *comm->world);
    if (w->comm.world && process.is_shared && process.size <= ORDER_RANKS)
        w->shared = share_targets(w->comm.number, comm->size);
    if (w->shared)
        target_of(w, comm->rank)->unit =
            intercept_has(call, AT_DISP_UNIT) ? intercept_argument(call, AT_DISP_UNIT) : 1;
    order_start();
    w->completed = 1;
    w->is_same_op = has_hint(*win, "accumulate_ops", "same_op");
    error_check_take_win(*win);
    real.Barrier((MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM)); /* units are on the board */
}

static void enter_window(struct intercept *call, struct win_record *w)
{
    order_tell();
    if (w)
        collective_check_enter_object(call, &w->comm, w->comm.number, ++w->turn);
}

void win_check_freeing(struct intercept *call)
{
    MPI_Win *win = (MPI_Win *)(intptr_t)intercept_argument(call, AT_WIN);
    struct win_record *w = win ? win_check_find(*win) : NULL;

    call->saved[0] = (int64_t)(intptr_t)(win ? *win : MPI_WIN_NULL);
    enter_window(call, w);
}

void win_check_freed(struct intercept *call, int error)
{
    struct win_record *w = win_check_find((MPI_Win)(intptr_t)call->saved[0]);

    if (error || !w)
        return;
    order_learn_all(&w->comm);
    free(w->comm.world);
    tracked_remove(TRACKED_WIN, w->base.handle);
}

static void completed(struct intercept *call, bool learns)
{
    struct win_record *w = win_of(call);

    if (!w)
        return;
    w->completed++;
    order_tell();
    if (learns)
        order_learn_all(&w->comm);
}

void win_check_fence(struct intercept *call)
{
    enter_window(call, win_of(call));
}

void win_check_fenced(struct intercept *call, int error)
{
    if (!error)
        completed(call, true);
}

void win_check_start(struct intercept *call)
{
    (void)call;
}

void win_check_started(struct intercept *call, int error)
{
    if (!error && win_of(call))
        order_learn_all(&win_of(call)->comm);
}

void win_check_complete(struct intercept *call)
{
    (void)call;
    order_tell();
}

void win_check_completed(struct intercept *call, int error)
{
    if (!error)
        completed(call, false);
}

void win_check_post(struct intercept *call)
{
    (void)call;
    order_tell();
}

void win_check_wait(struct intercept *call)
{
    (void)call;
}

void win_check_waited(struct intercept *call, int error)
{
    if (!error && win_of(call))
        order_learn_all(&win_of(call)->comm);
}

void win_check_lock(struct intercept *call)
{
    (void)call;
}

/* An exclusive lock orders what its holders do. */
void win_check_locked(struct intercept *call, int error)
{
    struct win_record *w = win_of(call);

    if (!error && w)
        w->locks++;
    if (!error && w && intercept_has(call, AT_LOCK_TYPE) &&
        intercept_argument(call, AT_LOCK_TYPE) == MPI_LOCK_EXCLUSIVE)
        order_learn_all(&w->comm);
}

void win_check_unlock(struct intercept *call)
{
    (void)call;
    order_tell();
}

void win_check_unlocked(struct intercept *call, int error)
{
    if (!error && win_of(call))
        win_of(call)->locks--;
    if (!error)
        completed(call, false);
}

void win_check_flush(struct intercept *call)
{
    (void)call;
}

void win_check_flushed(struct intercept *call, int error)
{
    if (!error)
        completed(call, call->procedure->family == FAMILY_WIN_SYNC);
}

static enum access_kind kind_of_call(const struct intercept *call)
{
    const char *name = call->procedure->name;

    if (strstr(name, "ccumulate") || strstr(name, "Fetch") || strstr(name, "Compare"))
        return ACCESS_ACCUMULATE;
    return strstr(name, "et") ? ACCESS_GET : ACCESS_PUT;
}

static bool fill_access(const struct intercept *call, const struct win_record *w, const struct win_target *t,
                        struct access *a)
{
    enum role type = intercept_has(call, AT_TARGET_TYPE) ? AT_TARGET_TYPE : AT_TYPE;
    int64_t count = intercept_has(call, AT_TARGET_COUNT) ? intercept_argument(call, AT_TARGET_COUNT) : 1;
    uintptr_t low, high, base = UINT64_C(1) << 62;

    if (!type_check_span((void *)base, count, (MPI_Datatype)(intptr_t)intercept_argument(call, type), &low,
                         &high))
        return false;
    *a = (struct access){.kind = kind_of_call(call),
                         .origin = process.rank,
                         .low = intercept_argument(call, AT_DISP) * t->unit + (int64_t)(low - base),
                         .high = intercept_argument(call, AT_DISP) * t->unit + (int64_t)(high - base),
                         .interval = order_interval(),
                         .completed = w->completed,
                         .fence = w->locks ? 0 : w->turn,
                         .op = (uint64_t)intercept_argument(call, AT_OP),
                         .procedure = (uint32_t)(call->procedure - procedures),
                         .place = finding_place(call->site)};
    return true;
}

static bool conflicts(const struct win_record *w, const struct access *old, const struct access *new)
{
    if (!old->kind || old->low >= new->high || new->low >= old->high)
        return false;
    if (old->kind == new->kind && old->kind != ACCESS_PUT && !(old->op != new->op && w->is_same_op))
        return false;
    if (old->origin == new->origin)
        return old->completed == w->completed;
    if (old->fence && old->fence == new->fence)
        return true;
    return !order_is_known(old->origin, old->interval);
}

static void say_conflict(struct intercept *call, const struct win_record *w, const struct access *old,
                         const struct access *new)
{
    int64_t low = old->low > new->low ? old->low : new->low,
            high = old->high < new->high ? old->high : new->high;

    bool is_hint = old->kind == ACCESS_ACCUMULATE && new->kind == ACCESS_ACCUMULATE;

    finding_add(&(struct finding_about){.class = is_hint ? FINDING_HINT : FINDING_CONFLICT,
                                        .call = call,
                                        .other = old->place,
                                        .role = "the other access",
                                        .made = w->base.site,
                                        .made_by = "the window",
                                        .fix = "put a synchronization between them, or use accumulates"},
                "%s of rank %d and %s of rank %d access the same bytes of rank %lld's window, %lld to %lld, "
                "and nothing orders them%s",
                procedures[new->procedure].name, new->origin, procedures[old->procedure].name, old->origin,
                (long long)intercept_argument(call, AT_TARGET), (long long)low, (long long)high - 1,
                is_hint ? "; their operations differ, and accumulate_ops=same_op is asserted" : "");
}

/* An access that was refused did not happen. */
static void check_access(struct intercept *call)
{
    struct win_record *w = win_of(call);
    struct win_target *t = w ? target_of(w, (int)intercept_argument(call, AT_TARGET)) : NULL;
    struct access new, old = {0};

    if (!t || !fill_access(call, w, t, &new))
        return;
    board_lock();
    for (int i = 0; i < ACCESSES && !old.kind; i++)
        if (conflicts(w, &t->access[i], &new))
            old = t->access[i];
    t->access[t->next++ % ACCESSES] = new;
    board_unlock();
    if (old.kind)
        say_conflict(call, w, &old, &new);
    if (new.kind == ACCESS_ACCUMULATE) { /* programs synchronize by them */
        order_tell();
        order_learn_all(&w->comm);
    }
}

void win_check_accessed(struct intercept *call, int error)
{
    if (!error)
        check_access(call);
}

void win_check_rma_done(struct intercept *call, int error)
{
    win_check_accessed(call, error);
    request_check_made(call, error);
}
