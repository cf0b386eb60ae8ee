/* order: which process becomes which node of a topology, so that nodes that communicate are close to each
 * other.
 *
 * Close means on one host, in one package, memory node, or third-level cache (making/hw_resource.h). The
 * processes are taken host by host. Each gets the free node with the heaviest edges to nodes already given to
 * processes close to it. That finds compact parts of grids and clusters of graphs, though not always the
 * best. The order of ranks changes only if the new one is better; edges that leave a host weigh most.
 */
#ifndef TOPO_ORDER_H
#define TOPO_ORDER_H

#include "comm/comm.h"

enum {
    ORDER_LEVELS = 4
};

/* Where a process runs: the number of its instance on each level, coarsest first; -1: it spans several. */
struct order_place {
    int64_t at[ORDER_LEVELS];
};

struct edge {
    int from, to, weight;
};

/* Finds node[process] for processes 0 to nodes - 1, which run at place[process]. Ranks that give the same
 * arguments get the same result. */
int order_find(int nodes, const struct edge *edge, size_t edges, const struct order_place *place, int *node);

/* Collective over an intracommunicator: the node of this process for the first `nodes` ranks, MPI_UNDEFINED
 * for the others. If this rank has an error the others do not hang. */
int order_ranks(struct comm *comm, int nodes, const struct edge *edge, size_t edges, int *node);

/* The same without communication. It uses the hosts of the ranks, which all ranks know and which never
 * change. Ranks that are not bound within their hosts get the nodes that order_ranks gives them. If there are
 * ranks of other jobs, which may see the hosts differently, the order stays. */
int order_by_host(const struct comm *comm, int nodes, const struct edge *edge, size_t edges, int *node);

#endif
