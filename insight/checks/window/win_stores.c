#include "insight/checks/window/win_stores.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/findings/finding.h"
#include "insight/objects/win_access.h"

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
