/* win_check: accesses to windows that conflict (MPI-5.0 section 12.7), and what is left open.
 *
 * Each target has the last accesses to it on the board: bytes, kind, origin, interval (order_clock.h). A new access is compared with
 * those that overlap it. Between two ranks it conflicts unless they are ordered; of one rank, unless the earlier one has been
 * completed. Accumulates do not conflict with each other. Memory of the window that its rank sends from or receives into, by a call
 * that is complete when it returns, is accessed, too. Of loads and
 * stores of the program those are seen that have the first byte of a window's memory, as far as watchpoint.h has room, and some stores between
 * two fences (win_stores.h).
 */
#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/call/call_lock.h"
#include "insight/checks/access/win_conflict.h"
#include "insight/checks/buffer/buffer_use.h"
#include "insight/checks/collective/collective_check.h"
#include "insight/checks/object/object_check.h"
#include "insight/checks/request/request_check.h"
#include "insight/checks/window/win_stores.h"
#include "insight/findings/finding.h"
#include "insight/guard/watchpoint.h"
#include "insight/memory/memory_use.h"
#include "insight/objects/comm_loss.h"
#include "insight/objects/info_value.h"
#include "insight/objects/type_check.h"
#include "insight/objects/win_record.h"
#include "insight/order/order_clock.h"

#include <insight/checks.h>
#include <stdlib.h>
#include <string.h>

/* Of an epoch of MPI_Win_start: MPI_Win_post may come as late as MPI_Win_complete waits, so they are compared then. */
struct late_access {
    struct late_access *next;
    struct access access;
    int target;
};

/* Where the members find each other's accesses: an entry of the table with the window's number. */
struct win_share {
    uint64_t next, number, targets;
    int users; /* members that have not freed the window */
};

static uint64_t *share_slot(uint64_t number)
{
    uint64_t *slot = &board->table[(number * 31) % BOARD_TABLES];

    while (*slot && ((struct win_share *)board_at(*slot))->number != (number ^ 0x77696e))
        slot = &((struct win_share *)board_at(*slot))->next;
    return slot;
}

/* The caller has the lock. */
static uint64_t make_share(uint64_t *slot, uint64_t number, int size)
{
    uint64_t offset = board_allocate(sizeof(struct win_share)), targets;

    targets = offset ? board_allocate(win_check_size(size)) : 0;
    if (!targets) {
        if (offset)
            board_free(offset, sizeof(struct win_share));
        finding_list_leave_out(&board->list, UNCHECKED_WINDOWS);
        return 0;
    }
    *(struct win_share *)board_at(offset) =
        (struct win_share){.number = number ^ 0x77696e, .targets = targets};
    *slot = offset;
    return offset;
}

static uint64_t share_targets(uint64_t number, int size)
{
    uint64_t *slot, offset, targets = 0;

    board_lock();
    slot = share_slot(number);
    offset = *slot ? *slot : make_share(slot, number, size);
    if (offset) {
        struct win_share *share = board_at(offset);

        share->users++;
        targets = share->targets;
    }
    board_unlock();
    return targets;
}

/* The last member gives the memory back. */
static void leave_targets(const struct win_record *w)
{
    uint64_t *slot, offset;
    struct win_share *share;

    if (!w->shared)
        return;
    board_lock();
    slot = share_slot(w->comm.number);
    offset = *slot;
    share = offset ? board_at(offset) : NULL;
    if (share && --share->users == 0) {
        *slot = share->next;
        board_free(share->targets, win_check_size(w->comm.size));
        board_free(offset, sizeof *share);
    }
    board_unlock();
}

static void learn_order(const struct intercept *call, struct win_record *w, MPI_Info info)
{
    char value[64];

    info_value_read(info, "accumulate_ordering", value, sizeof value);
    w->is_unordered = *value && !strstr(value, "waw");
    if (w->is_unordered)
        w->unordered_at = call->site;
}

/* What is asserted from now on; accumulate_ops is fixed when the window is made. */
static void learn_hints(struct intercept *call, struct win_record *w, MPI_Win win)
{
    MPI_Info info = MPI_INFO_NULL;
    char value[32];

    if (real.Win_get_info(win, &info) || info == MPI_INFO_NULL)
        return;
    info_value_add_given(call, info);
    info_value_read(info, "accumulate_ops", value, sizeof value);
    w->is_same_op = strcmp(value, "same_op") == 0;
    learn_order(call, w, info);
    kind_check_learn(call, &w->comm, info);
    real.Info_free(&info);
}

