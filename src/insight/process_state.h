/* process_state: this process as checks see it: its rank, whether MPI is up, and the board it shares. */
#ifndef INSIGHT_PROCESS_STATE_H
#define INSIGHT_PROCESS_STATE_H

#include "insight/intercept.h"

struct process {
    int rank, size;  /* of MPI_COMM_WORLD */
    bool is_on;      /* checks are made */
    bool is_up;      /* between MPI_Init and MPI_Finalize */
    bool was_up;     /* MPI_Finalize has been called */
    int sessions;    /* open */
    bool is_shared;  /* all ranks of MPI_COMM_WORLD have the board: what several ranks do can be compared */
    int level;       /* of threads, as provided */
    int pid;         /* not that of a child that it forked */
    void *last_site; /* of the last call */
    const struct procedure *polled; /* the last call of MPI_Test or its like that found nothing, ... */
    void *polled_at;                /* ... where, ... */
    uint64_t polls;                 /* ... and how many there were */
};

extern struct process process;
extern __thread bool process_is_main
    __attribute__((tls_model("initial-exec"))); /* this thread has called MPI_Init */

/* Finds the library below and the board, as far as they can be found before MPI_Init. */
void process_open(void);
/* Ends the job, as an error with a fatal handler does. */
_Noreturn void process_abort(int code);

#endif
