#include "insight/findings/finding.h"

#include "insight/board/finding_list.h"
#include "insight/board/process_record.h"
#include "insight/call/intercept.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    TELL_MS = 20000
};

/* A leader that is not rank 0's writes no file: that one does. */
void process_tell(void)
{
    const char *how = getenv("INKLING_CHECK");

    bool is_silent = !process_shares(0) && !atomic_load_explicit(&board->list.count, memory_order_acquire);

    if (process.is_told || is_silent ||
        atomic_exchange_explicit(&board->printed, PRINTED_IN_PART, memory_order_acq_rel) != PRINTED_NOT)
        return;
    process.has_found = finding_print(&board->list, how, process_shares(0)) > 0;
    /* release: pairs with the keeper's acquire */
    atomic_store_explicit(&board->printed, PRINTED_ALL, memory_order_release);
}

/* The job's end would take another rank that is telling with it. */
static void await_teller(void)
{
    for (int i = 0; i < TELL_MS; i++) {
        /* acquire: pairs with the release in process_tell */
        if (atomic_load_explicit(&board->printed, memory_order_acquire) != PRINTED_IN_PART)
            return;
        usleep(1000);
    }
}

void process_tell_late(void)
{
    if (process.gathers)
        finding_list_leave_out(&board->list, UNCHECKED_LISTS);
    process_tell();
    await_teller();
}

void process_abort(int code, enum board_end why)
{
    int class = code;

    if (board) {
        /* release: pairs with mpiexec's acquire */
        atomic_store_explicit(&board->end, why, memory_order_release);
        process_tell_late();
    }
    if (real.Error_class)
        real.Error_class(code, &class);
    setenv("INKLING_JOB_END", board_end_text(why), 1); /* the program has not called MPI_Abort */
    if (real.Abort && process.has_world)
        real.Abort(MPI_COMM_WORLD, class);
    _exit(CODE_FOUND);
}
