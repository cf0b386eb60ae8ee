/* scatter: edges go from whoever named them to the ranks where they begin and end. */
#ifndef TOPO_SCATTER_H
#define TOPO_SCATTER_H

#include "topo/order.h"

/* Collective over an intracommunicator. *mine, to be freed: all edges that begin or end at this rank, in the
 * order of the ranks that named them and in each rank's own order; a loop is in it once. An error of one rank
 * is one of all. */
int scatter_edges(struct comm *comm, const struct edge *given, int64_t count, struct edge **mine,
                  int64_t *mine_count);

#endif
