/* vote_lines: how ranks of one host agree on what the infos of a persistent collective say.
 *
 * Each rank has a line that the others read. It counts the persistent collectives of the communicator that the rank has
 * made, and has the rank's votes: what its info says, if that is not what the communicator says already. A rank without
 * a vote only counts. It takes what the communicator says whatever the others vote, so it need not look. A rank with a
 * vote casts it, and waits until all have made as many collectives. Each of them has then cast a vote with that number, or
 * none.
 *
 * Room for two votes is enough. A rank casts another vote after the next one only when all have counted that, and who has
 * counted it has read the one before.
 *
 * Threads: collective calls, one at a time for each communicator.
 */
#ifndef COLL_SHM_VOTE_LINES_H
#define COLL_SHM_VOTE_LINES_H

#include "coll/shm/region.h"

struct vote_lines {
    uint64_t made, cast; /* by this rank: collectives and votes */
    struct shm_region *region;
};

/* Collective. There is no region, on all ranks, if one of them has no memory for it. */
void vote_lines_open(struct vote_lines *v, struct comm *comm);
void vote_lines_close(struct vote_lines *v);

/* This rank makes a persistent collective, and has no vote. */
void vote_lines_abstain(struct vote_lines *v);
/* It has this vote. Returns the bits in which the ranks' differ, `usual` being the vote of a rank without one. */
uint64_t vote_lines_cast(struct vote_lines *v, uint64_t word, uint64_t usual);

#endif
