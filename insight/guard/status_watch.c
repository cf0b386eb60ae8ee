#include "insight/guard/status_watch.h"

#include "insight/guard/watchpoint.h"

enum {
    STATUSES = 64, /* that are known: the last ones */
    BUDGET = 16    /* watchpoints that a process sets for them */
};

static struct {
    uint64_t serial, told_at;
} known[STATUSES];

static const int *watched; /* MPI_SOURCE of the status; NULL: none */
static int watchpoint, left = BUDGET;

/* The program may know by now. */
static void tell_all(uint64_t posted)
{
    for (int i = 0; i < STATUSES; i++)
        if (known[i].told_at == UINT64_MAX)
            known[i].told_at = posted;
}

static void stop_watching(uint64_t posted)
{
    tell_all(posted);
    watchpoint_clear(watchpoint);
    watchpoint = 0;
    watched = NULL;
}

bool status_watch_begin(const MPI_Status *status, uint64_t serial, uint64_t posted)
{
    if (watched != &status->MPI_SOURCE) {
        stop_watching(posted);
        if (left == 0)
            return false;
        left--;
        watchpoint = watchpoint_set(&status->MPI_SOURCE, sizeof status->MPI_SOURCE, WATCH_ACCESSES);
        if (watchpoint == 0)
            return false;
        watched = &status->MPI_SOURCE;
    }
    known[serial % STATUSES].serial = serial;
    known[serial % STATUSES].told_at = UINT64_MAX;
    return true;
}

void status_watch_take_hits(uint64_t posted)
{
    struct watchpoint_hit hit;

    if (watchpoint_take(watchpoint, &hit))
        stop_watching(posted);
}

uint64_t status_watch_told_at(uint64_t serial)
{
    return known[serial % STATUSES].serial == serial ? known[serial % STATUSES].told_at : 0;
}
