/* request_record: a request, or an operation under way without one, as checks know it; request_check.c makes it. */
#ifndef INSIGHT_OBJECTS_REQUEST_RECORD_H
#define INSIGHT_OBJECTS_REQUEST_RECORD_H

#include "insight/call/tracked.h"
#include "insight/call/type_signature.h"
#include "insight/objects/posted_receive.h"
#include "insight/objects/span_tree.h"

struct request_record {
    _Alignas(CACHE_LINE) struct tracked base; /* what a plain message has takes no more lines than it must */
    bool is_active, is_persistent, is_partitioned, is_of_file;
    bool is_plain;     /* a nonblocking send or receive of one buffer: what is below `sent` is zero */
    bool is_written;   /* by MPI */
    bool is_dense;     /* the buffer has all bytes of `span` */
    bool is_watched;   /* buffer_watch.c */
    bool is_blamed;    /* the program has used the buffer, and that was said */
    bool is_lost;      /* the library below has ended it: comm_loss.h; its communicator may be freed */
    int watch_cost;    /* of a look at it there; 0: not known yet */
    int watchpoint[2]; /* of `buffer` and `sent_buffer`; 0: none */

    MPI_Comm comm;
    const void *buffer; /* NULL: none to look at */
    int64_t count;
    MPI_Datatype type;
    const void *thread;               /* on whose stack the buffer is: stack_frame.c; NULL: on none */
    uint64_t watched_sum, watched_at; /* at the end of a call, and of which */
    uint64_t sum;                     /* 0: unknown */
    int dest, source, tag, recvtag;   /* MPI_PROC_NULL: none */
    int to;           /* the rank of `dest` in MPI_COMM_WORLD; -1: unknown, or there is none */
    uint64_t message; /* the number of what is sent */
    struct posted_receive *posted;
    const MPI_Request *variable;              /* where the program has the handle */
    uint64_t listed_by;                       /* the last call with an array that had it */
    struct request_record *next, *before;     /* of those that are active */
    struct span span;                         /* of `buffer`, when it was active last; high 0: none */
    struct request_record *alike, **alike_at; /* request_table.h */

    struct type_signature sent, received; /* of a persistent one */
    uint64_t number,
        turn; /* of a collective: collective_check.h; of a persistent one the turn of its making */
    uint64_t access, serial; /* of a window: win_check_fetched */
    const void *sent_buffer; /* of a nonblocking collective, besides `buffer` */
    int64_t sent_count;
    MPI_Datatype sent_type;
    uint64_t sent_sum;
    struct blocks *sent_blocks, *received_blocks; /* ... by counts and displacements: blocks.c; NULL: none */
    struct input_arrays *arrays;                  /* of a collective: input_arrays.c; NULL: none */
    uint64_t starts;                              /* of a persistent collective, so far */
    const void *win; /* of an access; without a request it is on the list alone; NULL: another */
    int peer;        /* of a partitioned one, or the target of an access */
    struct partitions *partitions; /* of a partitioned send */
    void *waited_at;               /* a persistent one that had not been started */
    MPI_Comm made;                 /* of MPI_Comm_idup; NULL: none */
    void *started_at;              /* a persistent one, last */
};

/* Zeroed, but of a plain message what it sets; NULL: no memory. */
struct request_record *request_record_make(bool is_plain);
void request_record_free(struct request_record *r);
/* The request is made, and is in the table of tracked objects, a plain message's once somebody looks for it there: nearly all are complete
 * before. It is active from now on, or at once found there. */
void request_record_track(struct request_record *r, uint64_t handle, const struct intercept *call);
void request_record_untrack(struct request_record *r);
/* Before the table is searched. */
void request_record_track_all(void);
struct request_record *request_check_find(MPI_Request request);
/* The operations under way, the last one first; request_check.c keeps the list. */
extern struct request_record *request_record_active;
static inline struct request_record *request_check_active(void)
{
    return request_record_active;
}

/* The communicator of the request that the call completes; 0: unknown. */
MPI_Comm request_check_comm(const struct intercept *call);

#endif
