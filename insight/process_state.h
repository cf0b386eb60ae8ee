/* process_state: this process as checks see it: its rank, whether MPI is up, and the board it shares.
 *
 * Checks begin with MPI_Init or the first session, and what is left is looked for in MPI_Finalize or when the last session ends. A
 * process of which only sessions are known has the rank of "mpi://WORLD"; nobody need open one, so nothing waits for others: ranks are
 * compared only where mpiexec has given all of them a board, and without it each tells for itself.
 */
#ifndef INSIGHT_PROCESS_STATE_H
#define INSIGHT_PROCESS_STATE_H

#include "insight/board.h"
#include "insight/intercept.h"

struct process {
    int rank, size;                 /* of MPI_COMM_WORLD */
    bool is_on;                     /* checks are made */
    bool is_up;                     /* between MPI_Init and MPI_Finalize, or a session is open */
    bool has_world;                 /* between MPI_Init and MPI_Finalize */
    bool was_up;                    /* MPI_Finalize has been called */
    int sessions;                   /* open */
    bool had_sessions;              /* checks began with a session */
    bool is_shared;                 /* other ranks have the board, too: what they do can be compared */
    int sharing;                    /* how many ranks have it, with this one */
    uint64_t sharers[8];            /* which, of MPI_COMM_WORLD: a bit for each */
    bool leads;                     /* has made the board */
    bool gathers;                   /* there are several boards: board_gather.h */
    bool is_told;                   /* Inkling's mpiexec tells what was found */
    bool has_found;                 /* this process has told of a finding: its exit code is not 0 */
    int level;                      /* of threads, as provided */
    int pid;                        /* not that of a child that it forked */
    void *last_site;                /* of the last call */
    const struct procedure *polled; /* the last call of MPI_Test or its like that found nothing, ... */
    void *polled_at;                /* ... where, ... */
    uint64_t polls;                 /* ... and how many there were */
};

extern struct process process;
extern __thread bool process_is_main
    __attribute__((tls_model("initial-exec"))); /* this thread has called MPI_Init */

/* Finds the library below and the board, as far as they can be found before MPI_Init. */
void process_open(void);
/* Whether a rank of MPI_COMM_WORLD has the board, too. */
bool process_shares(int world);
/* Whether the library below is Inkling. */
bool process_is_inkling(void);
/* Tells what was found when no rank can: they have ended, and nobody has told. */
void process_tell_late(void);
/* Ends the job, as an error with a fatal handler does. */
_Noreturn void process_abort(int code, enum board_end why);

#endif
