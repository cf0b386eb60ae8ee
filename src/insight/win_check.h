/* win_check: accesses to windows that conflict (MPI-5.0 section 12.7), and what is left open.
 *
 * Each target has the last accesses to it on the board: bytes, kind, origin, interval (order_clock.h). A new access is compared with
 * those that overlap it. Between two ranks it conflicts unless they are ordered; of one rank, unless the earlier one has been
 * completed. Accumulates do not conflict with each other. Loads and stores of the program are not seen.
 */
#ifndef INSIGHT_WIN_CHECK_H
#define INSIGHT_WIN_CHECK_H

#include "insight/comm_check.h"

struct win_record {
    struct tracked base;
    struct comm_record comm; /* a copy: the window outlives it */
    uint64_t turn;           /* collectives on the window */
    uint64_t shared;         /* struct win_board */
    MPI_Errhandler fatal;    /* what the program has in place of MPI_ERRORS_RETURN; see error_check.h */
    uint64_t completed;      /* counts what completes this rank's accesses, at all targets */
    int locks;               /* held: accesses are of a passive target epoch */
    bool is_same_op;         /* accumulate_ops=same_op */
};

struct win_record *win_check_find(MPI_Win win);
/* The group of the window of a call; NULL: it has none. */
const struct comm_record *win_check_comm(const struct intercept *call);

#endif
