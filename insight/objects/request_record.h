/* request_record: a request, or an operation under way without one, as checks know it; request_check.c makes it. */
#ifndef INSIGHT_OBJECTS_REQUEST_RECORD_H
#define INSIGHT_OBJECTS_REQUEST_RECORD_H

#include "insight/call/tracked.h"
#include "insight/call/type_signature.h"
#include "insight/objects/comm_record.h"
#include "insight/objects/span_tree.h"
#include "insight/objects/type_check.h"

/* The partitions of a request as checks know them; partition_check.c makes them. */
enum {
    PARTITIONS_WATCHED = 16, /* the first ones and the last */
    PARTITIONS_BY_HARDWARE = 3
};

/* What is known of the partitions of one request. */
struct partitions {
    const char *buffer;
    int64_t count; /* of items in each */
    MPI_Datatype type;
    int total;
    bool is_received;
    struct {
        int partition, watchpoint;
    } watch[PARTITIONS_WATCHED];
    uint64_t sum[]; /* of each since it is ready; 0: it is not. Of a receive 1: it has arrived */
};

/* The partition that a call may not use so; -1: none. */
int request_partition_overlap(const struct partitions *p, const void *buffer, int64_t count,
                              MPI_Datatype type, bool is_written);
const char *request_partition_at(const struct partitions *p, const struct type_record *type, int partition);

/* posted_receive: a receive as checks know it; message_check.c fills it. */
enum {
    CACHE_LINE = 64
};

/* A receive between its call and the check of its message. */
struct posted_receive {
    _Alignas(CACHE_LINE) struct posted_receive *next;
    uint64_t
        told_at; /* the last that was posted before the program had its status; UINT64_MAX: it ignores it */
    uint64_t ended_at; /* the last that was posted before it was complete */
    uint32_t interval; /* in which it was complete: order_clock.h */
    int got_source, got_tag, error;
    int from;                           /* the rank of got_source in MPI_COMM_WORLD; -1: not known */
    bool is_done, is_probe, is_awaited; /* awaited: the program could not go on without it */
    bool is_status_watched;             /* status_watch.h knows when the program was told */
    const struct procedure *procedure; /* of MPI_Recv, whose call may be over when its message is looked at */

    uint64_t comm;   /* number; what is above begins as zero */
    uint64_t serial; /* of receives as they are posted */
    struct comm_record *record;
    int source, tag; /* wildcards as the program gave them */
    bool is_exact;
    bool is_of_probe; /* of what MPI_Probe has found just before */
    struct type_signature signature;
    int event; /* buffering_check.c */
    void *site;
    int64_t argument[7];
};

/* Not set; NULL: no memory. Some that were freed are kept: to allocate one takes as long as a part of a check. */
struct posted_receive *request_receive_new(void);
void request_receive_free(struct posted_receive *p);

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
    struct request_record *alike, **alike_at; /* request_table.c */

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

/* Requests by handle and by where the program has them. A library may give all requests that were complete at once one
 * handle: there may be 100,000 of one.
 *
 * Its handle and its variable are set. */
void request_table_add(struct request_record *r);
void request_table_remove(struct request_record *r);
/* The newest with this handle in this variable, else the newest with the handle; NULL: none. */
struct request_record *request_table_find(uint64_t handle, const MPI_Request *variable);

#endif
