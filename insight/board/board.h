/* board: the memory that the ranks of a host share for checks.
 *
 * mpiexec makes it, as a memfd, and prints the findings that are in it when all ranks have ended, however they did.
 * Ranks open it by INKLING_JOB_BOARD; under another launcher the first rank of each host makes one (board_gather.c). References are offsets from its
 * beginning, 0 for none. The board's lock protects all that is not said to be atomic; it is given up after a while if a rank died
 * with it. Ranks are those of MPI_COMM_WORLD.
 */
#ifndef INSIGHT_BOARD_BOARD_H
#define INSIGHT_BOARD_BOARD_H

#include "insight/board/finding_list.h"
#include "insight/call/type_signature.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* far_log: collectives whose members have several boards, for the comparing of these boards in MPI_Finalize (board_gather.c).
 *
 * The first rank of a board that comes to such a collective puts down what it calls, as long as there is room. Where ranks of one
 * board differ already, another board's ranks do so for the same reason: that collective is not compared again. The board's lock
 * protects it.
 */

enum {
    FAR_CALLS = 4096
};

struct far_call {
    uint64_t number, turn; /* of the object and of the collective on it: comm_check.c */
    uint64_t op;
    struct call_place place;
    uint32_t procedure;
    int root;
    int rank, world;  /* in the communicator, and in MPI_COMM_WORLD */
    int group;        /* 1, 2: of an intercommunicator */
    bool is_reported; /* ranks of one board differ */
};

struct far_log {
    uint32_t count;
    bool is_full; /* there were more */
    struct far_call call[FAR_CALLS];
};

/* One more than the index of the call; 0: no room. */
uint32_t far_log_add(struct far_log *log, const struct far_call *call);
/* Ranks of the board differ in this call, as far_log_add has returned it. */
void far_log_report(struct far_log *log, uint32_t added);
/* Compares each collective that both have, and adds what this one lacks. Modules are those of the lists. */
void far_log_merge(struct far_log *log, struct finding_list *list, const struct far_log *other,
                   const struct finding_list *modules,
                   bool (*compare)(const struct far_call *one, const struct far_call *two));

/* last_words: what a rank keeps on the board, so that its death loses nothing that was seen before.
 *
 * MPI_Recv leaves the look at its message for later (message_check.h). Until then the receive stands here, and the envelope in the channel,
 * so that who tells the findings can compare the two when the rank is dead (late_receive.c). The rank itself writes all of it;
 * others read it when the rank has ended.
 */

/* A receive whose message is the first in the channel that fits. */
struct late_receive {
    _Atomic uint32_t is_set; /* stored with release when the rest is there: its writer may die in between */
    int from;                /* in MPI_COMM_WORLD */
    int source, tag;         /* as the status has them */
    bool is_truncated;
    bool is_handled; /* the program gets its errors itself */
    uint64_t comm;   /* number */
    struct type_signature signature;
    struct call_place place;
};

struct last_words {
    struct late_receive receive;
    struct call_place call; /* the last one, or the one that it is in */
    struct call_place crash;
    _Atomic int
        signal; /* that it died of, where a handler saw it; stored with release when `crash` is there; 0: none */
};

enum {
    BOARD_RANKS = 512,
    BOARD_NAME = 64,
    BOARD_TABLES = 1024,
    BOARD_ENTERED = 8,
    BOARD_STEPS = 256,
    BOARD_OVER = 64,    /* words */
    BOARD_CLASSES = 32, /* sizes of blocks: powers of two */
    ORDER_RANKS = 64    /* in larger jobs accesses of different ranks are not compared: order_clock.h */
};

/* Of the findings. Who tells them may be killed before it is done. */
enum board_printed {
    PRINTED_NOT,
    PRINTED_IN_PART,
    PRINTED_ALL /* or another tells them */
};

enum rank_state {
    RANK_ABSENT, /* has not called MPI_Init */
    RANK_RUNNING,
    RANK_WAITING, /* in a call, for those that `targets` names */
    RANK_POLLING, /* has got nothing done for long but calls MPI_Test or its like */
    RANK_MEETING, /* ... or is in a call that makes a communicator of ranks of this job */
    RANK_STILL,   /* ... or is in another call */
    RANK_OUTSIDE, /* ... and is in no call: it may compute */
    RANK_ENDED,   /* has left MPI_Finalize */
    RANK_LOST     /* has died, and the job goes on: loss.h */
};