void win_check_info(struct intercept *call, int error)
{
    struct win_record *w = win_check_of(call);

    if (!error && w)
        learn_hints(call, w, (MPI_Win)(intptr_t)intercept_argument(call, AT_WIN));
}

/* Of MPI_Win_create, or what the library below has allocated. */
static uintptr_t memory_of(const struct intercept *call)
{
    const uintptr_t *made = (const uintptr_t *)(intptr_t)intercept_argument(call, AT_BASE_OUT);

    return made ? *made : (uintptr_t)intercept_argument(call, AT_BASE);
}

/* They are on the board when all have come; if one does not come any more, the window is over. */
static void tell_units(MPI_Comm comm)
{
    MPI_Errhandler handler = comm_quiet_begin(comm);

    call_lock_release(); /* other threads of those that are awaited may need theirs */
    real.Barrier(comm);
    call_lock_take();
    comm_quiet_end(comm, handler);
}

void win_check_made(struct intercept *call, int error)
{
    MPI_Win *win = (MPI_Win *)(intptr_t)intercept_argument(call, AT_NEW);
    struct comm_record *comm = comm_check_of(call);
    struct win_record *w =
        error || !comm ? NULL : tracked_add(TRACKED_WIN, (uint64_t)(uintptr_t)*win, sizeof *w, call);

    if (!w) {
        if (!error) /* the others wait */
            tell_units((MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM));
        return;
    }
    w->comm = *comm;
    w->comm.kinds = 0;
    w->comm.number = comm_check_derive(comm);
    w->comm.world =
        comm->world ? tracked_must(malloc((size_t)(comm->targets + 1) * sizeof *comm->world)) : NULL;
    if (w->comm.world)
        memcpy(w->comm.world, comm->world, (size_t)comm->targets * sizeof *comm->world);
    if (w->comm.world && process.is_shared && process.size <= ORDER_RANKS)
        w->shared = share_targets(w->comm.number, comm->size);
    if (w->shared)
        win_check_target(w, comm->rank)->unit =
            intercept_has(call, AT_DISP_UNIT) ? intercept_argument(call, AT_DISP_UNIT) : 1;
    w->memory = memory_of(call);
    w->size = intercept_argument(call, AT_SIZE);
    if (intercept_has(call, AT_BASE))
        memory_use_begin(call, (void *)w->memory, w->size, "MPI_Win_free");
    if (w->shared && w->size > 0)
        w->watchpoint = watchpoint_set((void *)w->memory, (size_t)w->size, WATCH_LOADS_AND_STORES);
    win_check_keep(w);
    order_start();
    w->completed = 1;
    w->late_end = &w->late;
    error_check_take_win(*win); /* errors of the next call are not the program's */
    learn_hints(call, w, *win);
    kind_check_window(call, &w->comm);
    tell_units((MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM));
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
    if (w) {
        memory_use_look(call, (void *)w->memory);
        win_check_end(w, -1, false);
    }
    enter_window(call, w);
}

void win_check_freed(struct intercept *call, int error)
{
    struct win_record *w = win_check_find((MPI_Win)(intptr_t)call->saved[0]);

    if (!w || (error && *(MPI_Win *)(intptr_t)intercept_argument(call, AT_WIN) != MPI_WIN_NULL))
        return;
    order_learn_all(&w->comm);
    request_check_release(call, w, -1);
    if (w->shared)
        win_doubt_tell(call, w);
    memory_use_end((void *)w->memory);
    watchpoint_clear(w->watchpoint);
    watchpoint_clear(w->queried_watchpoint);
    win_check_detach_all(w);
    win_check_forget(w);
    leave_targets(w);
    win_stores_forget(w);
    free(w->comm.world);
    free(w->posted_to);
    free(w->started_to);
    tracked_remove(TRACKED_WIN, w->base.handle);
}

/* -1: all. */
static int target_of(const struct intercept *call)
{
    return intercept_has(call, AT_TARGET) ? (int)intercept_argument(call, AT_TARGET) : -1;
}

static void completed(struct intercept *call, bool learns)
{
    struct win_record *w = win_check_of(call);

    if (!w)
        return;
    w->completed++;
    if (call->procedure->family != FAMILY_WIN_SYNC)
        request_check_release(call, w, target_of(call));
    order_tell();
    if (learns || w->has_fetched)
        order_learn_all(&w->comm);
    w->has_fetched = false;
}

