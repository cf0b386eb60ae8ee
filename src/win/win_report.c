#include "win/win_report.h"

#include "boot/boot.h"
#include "making/hint_report.h"
#include "win/combiner.h"

/* Of same_size and same_disp_unit: why segments do not lie one after the other without a table. */
static const char *uniform_absence(const struct win *win)
{
    if (win->flavor != MPI_WIN_FLAVOR_ALLOCATE && win->flavor != MPI_WIN_FLAVOR_SHARED)
        return "the program allocated the memory";
    if (!win->segment)
        return NULL;
    if (!hint_value(&win->hints, HINT_SAME_SIZE))
        return "same_size is not given as well";
    if (!hint_value(&win->hints, HINT_SAME_DISP_UNIT))
        return "same_disp_unit is not given as well";
    return boot.all_local ? "the ranks share no block of memory" : "several hosts";
}

static const char *alignment_absence(const struct win *win)
{
    if (win->flavor != MPI_WIN_FLAVOR_ALLOCATE && win->flavor != MPI_WIN_FLAVOR_SHARED)
        return "the program allocated the memory";
    return hint_value(&win->hints, HINT_MINIMUM_MEMORY_ALIGNMENT) < 64 ? "memory begins so anyway" : NULL;
}

/* Of accumulate_ops=same_op. */
static void same_op_effect(const struct win *win, struct report_effect *effect)
{
    if (combiner_is_coarse(win))
        effect->absence = "mpi_accumulate_granularity makes all accumulates take locks";
    effect->unused = "it spared no replacement a lock";
    effect->count[0] = atomic_load_explicit(&win->spared_locks, memory_order_relaxed);
    effect->counted = "# accumulates took no lock";
}

static void granularity_effect(const struct win *win, struct report_effect *effect)
{
    if (!combiner_is_coarse(win))
        effect->absence = "single elements are protected anyway";
    effect->unused = "no accumulate of integers took a lock for it";
    effect->count[0] = atomic_load_explicit(&win->coarse_locks, memory_order_relaxed);
    effect->counted = "# accumulates of integers took a lock";
}

static void win_report_effect(const void *object, enum hint_id id, struct report_effect *effect)
{
    const struct win *win = object;

    if (id == HINT_SAME_SIZE || id == HINT_SAME_DISP_UNIT)
        effect->absence = uniform_absence(win);
    else if (id == HINT_MINIMUM_MEMORY_ALIGNMENT)
        effect->absence = alignment_absence(win);
    else if (id == HINT_ACCUMULATE_OPS)
        same_op_effect(win, effect);
    else if (id == HINT_ACCUMULATE_GRANULARITY)
        granularity_effect(win, effect);
    else if (id == HINT_SHARED_NONCONTIG && win->flavor != MPI_WIN_FLAVOR_SHARED)
        effect->absence = "it is about windows of MPI_Win_allocate_shared";
}

void win_report(struct win *win, bool is_final)
{
    hint_report_object(&(struct report_object){.kind = "window",
                                               .title = win->name[0] ? win->name : "a window",
                                               .rank = win->rank,
                                               .size = win->size,
                                               .place = win,
                                               .is_final = is_final},
                       &win->hints, win_report_effect, win);
}
