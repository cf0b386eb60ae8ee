/* board: the memory that the ranks of a host share for checks.
 *
 * mpiexec makes it, as a memfd without a name, and prints the findings that are in it when all ranks have ended, however they did.
 * Ranks open it by INKLING_CHECK_BOARD; under another launcher the first rank makes it. References are offsets from its
 * beginning, 0 for none. The board's lock protects all that is not said to be atomic; it is given up after a while if a rank died
 * with it. Ranks are those of MPI_COMM_WORLD.
 */
#ifndef INSIGHT_BOARD_H
#define INSIGHT_BOARD_H

#include "insight/finding.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BOARD_RANKS = 512,
    BOARD_FINDINGS = 256,
    BOARD_MODULES = 128,
    BOARD_PATH = 512,
    BOARD_TABLES = 1024,
    BOARD_CLASSES = 32 /* sizes of blocks: powers of two */
};

enum rank_state {
    RANK_ABSENT, /* has not called MPI_Init */
    RANK_RUNNING,
    RANK_WAITING, /* in a call, for those that `targets` names */
    RANK_POLLING, /* has got nothing done for long but calls MPI_Test or its like */
    RANK_STILL,   /* ... and none of these */
    RANK_ENDED    /* has left MPI_Finalize */
};

/* What a rank waits for. Its own watchdog writes it (hang.h). */
struct board_rank {
    _Atomic int state;
    _Atomic uint64_t progress; /* counts what the rank has done */
    int pid;
    bool is_any; /* one of them is enough */
    uint64_t targets[BOARD_RANKS / 64];
    struct call_place place;
    char text[384];             /* what it does */
    _Atomic uint64_t clock[64]; /* order_clock.h */
};

struct board {
    _Atomic uint32_t lock;
    _Atomic uint32_t findings;
    _Atomic uint32_t is_hung; /* a deadlock has been said */
    _Atomic uint32_t is_printed;
    _Atomic uint32_t finalizing; /* ranks that have called MPI_Finalize */
    _Atomic uint64_t used;       /* bytes of the heap, which begins behind this struct */
    uint64_t free[BOARD_CLASSES];
    uint64_t table[BOARD_TABLES]; /* collectives and windows by the communicator's number */
    uint32_t modules;
    _Atomic uint32_t clocks; /* bits: order_clock.c */
    char module[BOARD_MODULES]
               [BOARD_PATH]; /* paths of program and libraries; place.module is one more than the index */
    struct board_rank rank[BOARD_RANKS];
    uint64_t channel[BOARD_RANKS][BOARD_RANKS]; /* from, to: messages under way */
    struct finding finding[BOARD_FINDINGS];
};

extern struct board *board; /* NULL: none */

/* Makes a board; the descriptor, -1: no memory. */
int board_make(struct board **made);
int board_open(const char *path);
void board_lock(void);
void board_unlock(void);
/* Zeroed memory; 0: none is left. The caller has the lock. */
uint64_t board_allocate(size_t size);
void board_free(uint64_t offset, size_t size);
void *board_at(uint64_t offset);

#endif
