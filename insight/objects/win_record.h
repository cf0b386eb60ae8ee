/* win_record: a window as checks know it; win_check.c makes it. */
#ifndef INSIGHT_OBJECTS_WIN_RECORD_H
#define INSIGHT_OBJECTS_WIN_RECORD_H

#include "insight/board/board.h"
#include "insight/objects/comm_record.h"
#include "insight/objects/type_check.h"

/* What ranks know of each other's accesses to a window, on the board. */
enum {
    ACCESSES = 64, /* to a target, the last ones */
    PARTS = 8,     /* of an access, without gaps */
    GIVEN = 64     /* bytes of a put */
};

enum access_kind {
    ACCESS_NONE,
    ACCESS_GET,
    ACCESS_PUT,
    ACCESS_ACCUMULATE
};

struct access {
    int kind, origin;       /* rank in MPI_COMM_WORLD */
    bool fetches, is_local; /* local: of a call that is no access to a window, or of none */
    bool is_direct;         /* a load or a store */
    bool is_polled;         /* a load that may wait for another value */
    bool is_blind;          /* a store of a rank that has not loaded there since its last call */
    bool is_started;        /* in an epoch of MPI_Win_start */
    int64_t low, high;
    uint64_t interval, completed, completed_here;
    uint64_t
        end; /* the interval in which it was complete at the target; 0: it is not, who learns of its rank knows nothing of it */
    uint64_t fence; /* its epoch; 0: of locks, or of MPI_Win_start */
    uint64_t op;
    uint32_t basic;   /* the one basic type of an accumulate; 0: several */
    uint64_t sum;     /* of what the origin gives */
    uint64_t serial;  /* its number at the target */
    bool is_numbered; /* it has one */
    uint64_t seen;    /* of a direct one: it comes after those before this number */
    uint32_t procedure;
    struct call_place place;
    uint32_t known[ORDER_RANKS]; /* the intervals of others that its rank knew of */
    int given;                   /* how many of the bytes that it puts are known, from `low` on */
    unsigned char given_bytes[GIVEN];
    int parts; /* 0: more than there is room for; who it conflicts with is not known */
    struct byte_run part[PARTS];
};

struct win_target {
    int64_t unit;
    uint64_t next;
    int holder; /* the last one with an exclusive lock: one more than its rank in MPI_COMM_WORLD; 0: none */
    _Atomic uint32_t is_synced; /* its rank calls MPI_Win_sync, to order what it loads and stores; relaxed */
    _Atomic uint32_t has_atomics; /* the program orders its loads and stores there itself; relaxed */
    uint64_t no_put;              /* the epoch of a fence that asserts MPI_MODE_NOPUT */
    struct call_place no_put_at;
    struct late_put {
        uint64_t epoch; /* of MPI_Win_start for this target; 0: none */
        uint32_t procedure;
        struct call_place place;
    } started_put[ORDER_RANKS]; /* the last of each rank of MPI_COMM_WORLD */
    _Atomic uint64_t
        entered[2][ORDER_RANKS];            /* its clock when it entered the last fence and the one before */
    _Atomic uint64_t posted[ORDER_RANKS];   /* its clock when it last posted */
    _Atomic uint64_t unlocked[ORDER_RANKS]; /* what those knew who have given up a lock of this target */
    /* The bytes of each access, under the board's lock, as it has: few lines to look at, where most accesses meet no other. */
    int64_t low[ACCESSES], high[ACCESSES];
    struct access access[ACCESSES];
};

/* It changes nothing at the target: a get, a load, or an accumulate of MPI_NO_OP. */
static inline bool win_access_reads(const struct access *a)
{
    return a->kind == ACCESS_GET || (a->kind == ACCESS_ACCUMULATE && a->op == (uintptr_t)MPI_NO_OP);
}

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
