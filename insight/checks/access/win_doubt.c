#include "insight/board/board.h"
#include "insight/checks/access/win_conflict.h"
#include "insight/objects/comm_record.h"
#include "insight/objects/win_access.h"

#include <stdlib.h>

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
        if (!may_have_waited(w, d))
            win_check_say(call, w, d->target, &d->old, &d->new);
        free(d);
    }
    w->doubts = NULL;
}
