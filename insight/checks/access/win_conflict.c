#include "insight/checks/access/win_conflict.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/findings/finding.h"
#include "insight/objects/comm_loss.h"
#include "insight/objects/win_record.h"
#include "insight/order/order_clock.h"

#include <stdlib.h>

void win_local_parts(struct access *a, int64_t start, int64_t count, MPI_Datatype datatype)
{
    const struct type_record *type = type_check_find(datatype);

    if (type->is_dense) {
        a->parts = 1;
        a->part[0] = (struct byte_run){a->low, a->high - a->low};
    } else if (type->runs > 0 && count * type->runs <= PARTS) {
        for (int64_t i = 0; i < count; i++)
            for (int r = 0; r < type->runs; r++)
                a->part[a->parts++] =
                    (struct byte_run){start + i * type->extent + type->run[r].offset, type->run[r].length};
    }
}

/* What displacements are counted from; false: that memory is not the window's. */
static bool find_base(const struct win_record *w, uintptr_t low, uintptr_t high, uintptr_t *base)
{
    *base = w->memory;
    if (w->memory && low >= w->memory && high <= w->memory + (uintptr_t)w->size)
        return true;
    *base = 0;
    for (int i = 0; i < WIN_ATTACHED; i++)
        if (w->attached[i].memory && low >= w->attached[i].memory &&
            high <= w->attached[i].memory + w->attached[i].size)
            return true;
    return false;
}

static void access_locally(struct intercept *call, struct win_record *w, const void *buffer, int64_t count,
                           MPI_Datatype type, bool is_written)
{
    uintptr_t low, high, base;
    struct access a;

    if (!w->shared || !type_check_span(buffer, count, type, &low, &high) || !find_base(w, low, high, &base))
        return;
    a = (struct access){.kind = is_written ? ACCESS_PUT : ACCESS_GET,
                        .origin = process.rank,
                        .is_local = true,
                        .low = (int64_t)(low - base),
                        .high = (int64_t)(high - base),
                        .interval = order_interval(),
                        .fence = w->locks || w->is_started ? 0 : w->turn,
                        .procedure = (uint32_t)(call->procedure - procedures),
                        .place = finding_place(call->site)};
    win_local_parts(&a, (int64_t)((uintptr_t)buffer - base), count, type);
    win_check_add(call, w, w->comm.rank, &a);
}

void win_check_local(struct intercept *call, const void *buffer, int64_t count, MPI_Datatype type,
                     bool is_written)
{
    for (struct win_record *w = win_check_windows(); w; w = w->older)
        access_locally(call, w, buffer, count, type, is_written);
}

/* The memory of a window that was freed may be another's by now. */
static bool is_of_window(uint64_t access)
{
    for (const struct win_record *w = win_check_windows(); w; w = w->older)
        if (w->shared && access > w->shared && access < w->shared + win_check_size(w->comm.size))
            return true;
    return false;
}

void win_check_fetched(uint64_t access, uint64_t serial)
{
    struct access *a = board_at(access);

    if (!is_of_window(access))
        return;
    board_lock();
    if (a->serial == serial && a->origin == process.rank) {
        a->completed = 0; /* no count of a window */
        a->end = order_interval();
    }
    board_unlock();
}

static bool updates(const struct access *a)
{
    return a->kind != ACCESS_NONE && !a->is_local && !win_access_reads(a);
}

static void say_updated(struct intercept *call, const struct access *a, struct call_place promise, int target)
{
    bool is_fence = a->fence;

    finding_add(&(struct finding_about){.class = FINDING_EPOCH,
                                        .call = call,
                                        .at = a->place,
                                        .rank = &a->origin,
                                        .other = promise,
                                        .role = is_fence ? "the fence" : "the post",
                                        .fix = "take MPI_MODE_NOPUT away"},
                "%s updates the window of rank %d, which has asserted MPI_MODE_NOPUT in %s",
                procedures[a->procedure].name, target, is_fence ? "MPI_Win_fence" : "MPI_Win_post");
}

/* This target is accessed. */
static void win_assert_access(struct intercept *call, const struct win_target *t, const struct access *a,
                              int target)
{
    bool is_broken;
    struct call_place promise;

    if (!a->fence || !updates(a))
        return;
    board_lock();
    is_broken = t->no_put == a->fence;
    promise = t->no_put_at;
    board_unlock();
    if (is_broken)
        say_updated(call, a, promise, target);
}

