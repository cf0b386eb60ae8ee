#include "insight/checks/access/win_conflict.h"

#include "insight/board/process_record.h"
#include "insight/findings/finding.h"
#include "insight/order/order_clock.h"

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
