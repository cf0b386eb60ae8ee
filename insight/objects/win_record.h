/* win_record: a window as checks know it; win_check.c makes it. */
#ifndef INSIGHT_OBJECTS_WIN_RECORD_H
#define INSIGHT_OBJECTS_WIN_RECORD_H

#include "insight/objects/comm_record.h"
#include "insight/objects/win_access.h"

enum {
    WIN_ATTACHED = 8
};

struct win_record {
    struct tracked base;
    struct comm_record comm; /* a copy: the window outlives it */
    uint64_t turn;           /* collectives on the window */
    uint64_t fence_used;     /* the last epoch of a fence that has accesses of this rank: its turn */
    uint64_t shared;         /* of struct win_target, one for each rank */
    uintptr_t memory;        /* of this rank's memory; 0: unknown */
    int watchpoint;          /* of its first byte: watchpoint.h */
    struct attached {
        uintptr_t memory; /* 0: free */
        uintptr_t size;
        int watchpoint;
    } attached[WIN_ATTACHED]; /* to a dynamic window, the first few: displacements are addresses */
    int queried;              /* a rank whose memory MPI_Win_shared_query has told, ... */
    int queried_watchpoint;   /* ... which has this; 0: none */
    int64_t size;
    struct win_record *older, **at; /* another window; `at` points to this one */
    MPI_Errhandler fatal; /* what the program has in place of MPI_ERRORS_RETURN; see error_check.c */
    uint64_t seen
        [64]; /* of each target: the accesses before this number, by a load that may have polled for them */
    uint64_t touched;        /* targets, a bit for each, that have accesses which are not complete there */
    uint64_t completed;      /* counts what completes this rank's accesses, at all targets */
    uint64_t completed_here; /* ... of those that fetch, since what they fetch is there */
    int locks;               /* held: accesses are of a passive target epoch */
    bool is_started;         /* between MPI_Win_start and MPI_Win_complete */
    unsigned char *kept;     /* win_stores.h */
    bool *is_changed;        /* of the bytes that were kept */
    uint64_t kept_at;        /* ... and how far this process had come */
    uint64_t kept_next;      /* ... and how many accesses there had been */
    uint64_t next_at_entry;  /* how many there had been when this rank entered the fence */
    int *posted_to;          /* ranks of MPI_COMM_WORLD that MPI_Win_post named last; NULL: unknown */
    int posted_count;
    int *started_to; /* ... and MPI_Win_start */
    int started_count;
    uint64_t starts[64], posts[64]; /* epochs with each rank of MPI_COMM_WORLD, so far */
    bool has_posted_no_put;         /* the last post asserts MPI_MODE_NOPUT */
    void *posted_at;
    struct late_access *late, **late_end; /* not compared yet, oldest first */
    bool is_same_op;                      /* accumulate_ops=same_op */
    bool is_unordered;                    /* accumulate_ordering without waw */
    void *unordered_at;
    struct win_doubt *doubts; /* win_conflict.c */
    bool has_fetched;         /* accumulates under way bring the target's value */
};

/* This rank's windows: adds one, or takes one out. */
void win_check_keep(struct win_record *w);
void win_check_forget(struct win_record *w);
struct win_record *win_check_find(MPI_Win win);
/* The group of the window of a call; NULL: it has none. */
const struct comm_record *win_check_comm(const struct intercept *call);
/* The windows of this rank, the newest first; NULL: none. */
extern struct win_record *win_record_all;
static inline struct win_record *win_check_windows(void)
{
    return win_record_all;
}
/* An access brings the target's value. */
bool win_check_fetches(const struct intercept *call);
/* Who had an exclusive lock of this target last, as a rank of MPI_COMM_WORLD; -1: nobody, or not known. */
int win_check_holder(const struct win_record *w, int target);
/* The window of a call; NULL: it has none that is known. */
struct win_record *win_check_of(const struct intercept *call);
/* NULL: unknown. */
struct win_target *win_check_target(const struct win_record *w, int rank);
/* Bytes of the targets of a window with so many ranks, on the board. */
size_t win_check_size(int size);
enum access_kind win_check_kind(const struct intercept *call);

#endif