void win_assert_fence(struct intercept *call, const struct win_record *w)
{
    struct win_target *t = win_check_target(w, w->comm.rank);
    struct access early = {.kind = ACCESS_NONE};
    struct call_place here = finding_place(call->site);

    if (!t || !(intercept_argument(call, AT_ASSERT) & MPI_MODE_NOPUT))
        return;
    board_lock();
    t->no_put = w->turn;
    t->no_put_at = here;
    for (int i = 0; i < ACCESSES && !early.kind; i++)
        if (t->access[i].fence == w->turn && updates(&t->access[i]))
            early = t->access[i];
    board_unlock();
    if (early.kind)
        say_updated(call, &early, here, w->comm.rank);
}

void win_assert_count(uint64_t *epochs, const int *ranks, int count)
{
    for (int i = 0; ranks && i < count; i++)
        if (ranks[i] >= 0 && ranks[i] < ORDER_RANKS)
            epochs[ranks[i]]++;
}

void win_assert_started(const struct win_record *w, int target, const struct access *a)
{
    struct win_target *t = win_check_target(w, target);

    if (!t || !updates(a))
        return;
    board_lock();
    t->started_put[process.rank] =
        (struct late_put){w->starts[comm_check_world(&w->comm, target)], a->procedure, a->place};
    board_unlock();
}

void win_assert_posted(const struct intercept *call, struct win_record *w)
{
    win_assert_count(w->posts, w->posted_to, w->posted_count);
    w->has_posted_no_put = intercept_argument(call, AT_ASSERT) & MPI_MODE_NOPUT;
    w->posted_at = call->site;
}

void win_assert_waited(struct intercept *call, const struct win_record *w)
{
    const struct win_target *t = win_check_target(w, w->comm.rank);

    for (int i = 0; t && w->has_posted_no_put && w->posted_to && i < w->posted_count; i++) {
        int from = w->posted_to[i];
        struct late_put put = {0};

        if (from < 0 || from >= ORDER_RANKS)
            continue;
        board_lock();
        put = t->started_put[from];
        board_unlock();
        if (put.epoch == w->posts[from])
            say_updated(call,
                        &(struct access){.origin = from, .procedure = put.procedure, .place = put.place},
                        finding_place(w->posted_at), w->comm.rank);
    }
}

/* Whether two accumulates of one rank leave another result in the other order. Reads are left out: a program may bear either value. */
static bool relies_on_order(const struct win_record *w, const struct access *old, const struct access *new)
{
    const uint64_t none = (uint64_t)(uintptr_t)MPI_NO_OP, replace = (uint64_t)(uintptr_t)MPI_REPLACE;

    if (!w->is_unordered || old->origin != new->origin || old->kind != ACCESS_ACCUMULATE ||
        new->kind != ACCESS_ACCUMULATE || !old->op || !new->op || old->op == none || new->op == none)
        return false;
    if (old->op != new->op)
        return true;
    return old->op == replace && old->low == new->low && old->high == new->high && old->sum != new->sum;
}

/* Accumulates are atomic only towards others of their predefined datatype (MPI-5.0 section 12.7). */
static bool differ_in_type(const struct access *old, const struct access *new)
{
    return old->kind == ACCESS_ACCUMULATE && new->kind == ACCESS_ACCUMULATE && old->basic &&new->basic &&
           old->basic != new->basic;
}

/* Of two ranks: which of them comes first changes the result. MPI_NO_OP and MPI_REPLACE, which programs make flags of, may meet others. */
static bool differ_in_operation(const struct access *old, const struct access *new)
{
    const uint64_t none = (uint64_t)(uintptr_t)MPI_NO_OP, replace = (uint64_t)(uintptr_t)MPI_REPLACE;

    return old->kind == ACCESS_ACCUMULATE && new->kind == ACCESS_ACCUMULATE && old->origin != new->origin &&
           old->op &&new->op && old->op != new->op && old->op != none &&new->op != none &&
           old->op != replace &&new->op != replace;
}

/* A load may poll for what is put while no epoch of the target has it, and a get for what is stored (MPI-5.0 section 12.7). Whether it does
 * is seen later. */
static bool may_poll(const struct access *old, const struct access *new)
{
    const struct access *remote = old->is_direct ? new : old;

    return (old->is_direct || new->is_direct) && (win_access_reads(old) || win_access_reads(new)) &&
           !remote->fence && !remote->is_started;
}

/* Two ranks store to memory that both have: one that also loads there may have been told by the other. */
static bool may_have_been_told(const struct access *old, const struct access *new)
{
    return old->is_direct && new->is_direct && old->kind == ACCESS_PUT &&new->kind == ACCESS_PUT &&
           !new->fence && !(old->is_blind && new->is_blind);
}

