/* process_record: this process as checks see it: its rank, whether MPI is up, and who shares its board. process_state.c writes most of it. */
#ifndef INSIGHT_BOARD_PROCESS_RECORD_H

#define INSIGHT_BOARD_PROCESS_RECORD_H

#include <stdbool.h>
#include <stdint.h>

struct procedure;
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
    bool gathers;                   /* there are several boards: board_gather.c */
    bool is_told;                   /* Inkling's mpiexec tells what was found */
    bool has_found;                 /* this process has told of a finding: its exit code is not 0 */
    bool has_watchdog;              /* the thread of hang.c is there */
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

/* Whether a rank of MPI_COMM_WORLD has the board, too. */
bool process_shares(int world);
/* Whether the library below is Inkling. */
bool process_is_inkling(void);

#endif