/* Why a rank ends the job by MPI_Abort, which the program has not called. */
enum board_end {
    END_NOT,
    END_DEADLOCK,
    END_ERROR /* of a call, whose error handler is MPI_ERRORS_ARE_FATAL */
};

/* In words; NULL: END_NOT. */
const char *board_end_text(enum board_end end);

/* What a rank waits for. Its own watchdog writes it (hang.c). */
struct board_rank {
    _Atomic int state;
    _Atomic uint64_t progress; /* counts what the rank has done */
    _Atomic uint64_t
        looked; /* when its watchdog wrote all this, in ms of the host's clock; release, and acquire in circle.c */
    _Atomic uint64_t since; /* when its call began, or the last one ended; relaxed, late by a tick */
    int pid;
    bool is_any; /* one of them is enough */
    uint64_t targets[BOARD_RANKS / 64];
    struct call_place place;
    char text[384];             /* what it does */
    char detail[512];           /* the operation that it waits for; "": the call says it all */
    struct last_words last;     /* late_receive.c */
    _Atomic uint64_t clock[64]; /* order_clock.h */
    uint64_t events;            /* buffering_check.c */
    _Atomic uint32_t finalizes; /* it has called MPI_Finalize; release, and acquire in process_state.c */
};

/* order_clock.h: what a rank knew when it entered a collective call. */
struct board_entered {
    _Atomic uint64_t call; /* which; 0: it is being written */
    _Atomic uint64_t clock[64];
};

/* The last collective on an object that its ranks have called at different places of their sequences. What follows it at once, up to one
 * that they call alike, is of the same fault. */
struct board_step {
    uint64_t number, turn;
};

/* loss.h: what is over in a job that goes on when ranks die. */
struct loss {
    _Atomic uint32_t news;                   /* counts what is below; release after it is written */
    _Atomic uint64_t dead[BOARD_RANKS / 64]; /* bits */
    _Atomic uint64_t over[BOARD_OVER];       /* bits: numbers of objects with a dead member, or revoked */
    _Atomic uint64_t revoked[BOARD_OVER];    /* ... of those revoked */
};

struct board {
    uint64_t magic, nonce, bytes; /* bytes: of this struct; another version's is none */
    _Atomic uint32_t lock;
    _Atomic uint32_t is_hung;      /* a deadlock has been said */
    _Atomic uint32_t end;          /* enum board_end; release, and acquire in mpiexec */
    _Atomic uint32_t printed;      /* enum board_printed */
    _Atomic uint32_t is_used;      /* a rank has opened it; release, and acquire in mpiexec */
    _Atomic uint32_t ended;        /* ranks that have left MPI_Finalize, where no mpiexec tells */
    _Atomic uint32_t gone_through; /* ranks that have called buffering_check_end */
    _Atomic uint64_t used;         /* bytes of the heap, which begins behind this struct */
    uint64_t free[BOARD_CLASSES];
    uint64_t table[BOARD_TABLES];        /* collectives and windows by the communicator's number */
    struct board_step step[BOARD_STEPS]; /* by number */
    _Atomic uint32_t clocks;             /* bits: order_clock.c */
    struct board_rank rank[BOARD_RANKS];
    struct board_entered entered[64][BOARD_ENTERED]; /* the last ones of a rank, in a ring */
    uint64_t channel[BOARD_RANKS][BOARD_RANKS];      /* from, to: messages under way */
    struct loss loss;
    struct finding_list list;
    struct far_log far;
};

extern struct board *board; /* NULL: none */

/* Makes a board; the descriptor, -1: no memory. */
int board_make(struct board **made);
/* What others of this host open it by: "/proc/PID/fd/N NONCE". */
void board_name(const struct board *b, int fd, char name[BOARD_NAME]);
/* NULL: it is not there, as on another host, or no board of this version; then nothing is written to what is there. */
struct board *board_open(const char *name);
void board_lock(void);
/* Ranks differ in this collective on an object; true: so they did in the one before, and it is the same fault. The caller has the lock. */
bool board_goes_on(uint64_t number, uint64_t turn);
void board_unlock(void);
/* Zeroed memory; 0: none is left. The caller has the lock. */
uint64_t board_allocate(size_t size);
void board_free(uint64_t offset, size_t size);
void *board_at(uint64_t offset);

#endif