static bool has_polled(const struct access *old, const struct access *new)
{
    return may_poll(old, new) && (old->is_polled || new->is_polled);
}

/* Also a store, where the program has loaded before. */
static bool may_have_waited_for(const struct access *old, const struct access *new)
{
    return may_poll(old, new) || (new->is_direct &&new->kind == ACCESS_PUT && !new->fence && !new->is_blind);
}

/* A load has polled until it found what this access has left, which had its number by then. It may be added later, when its call is
 * over. */
static bool has_seen(const struct access *direct, const struct access *other)
{
    return direct->is_direct && other->serial < direct->seen;
}

static bool conflicts(const struct win_record *w, const struct access *old, const struct access *new)
{
    if (!old->kind || old->low >= new->high || new->low >= old->high ||
        !type_check_runs_meet(old->part, old->parts, new->part, new->parts))
        return false;
    if (win_access_reads(old) && win_access_reads(new))
        return false;
    if (old->kind == new->kind && old->kind != ACCESS_PUT && !(old->op != new->op && w->is_same_op) &&
        !relies_on_order(w, old, new) && !differ_in_type(old, new) && !differ_in_operation(old, new))
        return false;
    if (has_polled(old, new) || may_have_been_told(old, new) || has_seen(new, old) ||
        (new->is_numbered &&has_seen(old, new)))
        return false;
    if (old->origin == new->origin)
        return !old->is_local && old->completed == w->completed &&
               !(old->fetches && old->completed_here != w->completed_here);
    if (old->fence && !old->is_local && old->fence == new->fence)
        return true;
    return !(old->end && order_is_known(old->origin, old->end)) &&
           old->known[new->origin] < (uint32_t) new->interval;
}

static const char *access_name(const struct access *a)
{
    return !a->is_direct ? procedures[a->procedure].name : a->kind == ACCESS_PUT ? "a store" : "a load";
}

static bool is_of_call(const struct intercept *call, const struct access *a)
{
    return !a->is_direct && call->procedure == &procedures[a->procedure];
}

static void win_check_say(struct intercept *call, const struct win_record *w, int target,
                          const struct access *old, const struct access *new)
{
    int64_t low = old->low > new->low ? old->low : new->low,
            high = old->high < new->high ? old->high : new->high;

    bool has_types = differ_in_type(old, new), has_ops = !w->is_same_op && differ_in_operation(old, new),
         is_hint = old->kind == ACCESS_ACCUMULATE && new->kind == ACCESS_ACCUMULATE && !has_types && !has_ops;
    bool is_of_order = is_hint && !(w->is_same_op && old->op != new->op);
    bool is_open = is_of_order && old->op == new->op; /* a program may bear either value */
    const char *promise =
        is_open       ? "; which value stays is open, since accumulate_ordering does not ask for waw"
        : is_of_order ? "; their order matters, and accumulate_ordering does not ask for waw"
                      : "; their operations differ, and accumulate_ops=same_op is asserted";

    finding_add(
        &(struct finding_about){
            .class = is_open   ? FINDING_ACCUMULATE_ORDER
                     : is_hint ? FINDING_HINT
                               : FINDING_CONFLICT,
            .call = call,
            .where = is_of_call(call, new) ? NULL : call->site, /* no call made it, or not this one */
            .at = new->place,
            .other = old->place,
            .role = "the other access",
            .made = is_of_order ? w->unordered_at : w->base.site,
            .made_by = is_of_order ? "the hint set" : "the window",
            .fix = is_open     ? "put a flush between them, or leave it if either value may stay"
                   : is_hint   ? "put a flush between them, or take the hint away"
                   : has_ops   ? "put a synchronization between them, or use one operation"
                   : has_types ? "put a synchronization between them, or use one datatype"
                               : "put a synchronization between them, or use accumulates"},
        "%s of rank %d and %s of rank %d access the same bytes of rank %d's window, %lld to %lld, "
        "and nothing orders them%s",
        access_name(new), new->origin, access_name(old), old->origin, target, (long long)low,
        (long long)high - 1,
        is_hint     ? promise
        : has_ops   ? "; their operations differ, so the result depends on which comes first"
        : has_types ? "; accumulates are atomic towards those of the same predefined datatype"
                    : "");
}

uint64_t win_check_number(const struct win_record *w, int target)
{
    struct win_target *t = win_check_target(w, target);
    uint64_t serial;

    board_lock();
    serial = t->next++;
    t->access[serial % ACCESSES].kind = ACCESS_NONE;
    t->low[serial % ACCESSES] = t->high[serial % ACCESSES] = 0;
    board_unlock();
    return serial;
}

