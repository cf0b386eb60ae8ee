/* rank: what one process of a job does: its threads, and what each of them waits for. */
#ifndef CMD_WHERE_RANK_H
#define CMD_WHERE_RANK_H

#include "cmd/where/objects.h"
#include "cmd/where/stack.h"

enum {
    RANK_THREADS = 64,
    RANK_SETTLED_MS = 500,
    RANK_AWAITED = 64 /* processes that a thread waits for, as many as are kept */
};

/* What a thread waits for. */
enum rank_wait {
    FOR_UNKNOWN,
    FOR_MESSAGE,    /* a receive */
    FOR_PROBE,      /* likewise */
    FOR_RECEIVER,   /* a send */
    FOR_ANY,        /* one of several requests */
    FOR_PART,       /* a message of a collective, from one process or to it */
    FOR_COLLECTIVE, /* others in a collective */
    FOR_LOCK,       /* of a window */
    FOR_POST,
    FOR_COMPLETE
};

struct rank_thread {
    pid_t tid;
    char state; /* R, S, T ... */
    bool in_mpi;
    bool is_unseen;  /* its stack could not be read, although those of others can */
    char call[64];   /* "MPI_Recv"; "": not known */
    char place[300]; /* "at halo.c:88", "in solve()+0x1f"; "": not known */
    char doing[300]; /* of a thread that is not in MPI: "computes in smooth() at grid.c:33" */
    bool
        is_settled; /* it has waited for RANK_SETTLED_MS, and did so all the time while the job was looked at */
    bool waits;     /* and the rest says for what */
    enum rank_wait wait;
    uint64_t comm, context;
    int peer, tag;       /* rank in the communicator or window, or MPI_ANY_SOURCE; the tag */
    uint64_t bytes;      /* FOR_RECEIVER: of the message */
    uint64_t since_ns;   /* when the wait was noted */
    char collective[32]; /* its name, where the library says it; "" */
    bool is_precise;     /* `awaited` is all that it waits for; else it may be others of the communicator */
    int awaited[RANK_AWAITED], awaits; /* process numbers */
    uint64_t what;                     /* the request that it waits for; 0: none */
    char posted[OBJECTS_PLACE];        /* where that was posted or started; "": not known */
    double stopped_ms;
};

/* Of a second (shares.c). */
struct rank_shares {
    int waits;      /* samples that found its first thread waiting in MPI */
    uint64_t ticks; /* of cores that it had used before */
    double core;    /* of a core that it used */
    uint64_t messages,
        since_ns; /* that it had received through shared memory before, and when that was read */
    double rate;  /* of these in a second; below 0: not known */
};

struct rank_view {
    struct traced traced;
    char host
        [65]; /* ""; another host, which has told of it: its memory cannot be read, and `traced` has no table */
    struct rank_shares shares;
    struct script_python python;
    struct objects objects;
    bool has_objects; /* they were the same before and after the stacks were read */
    struct rank_thread thread[RANK_THREADS];
    int threads;     /* that are in MPI, and the first one */
    bool is_refused; /* its threads may not be stopped */
};

/* Looks at the process v->traced. */
void rank_look(struct rank_view *v);
/* Once all ranks have been looked at: which of its threads are settled. What ranks do at one moment is known only of these. */
void rank_settle(struct rank_view *v);

#endif
