/* topo: virtual topologies (MPI-5.0 chapter 8): grids, graphs and distributed graphs of processes.
 *
 * A topology is data of a communicator: comm->topology (comm/topology.h). The constructors are collective
 * over the old communicator and take four steps. Each rank checks its arguments and allocates memory. All
 * ranks agree that none has an error and that all gave the same (consent.h). If the ranks may be reordered, a
 * new order is found (order.h). The processes are split off (making/split.c). An error of one rank is an
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

#endif