void win_check_end(struct win_record *w, int target, bool only_fetching)
{
    for (int i = 0; w->shared && i < w->comm.size; i++) {
        struct win_target *t = win_check_target(w, i);

        if (!(w->touched >> i & 1) || (target >= 0 && target != i))
            continue;
        board_lock();
        for (struct access *a = t->access; a < t->access + ACCESSES; a++)
            if (a->origin == process.rank && !a->end && (a->fetches || !only_fetching))
                a->end = order_interval();
        board_unlock();
        if (!only_fetching)
            w->touched &= ~(UINT64_C(1) << i);
    }
}

/* Copies the first access that this one conflicts with; the caller has the board's lock. False: there is none. */
static bool take_conflicting(const struct win_record *w, const struct win_target *t, const struct access *new,
                             struct access *old)
{
    for (int i = 0; i < ACCESSES; i++)
        if (t->low[i] < new->high &&new->low < t->high[i] && conflicts(w, &t->access[i], new)) {
            *old = t->access[i];
            return true;
        }
    return false;
}

/* Puts it among the others, and says with which of them it conflicts. One that was kept for later may come after accesses that
 * follow it, whose ranks knew of it. */
void win_check_add(struct intercept *call, struct win_record *w, int target, struct access *new)
{
    struct win_target *t = win_check_target(w, target);
    struct access old;
    bool is_met;
    int place;

    if (comm_loss_is_over(&w->comm))
        return;
    for (int i = 0; i < process.size; i++)
        new->known[i] = (uint32_t)order_known(i);
    if (new->is_local)
        new->end = new->interval;
    board_lock();
    is_met = take_conflicting(w, t, new, &old);
    if (!new->is_numbered)
        new->serial = t->next++;
    place = (int)(new->serial % ACCESSES);
    t->access[place] = *new;
    t->low[place] = new->low;
    t->high[place] = new->high;
    board_unlock();
    win_assert_access(call, t, new, target);
    if (is_met && may_have_waited_for(&old, new))
        win_doubt_add(w, target, &old, new);
    else if (is_met)
        win_check_say(call, w, target, &old, new);
}

enum {
    DOUBTS = 32 /* of a window */
};

/* A load, or a get, that may have waited for what it found: then it was made again from the same place, or MPI_Win_sync was called. */
struct win_doubt {
    struct win_doubt *next;
    int target;
    struct access old, new;
};

void win_doubt_add(struct win_record *w, int target, const struct access *old, const struct access *new)
{
    struct win_doubt *d, **end = &w->doubts;
    int count = 0;

    for (; *end; end = &(*end)->next)
        count++;
    d = count < DOUBTS ? calloc(1, sizeof *d) : NULL;
    if (!d)
        return;
    *d = (struct win_doubt){NULL, target, *old, *new};
    *end = d;
}

static bool has_synced(const struct win_record *w, int world)
{
    for (int i = 0; i < w->comm.size; i++)
        if (comm_check_world(&w->comm, i) == world)
            return atomic_load_explicit(&win_check_target(w, i)->is_synced, memory_order_relaxed);
    return false;
}

static bool is_from_place(const struct call_place *a, const struct call_place *b)
{
    return a->module == b->module && a->offset == b->offset;
}

/* More than once, from one place; or it is known to be polling. The caller has the lock. */
static bool is_repeated(const struct win_target *t, const struct access *read)
{
    int count = 0;

    for (const struct access *a = t->access; a < t->access + ACCESSES; a++)
        if (win_access_reads(a) && a->origin == read->origin && is_from_place(&a->place, &read->place) &&
            a->low < read->high && read->low < a->high)
            count += 1 + a->is_polled;
    return count > 1;
}

static bool may_have_waited(const struct win_record *w, const struct win_doubt *d)
{
    const struct win_target *t = win_check_target(w, d->target);
    bool is;

    if (has_synced(w, d->old.origin) || has_synced(w, d->new.origin) ||
        atomic_load_explicit(&t->has_atomics, memory_order_relaxed))
        return true;
    board_lock();
    is = (win_access_reads(&d->old) && is_repeated(t, &d->old)) ||
         (win_access_reads(&d->new) && is_repeated(t, &d->new));
    board_unlock();
    return is;
}

void win_doubt_tell(struct intercept *call, struct win_record *w)
{
    for (struct win_doubt *d = w->doubts, *next; d; d = next) {
        next = d->next;
        if (!comm_loss_is_over(&w->comm) && !may_have_waited(w, d))
            win_check_say(call, w, d->target, &d->old, &d->new);
        free(d);
    }
    w->doubts = NULL;
}