void win_check_fence(struct intercept *call)
{
    struct win_record *w = win_check_of(call);

    if (w && w->fence_used && w->fence_used == w->turn &&
        intercept_argument(call, AT_ASSERT) & MPI_MODE_NOPRECEDE)
        finding_add(&(struct finding_about){.class = FINDING_EPOCH,
                                            .call = call,
                                            .fix = "take MPI_MODE_NOPRECEDE away where accesses precede"},
                    "MPI_Win_fence asserts MPI_MODE_NOPRECEDE, but this rank's accesses since the last fence "
                    "are to be completed by it");
    if (w)
        memory_use_look(call, (void *)w->memory);
    if (w && w->shared)
        win_stores_before_fence(w);
    if (w)
        win_check_end(w, -1, false);
    enter_window(call, w);
    if (!w || !w->shared)
        return;
    order_keep(win_check_target(w, w->comm.rank)->entered[w->turn % 2]);
    win_assert_fence(call, w);
}

/* What members have done since they left the fence is not ordered by it, and may be on the board already. A fence that nothing
 * precedes need not wait for all to enter it. */
static void learn_entered(const struct intercept *call, const struct win_record *w)
{
    if (!w->shared || intercept_argument(call, AT_ASSERT) & MPI_MODE_NOPRECEDE) {
        order_learn_all(&w->comm);
        return;
    }
    for (int i = 0; i < w->comm.size; i++)
        if (win_check_target(w, i))
            order_learn_kept(win_check_target(w, i)->entered[w->turn % 2]);
}

void win_check_fenced(struct intercept *call, int error)
{
    if (error)
        return;
    completed(call, false);
    if (!win_check_of(call))
        return;
    learn_entered(call, win_check_of(call));
    if (win_check_of(call)->shared)
        win_stores_after_fence(call, win_check_of(call));
}

static int *group_of(const struct intercept *call, const struct win_record *w, int *size)
{
    return comm_check_group((MPI_Group)(intptr_t)intercept_argument(call, AT_GROUP),
                            (MPI_Win)(uintptr_t)w->base.handle, &w->comm, size);
}

void win_check_started(struct intercept *call, int error)
{
    struct win_record *w = win_check_of(call);

    if (error || !w)
        return;
    w->is_started = true;
    free(w->started_to);
    w->started_to = group_of(call, w, &w->started_count);
    win_assert_count(w->starts, w->started_to, w->started_count);
}

void win_check_complete(struct intercept *call)
{
    (void)call;
    order_tell();
}

void win_check_post(struct intercept *call)
{
    const struct win_record *w = win_check_of(call);
    struct win_target *mine = w ? win_check_target(w, w->comm.rank) : NULL;

    order_tell();
    if (mine)
        order_keep(mine->posted);
}

void win_check_posted(struct intercept *call, int error)
{
    struct win_record *w = win_check_of(call);

    if (error || !w)
        return;
    free(w->posted_to);
    w->posted_to = group_of(call, w, &w->posted_count);
    win_assert_posted(call, w);
}

void win_check_waited(struct intercept *call, int error)
{
    const struct win_record *w = win_check_of(call);

    if (error || (intercept_has(call, AT_FLAG) && !*(int *)(intptr_t)intercept_argument(call, AT_FLAG)))
        return;
    for (int i = 0; w && w->posted_to && i < w->posted_count; i++)
        order_learn(w->posted_to[i]);
    if (w)
        win_assert_waited(call, w);
}

/* A shared lock comes after the last exclusive one; holders of shared ones know nothing of each other. */
static void learn_of_holder(const struct win_record *w, int target)
{
    struct win_target *t = win_check_target(w, target);
    int holder;

    if (!t)
        return;
    board_lock();
    holder = t->holder;
    board_unlock();
    order_learn(holder - 1);
}

/* An exclusive lock comes after all that have been given up. */
void win_check_locked(struct intercept *call, int error)
{
    struct win_record *w = win_check_of(call);
    struct win_target *t;

    if (error || !w)
        return;
    w->locks++;
    if (!intercept_has(call, AT_LOCK_TYPE)) {
        for (int i = 0; i < w->comm.size; i++)
            learn_of_holder(w, i);
    } else if (intercept_argument(call, AT_LOCK_TYPE) == MPI_LOCK_SHARED) {
        learn_of_holder(w, (int)intercept_argument(call, AT_TARGET));
    } else {
        t = win_check_target(w, (int)intercept_argument(call, AT_TARGET));
        if (!t)
            return;
        order_learn_kept(t->unlocked);
        board_lock();
        t->holder = process.rank + 1;
        board_unlock();
    }
}

