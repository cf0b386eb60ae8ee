/* posted_receive: a receive as checks know it; message_check.c fills it. */
#ifndef INSIGHT_OBJECTS_POSTED_RECEIVE_H
#define INSIGHT_OBJECTS_POSTED_RECEIVE_H

#include "insight/call/type_signature.h"
#include "insight/objects/comm_record.h"

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
struct posted_receive *posted_receive_make(void);
void posted_receive_free(struct posted_receive *p);

#endif
