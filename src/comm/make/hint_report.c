#include "comm/make/hint_report.h"

#include "base/log.h"
#include "hint/report.h"

#include <stdatomic.h>
#include <stdio.h>

static _Atomic int lines; /* how many lines */

static bool hint_report_is_wanted(const struct comm *comm)
{
    return report_level() == REPORT_ALL || (report_level() == REPORT_FIRST && comm->rank == 0);
}

void hint_report_comm(struct comm *comm)
{
    char name[MPI_MAX_OBJECT_NAME], object[MPI_MAX_OBJECT_NAME + 64];
    int length;

    if (!hint_report_is_wanted(comm))
        return;
    comm_get_name(comm, name, &length);
    snprintf(object, sizeof object, "%s of %d rank%s, rank %d", length ? name : "communicator", comm->size,
             comm->size == 1 ? "" : "s", comm->rank);
    atomic_fetch_add_explicit(&lines, report_print(object, &comm->hints), memory_order_relaxed);
}

void hint_report_rest(void)
{
    char object[64];

    if (report_level() == REPORT_OFF)
        return;
    comm_each(hint_report_comm);
    if (!hint_report_is_wanted(&comm_world))
        return;
    snprintf(object, sizeof object, "settings of process %d", comm_world.rank);
    atomic_fetch_add_explicit(&lines, report_print(object, &hint_process), memory_order_relaxed);
    if (atomic_load_explicit(&lines, memory_order_relaxed) == 0)
        log_tell("hints", "none were given");
}