void win_check_unlock(struct intercept *call)
{
    struct win_record *w = win_check_of(call);

    if (w)
        win_check_end(w, target_of(call), false);
    order_tell();
    board_lock();
    for (int i = 0; w && w->shared && i < w->comm.size; i++)
        if (!intercept_has(call, AT_TARGET) || i == intercept_argument(call, AT_TARGET))
            order_add(((struct win_target *)board_at(w->shared))[i].unlocked);
    board_unlock();
}

void win_check_unlocked(struct intercept *call, int error)
{
    if (!error && win_check_of(call))
        win_check_of(call)->locks--;
    if (!error)
        completed(call, false);
}

void win_check_flush(struct intercept *call)
{
    struct win_record *w = win_check_of(call);

    if (w)
        win_check_end(w, target_of(call), strstr(call->procedure->name, "local") != NULL);
}

/* What was fetched is there, and with it what its writer had told; nothing else is complete at the target. */
void win_check_flushed_locally(struct intercept *call, int error)
{
    struct win_record *w = win_check_of(call);

    if (!error_check_has_flushed(error) || !w)
        return;
    w->completed_here++;
    request_check_release(call, w, target_of(call));
    if (w->has_fetched)
        order_learn_all(&w->comm);
}

void win_check_flushed(struct intercept *call, int error)
{
    struct win_record *w = win_check_of(call);

    if (call->procedure->family == FAMILY_WIN_SYNC && w && w->shared)
        atomic_store_explicit(&win_check_target(w, w->comm.rank)->is_synced, 1, memory_order_relaxed);
    if (error_check_has_flushed(error))
        completed(call, call->procedure->family == FAMILY_WIN_SYNC);
}

static bool fill_access(const struct intercept *call, const struct win_record *w, const struct win_target *t,
                        struct access *a)
{
    enum role type = intercept_has(call, AT_TARGET_TYPE) ? AT_TARGET_TYPE : AT_TYPE;
    int64_t count = intercept_has(call, AT_TARGET_COUNT) ? intercept_argument(call, AT_TARGET_COUNT) : 1;
    MPI_Datatype datatype = (MPI_Datatype)(intptr_t)intercept_argument(call, type);
    uintptr_t low, high, base = UINT64_C(1) << 62;

    if (!type_check_span((void *)base, count, datatype, &low, &high))
        return false;
    *a = (struct access){.kind = win_check_kind(call),
                         .fetches = win_check_fetches(call),
                         .origin = process.rank,
                         .low = intercept_argument(call, AT_DISP) * t->unit + (int64_t)(low - base),
                         .high = intercept_argument(call, AT_DISP) * t->unit + (int64_t)(high - base),
                         .interval = order_interval(),
                         .completed = w->completed,
                         .completed_here = w->completed_here,
                         .fence = w->locks || w->is_started ? 0 : w->turn,
                         .is_started = w->is_started,
                         .op = (uint64_t)intercept_argument(call, AT_OP),
                         .basic = type_check_signature(datatype, count).basic,
                         .procedure = (uint32_t)(call->procedure - procedures),
                         .place = finding_place(call->site)};
    if (w->is_unordered && a->op == (uint64_t)(uintptr_t)MPI_REPLACE)
        a->sum = type_check_checksum((void *)(intptr_t)intercept_argument(call, AT_BUF),
                                     intercept_has(call, AT_COUNT) ? intercept_argument(call, AT_COUNT) : 1,
                                     (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE));
    win_local_parts(a, intercept_argument(call, AT_DISP) * t->unit, count, datatype);
    win_stores_fill_given(call, a);
    return true;
}

/* A request that fetched is complete at the target, too. */
static void remember_request(struct intercept *call, const struct win_target *t, const struct access *a)
{
    if (call->procedure->family != FAMILY_RMA_REQUEST || !win_check_fetches(call))
        return;
    call->saved[0] = (int64_t)((const char *)&t->access[a->serial % ACCESSES] - (const char *)board);
    call->saved[1] = (int64_t)a->serial;
}

