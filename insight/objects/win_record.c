#include "insight/objects/win_record.h"

#include <string.h>

struct win_record *win_record_all; /* the newest first */

struct win_target *win_check_target(const struct win_record *w, int rank)
{
    return w->shared && comm_check_world(&w->comm, rank) >= 0
               ? (struct win_target *)board_at(w->shared) + rank
               : NULL;
}

struct win_record *win_check_find(MPI_Win win)
{
    return tracked_find(TRACKED_WIN, (uint64_t)(uintptr_t)win);
}

struct win_record *win_check_of(const struct intercept *call)
{
    return intercept_has(call, AT_WIN) ? win_check_find((MPI_Win)(intptr_t)intercept_argument(call, AT_WIN))
                                       : NULL;
}

const struct comm_record *win_check_comm(const struct intercept *call)
{
    struct win_record *w = win_check_of(call);

    if (!w && call->procedure->family == FAMILY_WIN_FREE)
        w = win_check_find((MPI_Win)(intptr_t)call->saved[0]);
    return w ? &w->comm : NULL;
}

size_t win_check_size(int size)
{
    return (size_t)size * sizeof(struct win_target);
}

static enum access_kind kind_of_name(const char *name)
{
    if (strstr(name, "ccumulate") || strstr(name, "Fetch") || strstr(name, "Compare"))
        return ACCESS_ACCUMULATE;
    return strstr(name, "et") ? ACCESS_GET : ACCESS_PUT;
}

enum access_kind win_check_kind(const struct intercept *call)
{
    static unsigned char known[PROCEDURES]; /* ACCESS_NONE: not looked at yet */
    unsigned char *kind = &known[call->procedure - procedures];

    if (*kind == ACCESS_NONE)
        *kind = (unsigned char)kind_of_name(call->procedure->name);
    return (enum access_kind) * kind;
}

bool win_check_fetches(const struct intercept *call)
{
    return intercept_has(call, AT_RESULT) || win_check_kind(call) == ACCESS_GET;
}

int win_check_holder(const struct win_record *w, int target)
{
    struct win_target *t = win_check_target(w, target);

    return t ? t->holder - 1 : -1;
}

void win_check_keep(struct win_record *w)
{
    w->older = win_record_all;
    w->at = &win_record_all;
    if (w->older)
        w->older->at = &w->older;
    win_record_all = w;
}

void win_check_forget(struct win_record *w)
{
    *w->at = w->older;
    if (w->older)
        w->older->at = w->at;
}
