/* region: a shared memory region. Each rank of a communicator allocates one part, and all ranks map all
 * parts.
 *
 * A rank that frees a region adds 1 to a counter in each other rank's part: it will not access that part any
 * more. A rank's part goes back to the heap when all others have counted. Nobody waits for that, and nobody
 * accesses memory that is gone. What is left when the last communicator goes ends with the process.
 *
 * Ranks of other jobs may end before this one: a region holds what is mapped of them. They do not count then, so this rank's part stays.
 *
 * Threads: any thread may free regions. Making one is collective.
 */
#ifndef COLL_SHM_REGION_H
#define COLL_SHM_REGION_H

#include "base/list.h"
#include "coll/sched/schedule.h"

#include <stdatomic.h>
#include <stdbool.h>

enum {
    REGION_RANKS = 64, /* of a communicator, at most */
    REGION_UNIT = 128  /* a pair of cache lines, which processors like to fetch together */
};

/* A rank's part, as this rank maps it. */
struct region_part {
    unsigned char *at;
    struct peer *peer;                 /* NULL: this process */
    const _Atomic uint32_t *attention; /* the peer's, see transport.h; NULL: this process */
};

struct shm_region {
    struct link
        link; /* among the freed ones that others may still access; first, so that tools for leaks find them */
    int rank, size;
    size_t bytes;    /* of a part; a multiple of REGION_UNIT */
    bool can_get;    /* every rank reads and writes all memory of every other through the transport */
    bool all_mapped; /* all ranks asserted that their buffers lie in memory that others map */
    struct region_part part[];
};

/* Collective. Each rank gets `bytes` bytes (a multiple of REGION_UNIT), aligned to REGION_UNIT; the first
 * `cleared` of them are zero. bytes 0: this rank lacks memory for something else, and no rank gets a region.
 * NULL, on all ranks: one of them has no memory, or cannot map that of the others. */
struct shm_region *region_new(struct comm *comm, size_t bytes, size_t cleared);

/* Some ranks of a communicator, and which of them see each other. */
struct region_team {
    struct schedule_team ranks; /* who shares the host */
    const int *
        member; /* the positions of those whose parts this rank maps, and its own; they map its part too. NULL: of all */
    int count, self; /* how many; the index of its own, which is its rank in the region */
};
/* The same, where all ranks of comm are in some such team. */
struct shm_region *region_new_in(struct comm *comm, const struct region_team *team, size_t bytes,
                                 size_t cleared);
/* Returns the error of an exchange by which ranks agree. A rank without memory for it has told nobody and
 * would choose otherwise than the others: then the job ends. */
int region_agreed(int error);
/* This rank does not access it any more. */
void region_free(struct shm_region *region);

#endif
