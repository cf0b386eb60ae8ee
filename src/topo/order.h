/* order: which process becomes which node of a topology, so that nodes that talk are near each other.
 *
 * Near means on one host, in one package, memory node, or third-level cache (comm/make/hw_resource.h). The processes
 * are taken host by host; each gets the free node that has the heaviest edges to nodes already given to
 * processes near it. That finds compact parts of grids and clusters of graphs, though not always the best.
 * The order of ranks stays as it is unless the new one is better: edges that leave a host count most.
 */
#ifndef TOPO_ORDER_H
#define TOPO_ORDER_H

#include "comm/comm.h"

enum {
    ORDER_LEVELS = 4
};

/* Where a process runs: on each level, coarsest first, the number of its instance, -1 for several. */
struct order_place {
    int64_t at[ORDER_LEVELS];
};

struct edge {
    int from, to, weight;
};

/* node[process] for processes 0 to nodes - 1, which run at place[process]. All ranks that give the same get
 * the same. */
int order_find(int nodes, const struct edge *edge, size_t edges, const struct order_place *place, int *node);

/* Collective over an intracommunicator: the node of this process for the first `nodes` ranks, MPI_UNDEFINED
 * for the others. An error of this rank leaves the others waiting for nothing. */
int order_ranks(struct comm *comm, int nodes, const struct edge *edge, size_t edges, int *node);

/* The same, local, by what all ranks know of each other without a word and what never changes: their hosts.
 * Ranks that are not bound within their hosts get the nodes that order_ranks gives them. Those of other jobs
 * may see the hosts otherwise: with them the ranks stay. */
int order_by_host(const struct comm *comm, int nodes, const struct edge *edge, size_t edges, int *node);

#endif
