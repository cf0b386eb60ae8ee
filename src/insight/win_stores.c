#include "insight/win_stores.h"

#include "insight/board.h"
#include "insight/process_state.h"
#include "insight/watchpoint.h"
#include "insight/win_access.h"

#include <stdlib.h>
#include <string.h>

enum {
    BYTES = 4096 /* of a window that is looked at */
};

void win_stores_before_fence(struct win_record *w)
{
    const unsigned char *now = (const unsigned char *)w->memory;

    if (!w->kept)
        return;
    if (intercept_progress() != w->kept_at) {
        win_stores_forget(w);
        return;
    }
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
    if (a->kind == ACCESS_GET || (a->parts > 0 && !has_byte(a, byte)))
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

    if (w->is_changed && t && !call->is_reported)
        look_at_stores(call, w);
    win_stores_forget(w);
    if (!t || !w->memory || w->size <= 0 || w->size > BYTES || !(w->kept = malloc((size_t)w->size)))
        return;
    memcpy(w->kept, (const void *)w->memory, (size_t)w->size);
    w->kept_at = intercept_progress();
    w->kept_next = t->next;
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

static void access_directly(struct intercept *call, struct win_record *w, const struct watchpoint_hit *hit)
{
    struct access a = {.kind = hit->is_store ? ACCESS_PUT : ACCESS_GET,
                       .origin = process.rank,
                       .is_local = true,
                       .is_direct = true,
                       .high = 1,
                       .interval = order_interval(),
                       .fence = w->locks || w->is_started ? 0 : w->turn,
                       .place = finding_place(hit->at),
                       .parts = 1,
                       .part[0] = {0, 1}};

    if (!hit->is_store && may_be_told(w))
        order_learn_all(&w->comm);
    win_check_add(call, w, w->comm.rank, &a);
}

void win_check_take_hits(struct intercept *call)
{
    struct watchpoint_hit hit;

    for (struct win_record *w = win_check_windows(); w; w = w->older)
        while (watchpoint_take(w->watchpoint, &hit))
            access_directly(call, w, &hit);
}
