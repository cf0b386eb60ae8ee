/* win_access: what ranks know of each other's accesses to a window, on the board. */
#ifndef INSIGHT_OBJECTS_WIN_ACCESS_H
#define INSIGHT_OBJECTS_WIN_ACCESS_H

#include "insight/board/board.h"
#include "insight/objects/type_check.h"

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

#endif
