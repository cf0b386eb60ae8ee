/* intercept: one call of the program's, with its arguments, and the calls that have begun and not ended. Its wrapper makes it (wrap.h). */
#ifndef INSIGHT_CALL_INTERCEPT_H
#define INSIGHT_CALL_INTERCEPT_H

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
    bool is_synchronous, is_buffered; /* of sends: MPI_Issend, MPI_Bsend_init, ... */
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

/* One call of the program's, on its stack. The wrapper fills the first four; wrap_begin clears the rest, as far as it is
 * used, since to zero all of it would cost more than a check. */
struct intercept {
    const struct procedure *procedure;
    int64_t *argument;       /* as the library below will see them: a check may put its own status in */
    void *site;              /* where the program goes on; of a call from Python, its line: program_site.h */
    bool is_profiling;       /* of the PMPI_ name */
    void *code;              /* where the code goes on that has called */
    bool is_fortran;         /* made by a Fortran binding */
    bool is_of_binding;      /* made by a Fortran binding for itself: what it makes is not the program's */
    struct intercept *next;  /* calls of other threads */
    uint64_t since;          /* when it began to wait, as the watchdog saw it (hang.c); 0: not seen yet */
    bool is_checked;         /* begun with the checks on (process_state.c) */
    struct intercept *outer; /* the call that this thread is in already; NULL: none */
    bool is_reported;        /* something was found: an error of the library below is its consequence */
    bool ignores_status;     /* the program gave MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE */
    MPI_Status status;       /* for the library below, where it did */
    void *detail;            /* what the family's check found before the call */
    struct {
        uintptr_t low, high; /* high 0: none */
        bool is_dense;
    } buffer; /* of a nonblocking send or receive: the bytes that it spans, and whether all are its own */
    int64_t saved[INTERCEPT_SAVED]; /* handles that the call sets to null */
    int64_t *many;                  /* as many as are needed */
    struct {
        uint64_t entered, request;
        int64_t bytes;
        void *block, *freed;
        bool is_outside; /* it receives into memory that is not of MPI */
    } seen;              /* observe.h */
};

/* "MPI_Send(buf=0x7ffc, count=1, datatype=MPI_INT, dest=1, tag=7, comm=MPI_COMM_WORLD)" */
void intercept_describe(const struct intercept *call, char *text, size_t size);
/* The library below must give a status, also where the program ignores it. */
void intercept_want_status(struct intercept *call);

enum intercept_where {
    INTERCEPT_PROGRAM,
    INTERCEPT_BELOW, /* in the library below, which may call the program back */
    INTERCEPT_CHECKS /* before the library below or behind it; the lock may be held */
};

/* Where this thread is. */
extern __thread enum intercept_where intercept_where __attribute__((tls_model("initial-exec")));
/* This thread is in a call. */
bool intercept_is_inside(void);
/* The call begins, or ends. The lock is held. */
void intercept_add(struct intercept *call);
void intercept_remove(struct intercept *call);
/* The calls that have begun and not ended, for the watchdog, which holds the lock. */
struct intercept *intercept_calls(void);
/* How many calls of this process have got something done: those that only looked do not count. */
uint64_t intercept_progress(void);
void intercept_count_progress(void);

static inline bool intercept_has(const struct intercept *call, enum role role)
{
    return call->procedure->at[role] >= 0;
}

/* The argument of this role; 0: there is none. */
static inline int64_t intercept_argument(const struct intercept *call, enum role role)
{
    return call->procedure->at[role] < 0 ? 0 : call->argument[(int)call->procedure->at[role]];
}

/* The arguments of a send or a receive of one buffer: these procedures have them in this order (gen/insight.py). */
enum {
    MESSAGE_ARGUMENTS = 6
};
struct message_arguments {
    const void *buffer;
    int64_t count;
    MPI_Datatype type;
    int peer, tag;
    MPI_Comm comm;
};

static inline struct message_arguments intercept_message(const struct intercept *call)
{
    const int64_t *a = call->argument;

    return (struct message_arguments){
        (const void *)(intptr_t)a[0], a[1], (MPI_Datatype)(intptr_t)a[2], (int)a[3], (int)a[4],
        (MPI_Comm)(intptr_t)a[5]};
}

/* An element of an array of int or, in the _c form, of MPI_Count. */
static inline int64_t intercept_element(const struct intercept *call, enum role role, int index)
{
    const void *array = (const void *)(intptr_t)intercept_argument(call, role);

    return call->procedure->is_large ? ((const MPI_Count *)array)[index] : ((const int *)array)[index];
}

#endif
