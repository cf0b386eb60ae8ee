/* edges: sends each edge, from the rank that named it, to the ranks where it begins and ends. */
#ifndef TOPO_EDGES_H
#define TOPO_EDGES_H

#include "topo/order.h"

/* Collective over an intracommunicator. *mine, which the caller frees, gets all edges that begin or end at
 * this rank, in the order of the ranks that named them, and for each rank in its own order. A loop is in it
 * once. An error of one rank is an error of all. */
int edges_scatter(struct comm *comm, const struct edge *given, int64_t count, struct edge **mine,
                  int64_t *mine_count);

#endif
