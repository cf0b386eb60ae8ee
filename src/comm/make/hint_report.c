#include "comm/make/hint_report.h"

#include "base/log.h"
#include "coll/shm/shm_coll.h"
#include "hint/report.h"
#include "p2p/lane.h"

#include <stdatomic.h>
#include <stdio.h>

static _Atomic int lines;                    /* lines printed so far */
static void (*_Atomic report_windows)(void); /* release, acquire in hint_report_rest; NULL: there were none */

static bool hint_report_is_wanted(int rank)
{
    return report_level() == REPORT_ALL || (report_level() == REPORT_FIRST && rank == 0);
}

static void hint_report_with(const char *title, int rank, int size, struct hints *h, report_absence *absence,
                             const void *of)
{
    char object[MPI_MAX_OBJECT_NAME + 64];

    if (!hint_report_is_wanted(rank))
        return;
    snprintf(object, sizeof object, "%s of %d rank%s, rank %d", title, size, size == 1 ? "" : "s", rank);
    atomic_fetch_add_explicit(&lines, report_print(object, h, absence, of), memory_order_relaxed);
}

void hint_report_object(const char *title, int rank, int size, struct hints *h)
{
    hint_report_with(title, rank, size, h, NULL, NULL);
}

void hint_report_fact(const char *title, int rank, int size, const char *fact)
{
    if (!hint_report_is_wanted(rank))
        return;
    log_tell("hints", "%s of %d rank%s, rank %d: %s", title, size, size == 1 ? "" : "s", rank, fact);
    atomic_fetch_add_explicit(&lines, 1, memory_order_relaxed);
}

static const char *hint_report_absence(const void *object, enum hint_id id)
{
    const struct comm *comm = object;

    if (id == HINT_STRICT_PERSISTENT_ORDERING)
        return shm_coll_absence(comm);
    return id == HINT_ALLOW_OVERTAKING ? lane_spread_absence(comm) : NULL;
}

void hint_report_comm(struct comm *comm)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    comm_get_name(comm, name, &length);
    hint_report_with(length ? name : "communicator", comm->rank, comm->size, &comm->hints,
                     hint_report_absence, comm);
}

void hint_report_windows_by(void (*report)(void))
{
    atomic_store_explicit(&report_windows, report, memory_order_release);
}

void hint_report_rest(void)
{
    void (*windows)(void) = atomic_load_explicit(&report_windows, memory_order_acquire);
    char object[64];

    if (report_level() == REPORT_OFF)
        return;
    comm_each(hint_report_comm);
    if (windows)
        windows();
    if (!hint_report_is_wanted(comm_world.rank))
        return;
    snprintf(object, sizeof object, "settings of process %d", comm_world.rank);
    atomic_fetch_add_explicit(&lines, report_print(object, &hint_process, NULL, NULL), memory_order_relaxed);
    if (atomic_load_explicit(&lines, memory_order_relaxed) == 0)
        log_tell("hints", "none were given");
}