/* What the origin has, and what the target does (MPI-5.0 section 12.3): sent as bytes passes. */
static void compare_types(struct intercept *call)
{
    MPI_Datatype type = (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE),
                 target_type = (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TARGET_TYPE);
    struct type_signature here, there;

    if (!intercept_has(call, AT_TARGET_TYPE) || intercept_has(call, AT_RESULT) || type == target_type ||
        intercept_argument(call, AT_TARGET) == MPI_PROC_NULL)
        return;
    here = type_check_signature(type, intercept_argument(call, AT_COUNT));
    there = type_check_signature(target_type, intercept_argument(call, AT_TARGET_COUNT));
    if (here.bytes != there.bytes || type_check_fits(&here, &there, false) ||
        type_check_is_tolerated(&here, &there))
        return; /* other sizes are an error of the call */
    finding_add(
        &(struct finding_about){.class = FINDING_TYPE,
                                .call = call,
                                .fix = "origin and target must have the same sequence of basic types"},
        "%s: origin_datatype and target_datatype have other basic types", call->procedure->name);
}

/* Programs make locks and flags of accumulates: who sees the value that another rank's has left comes after what that rank did
 * before it. So the clock is told before the call, and others' clocks are taken over once the value is there. */
void win_check_accessing(struct intercept *call)
{
    const struct win_record *w = win_check_of(call);
    int target = (int)intercept_argument(call, AT_TARGET);

    compare_types(call);
    if (win_check_kind(call) == ACCESS_ACCUMULATE)
        order_tell();
    if (w && !w->is_started && win_check_target(w, target))
        call->saved[2] = (int64_t)win_check_number(w, target) + 1;
}

static void keep_for_later(struct win_record *w, int target, const struct access *new)
{
    struct late_access *late = malloc(sizeof *late);

    if (!late)
        return;
    *late = (struct late_access){NULL, *new, target};
    *w->late_end = late;
    w->late_end = &late->next;
}

static void add_late_accesses(struct intercept *call, struct win_record *w)
{
    for (struct late_access *late = w->late, *next; late; late = next) {
        next = late->next;
        late->access.end = late->access.interval;
        win_check_add(call, w, late->target, &late->access);
        free(late);
    }
    w->late = NULL;
    w->late_end = &w->late;
}

/* Origins of one target know nothing of each other; the target may by now, and is taken for what it was when it posted. */
static void learn_posted(const struct win_record *w, int target)
{
    for (int i = 0; i < w->comm.targets; i++)
        if (comm_check_world(&w->comm, i) == target && win_check_target(w, i)) {
            order_learn_kept(win_check_target(w, i)->posted);
            return;
        }
    order_learn(target);
}

void win_check_completed(struct intercept *call, int error)
{
    struct win_record *w = win_check_of(call);

    if (error || !w)
        return;
    for (int i = 0; w->started_to && i < w->started_count; i++)
        learn_posted(w, w->started_to[i]);
    add_late_accesses(call, w);
    completed(call, false);
    w->is_started = false;
}

/* An access that was refused did not happen. */
static void check_access(struct intercept *call)
{
    struct win_record *w = win_check_of(call);
    int target = (int)intercept_argument(call, AT_TARGET);
    struct win_target *t = w ? win_check_target(w, target) : NULL;
    struct access new;

    if (!t || !fill_access(call, w, t, &new))
        return;
    if (new.fence)
        w->fence_used = new.fence;
    new.is_numbered = call->saved[2] > 0;
    new.serial = (uint64_t)call->saved[2] - new.is_numbered;
    for (struct win_record *each = win_check_windows(); each; each = each->older)
        each->kept_at++; /* it orders nothing */
    if (w->is_started && call->procedure->family == FAMILY_RMA) {
        win_assert_started(w, target, &new);
        keep_for_later(w, target, &new);
        return;
    }
    win_check_add(call, w, target, &new);
    w->touched |= UINT64_C(1) << target;
    remember_request(call, t, &new);
    if (new.kind == ACCESS_ACCUMULATE &&new.fetches) {
        order_learn_all(&w->comm);
        w->has_fetched = true;
    }
}

void win_check_accessed(struct intercept *call, int error)
{
    if (error)
        return;
    check_access(call);
    if (win_check_of(call))
        request_check_hold(call, win_check_of(call));
}

void win_check_rma_done(struct intercept *call, int error)
{
    if (!error)
        check_access(call);
}
