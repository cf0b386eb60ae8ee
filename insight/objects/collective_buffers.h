/* collective_buffers: which ranks give and take data in a collective call. */
#ifndef INSIGHT_OBJECTS_COLLECTIVE_BUFFERS_H
#define INSIGHT_OBJECTS_COLLECTIVE_BUFFERS_H

#include "insight/call/intercept.h"
#include "insight/call/type_signature.h"
#include "insight/objects/comm_record.h"

/* Whether a call's first buffer is read here, or its last one is written. */
bool collective_check_gives(const struct intercept *call, const struct comm_record *comm);
bool collective_check_takes(const struct intercept *call, const struct comm_record *comm);
/* False: its root says MPI_PROC_NULL, or the library below refuses it. */
bool collective_check_takes_part(const struct intercept *call, const struct comm_record *comm);

/* destinations: whom a rank sends to, and receives from, in a neighborhood collective, by its communicator's topology. */

enum {
    NEIGHBOURS = 128 /* more are not looked at */
};

/* In the order of the blocks. MPI_PROC_NULL has one, too. */
struct neighbour_list {
    int count, rank[NEIGHBOURS];
};

struct neighbours {
    struct neighbour_list from, to;
};

struct array_roles {
    enum role counts, types, type; /* `type` where there are no `types` */
};

/* False: it has no topology, or too many. */
bool collective_neighbours_find(MPI_Comm comm, struct neighbours *all);
/* A bit for each rank of a communicator of at most 64. */
uint64_t collective_neighbours_set(const struct neighbours *all);
/* The blocks of arrays of counts, by rank, as far as a rank is one neighbour only: the others stay unknown. */
void collective_neighbours_blocks(const struct intercept *call, struct array_roles at,
                                  const struct neighbour_list *list, struct type_signature *block, int size);

#endif
