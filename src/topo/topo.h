/* topo: virtual topologies (MPI-5.0 chapter 8): grids, graphs and distributed graphs of processes.
 *
 * A topology is data of a communicator: comm->topology (comm/topology.h). The constructors are collective
 * over the old communicator and take four steps. Each rank checks its arguments and allocates memory. All
 * ranks agree that none has an error and that all gave the same (consent.c). If the ranks may be reordered, a
 * new order is found (order.c). The processes are split off (making/split.c). An error of one rank is an
 * error of all, and no rank hangs.
 *
 * The other procedures are local and only read. MPI_Cart_map and MPI_Graph_map find the order that the
 * constructors would, as far as the ranks' hosts tell. For a topology that the communicator does not have,
 * the procedures return MPI_ERR_TOPOLOGY.
 */
#ifndef TOPO_TOPO_H
#define TOPO_TOPO_H

#include "comm/comm.h"

/* Bodies of MPI_X. A NULL *newcomm is MPI_COMM_NULL. */
int topo_test(const struct comm *comm, int *status);

int cart_create(struct comm *comm, int dims, const int dim[], const int period[], int reorder,
                struct comm **newcomm);
int cart_sub(struct comm *comm, const int remain[], struct comm **newcomm);
int cart_map(const struct comm *comm, int dims, const int dim[], const int period[], int *newrank);
int cart_dim_get(const struct comm *comm, int *dims);
int cart_get(const struct comm *comm, int max, int dim[], int period[], int coord[]);
int cart_rank(const struct comm *comm, const int coord[], int *rank);
int cart_coords(const struct comm *comm, int rank, int max, int coord[]);
int cart_shift(const struct comm *comm, int direction, int displacement, int *source, int *dest);

/* Fills in the zeros with dimensions whose product is `nodes` and which are as close to each other as
 * possible: the difference between the largest and the smallest is minimal, then their sum. */
int dims_create(int nodes, int dims, int dim[]);

int graph_create(struct comm *comm, int nodes, const int index[], const int edge[], int reorder,
                 struct comm **newcomm);
int graph_map(const struct comm *comm, int nodes, const int index[], const int edge[], int *newrank);
int graph_dims_get(const struct comm *comm, int *nodes, int *edges);
int graph_get(const struct comm *comm, int max_index, int max_edges, int index[], int edge[]);
int graph_neighbors_count(const struct comm *comm, int rank, int *count);
int graph_neighbors(const struct comm *comm, int rank, int max, int neighbor[]);

int dist_graph_create(struct comm *comm, int n, const int source[], const int degree[], const int dest[],
                      const int weight[], struct info *info, int reorder, struct comm **newcomm);
int dist_graph_create_adjacent(struct comm *comm, int in, const int source[], const int source_weight[],
                               int out, const int dest[], const int dest_weight[], struct info *info,
                               int reorder, struct comm **newcomm);
int dist_graph_neighbors_count(const struct comm *comm, int *in, int *out, int *is_weighted);
int dist_graph_neighbors(const struct comm *comm, int max_in, int source[], int source_weight[], int max_out,
                         int dest[], int dest_weight[]);

/* consent: steps that all constructors of topologies share. topo.h lists the steps. */

/* Folds arguments that must be the same everywhere into a word. Start from 0. */
uint64_t consent_add(uint64_t word, int count, const int *value);

/* Collective over an intracommunicator: checks that no rank has an error and that all have the same word. If
 * this rank has an error, that is the result. It is also an error if another rank has one or if the words
 * differ. */
int consent(struct comm *comm, int error, uint64_t word);

/* The communicator that a topology asks for. */
struct plan {
    struct topology *topology; /* a reference, consumed */
    int rank;                  /* of this process in it; MPI_UNDEFINED: not a member */
    int64_t color;             /* ranks of one color form one communicator */
    struct info *info;         /* for its hints; NULL: none */
    const char *call;          /* the call that got the info */
};

/* Collective: makes the communicator, unless a rank has an error. *newcomm is NULL where the process is not a
 * member. */
int consent_make(const struct plan *plan, struct comm *comm, int error, struct comm **newcomm);

/* order: which process becomes which node of a topology, so that nodes that communicate are close to each
 * other.
 *
 * Close means on one host, in one package, memory node, or third-level cache (making/hw_resource.c). The
 * processes are taken host by host. Each gets the free node with the heaviest edges to nodes already given to
 * processes close to it. That finds compact parts of grids and clusters of graphs, though not always the
 * best. The order of ranks changes only if the new one is better; edges that leave a host weigh most.
 */

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
