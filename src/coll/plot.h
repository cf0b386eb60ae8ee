/* plot: memory that each rank of a communicator has set apart for it, and that all its ranks map.
 *
 * Who frees a plot tells each of the others, in a word of theirs, that it will not look into their memory any
 * more. The memory goes when all have said so: nobody waits for that, and nobody looks into memory that is
 * gone. What is left over when the last communicator goes ends with the process.
 *
 * Threads: any may free plots; making them is collective.
 */
#ifndef COLL_PLOT_H
#define COLL_PLOT_H

#include "base/list.h"
#include "comm/comm.h"

#include <stdatomic.h>
#include <stdbool.h>

enum {
    PLOT_RANKS = 64, /* of a communicator, at most */
    PLOT_UNIT = 128  /* a pair of cache lines, which processors like to fetch together */
};

/* A rank's memory, as this one sees it. */
struct plot_part {
    unsigned char *at;
    struct peer *peer;                 /* NULL: this process */
    const _Atomic uint32_t *attention; /* the peer's, see transport.h; NULL: this process */
};

struct plot {
    int rank, size;
    size_t bytes;     /* a multiple of PLOT_UNIT */
    bool is_read;     /* every rank gets to all of every other's memory, through the transport */
    bool is_mapped;   /* all said then that their buffers are in memory that others map */
    struct link link; /* among those that others may still look at */
    struct plot_part part[];
};

/* All ranks of comm call this. `bytes` (a multiple of PLOT_UNIT) for each rank, at a multiple of that, the
 * first `cleared` of them zero; 0: this rank lacks memory for something else, and nobody gets any. NULL, on
 * all ranks: one of them has none, or cannot map that of the others. */
struct plot *plot_new(struct comm *comm, size_t bytes, size_t cleared);
/* Returns the error of an exchange by which ranks agree. A rank that had no memory for it has told nobody,
 * and would go another way than the others: then the job ends. */
int plot_agreed(int error);
/* This rank does not look at it any more. */
void plot_free(struct plot *plot);

#endif
