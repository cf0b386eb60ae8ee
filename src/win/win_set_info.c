#include "win/win_set_info.h"

#include "base/fail.h"
#include "making/agree_hints.h"
#include "win/agent.h"
#include "win/win_report.h"

/* The ranks agree whatever this rank's info holds, and even if it is out of memory. */
int win_set_info(struct win *win, struct info *info)
{
    struct hints copy;
    bool copied = hints_copy(&win->hints, &copy);
    int flushed = agent_flush_all(win), error;

    if (copied)
        info_offer(info, &copy, AT_SET, "MPI_Win_set_info");
    error = agree_hints(win->comm, copied ? &copy : &win->hints, NULL);
    if (!copied)
        return error ? error : fail(MPI_ERR_NO_MEM, "no memory for the hints");
    if (!error) {
        hints_move(&win->hints, &copy);
        win_report(win, false);
    }
    hints_fini(&copy);
    return error ? error : flushed;
}
