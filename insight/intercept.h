/* intercept: libinkling_insight.so, which looks at every MPI call of a program and says what is wrong with it.
 *
 * It stands before any library with the ABI of MPI-5.0, by LD_PRELOAD, and uses the standard's C interface only. Each MPI_ and
 * PMPI_ name is a generated wrapper (gen/insight.py): it puts its arguments into an array, asks the checks of its family
 * (families.txt) before and after, and calls the next function of its own name. So a PMPI tool of the program works, above or
 * below: above, in the executable, it calls the PMPI_ wrappers; below, in a library, the MPI_ wrappers call it. What the tool
 * calls then, and what MPI calls itself, in a callback of the program, is passed on unseen. The checks' own calls go to the PMPI_
 * functions, past the tool.
 *
 * Ranks of a host share a board (board.h): the messages under way, the collectives that have begun, who waits for what, and the
 * findings (finding.h). mpiexec prints them at the end of the job; under another launcher the last rank does, or, where there are
 * several boards, rank 0 (board_gather.h). A check never waits for another rank and never changes who waits for whom, but where all are in
 * one collective call anyway: MPI_Init, MPI_Finalize, and calls that make windows and communicators of sessions. Objects are known
 * by handle (tracked.h).
 *
 * Threads: one lock, call_lock.h, is held while checks run, and never while the library below does.
 */
#ifndef INSIGHT_INTERCEPT_H
#define INSIGHT_INTERCEPT_H

#include "insight/type_signature.h"

#include <insight/procedures.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct procedure {
    const char *name;
    const char *letters;   /* a letter for each argument: gen/kinds.py */
    const char *arguments; /* their names, by commas */
    enum family family;
    bool is_large;    /* the _c form */
    bool is_any_time; /* legal before MPI_Init and after MPI_Finalize */
    bool is_deprecated;
    signed char at[ROLES];
};

struct real_name {
    const char *name;
    size_t offset; /* in struct real; the name is that in `real`, and without its P that in `below` */
};

extern const struct procedure procedures[PROCEDURES];
extern const struct real_name real_names[];

enum {
    INTERCEPT_SAVED = 6 /* the last two are collective_check.c's */
};

/* One call of the program's, on its stack. The wrapper fills the first four; intercept_begin clears the rest, as far as it is
 * used, since to zero all of it would cost more than a check. */
struct intercept {
    const struct procedure *procedure;
    int64_t *argument;      /* as the library below will see them: a check may put its own status in */
    void *site;             /* where the program goes on; of a call from Python, its line: program_site.h */
    bool is_profiling;      /* of the PMPI_ name */
    void *code;             /* where the code goes on that has called */
    bool is_fortran;        /* made by a Fortran binding */
    bool is_of_binding;     /* made by a Fortran binding for itself: what it makes is not the program's */
    struct intercept *next; /* calls of other threads */
    uint64_t since;         /* when it began to wait, as the watchdog saw it (hang.h); 0: not seen yet */
    bool is_checked;        /* begun with the checks on (process_state.h) */
    bool is_reported;       /* something was found: an error of the library below is its consequence */
    bool ignores_status;    /* the program gave MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE */
    MPI_Status status;      /* for the library below, where it did */
    void *detail;           /* what the family's check found before the call */
    int64_t saved[INTERCEPT_SAVED]; /* handles that the call sets to null */
    int64_t *many;                  /* as many as are needed */
    struct {
        uint64_t entered, request;
        int64_t bytes;
        void *block, *freed;
    } seen; /* observe.h */
};

/* False: the call is passed on unseen. */
bool intercept_begin(struct intercept *call);
/* Returns the error for the program. */
int intercept_end(struct intercept *call, int error);
/* "MPI_Send(buf=0x7ffc, count=1, datatype=MPI_INT, dest=1, tag=7, comm=MPI_COMM_WORLD)" */
void intercept_describe(const struct intercept *call, char *text, size_t size);
/* The library below must give a status, also where the program ignores it. */
void intercept_want_status(struct intercept *call);

/* This thread is in a call. */
bool intercept_is_inside(void);
/* The calls that have begun and not ended, for the watchdog, which holds the lock. */
struct intercept *intercept_calls(void);
/* How many calls of this process have got something done: those that only looked do not count. */
uint64_t intercept_progress(void);

static inline bool intercept_has(const struct intercept *call, enum role role)
{
    return call->procedure->at[role] >= 0;
}

/* The argument of this role; 0: there is none. */
static inline int64_t intercept_argument(const struct intercept *call, enum role role)
{
    return call->procedure->at[role] < 0 ? 0 : call->argument[(int)call->procedure->at[role]];
}

/* An element of an array of int or, in the _c form, of MPI_Count. */
static inline int64_t intercept_element(const struct intercept *call, enum role role, int index)
{
    const void *array = (const void *)(intptr_t)intercept_argument(call, role);

    return call->procedure->is_large ? ((const MPI_Count *)array)[index] : ((const int *)array)[index];
}

#endif
