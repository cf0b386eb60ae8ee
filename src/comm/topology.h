/* topology: the virtual topology of a communicator as data (MPI-5.0 chapter 8). src/topo makes and reads it.
 * Neighbourhood collectives read the lists of neighbours, which every kind has.
 *
 * Constant after it has been attached to a communicator. A dup shares it, as its ranks are the same. All
 * arrays lie in one block behind the struct.
 */
#ifndef COMM_TOPOLOGY_H
#define COMM_TOPOLOGY_H

#include <stdatomic.h>
#include <stddef.h>

/* This process's edges, in the order that neighbourhood collectives use. */
struct neighbors {
    int count;
    int *rank;   /* MPI_PROC_NULL beyond the border of a grid */
    int *weight; /* NULL: unweighted */
};

struct topology {
    _Atomic int refs;
    int kind;                 /* MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH */
    struct neighbors in, out; /* its sources and destinations; the same list except for MPI_DIST_GRAPH */

    /* MPI_CART */
    int dims;          /* number of dimensions */
    int *dim, *period; /* of each dimension: number of processes; 0 or 1 */
    int *coord;        /* of this process */

    /* MPI_GRAPH: the arguments of MPI_Graph_create */
    int nodes, edges;
    int *index, *edge;

    /* MPI_DIST_GRAPH */
    int is_weighted;

    int data[]; /* memory of the arrays above */
};

/* A topology with this many integers in `data`, and one reference; NULL: out of memory. */
struct topology *topology_new(int kind, size_t integers);
struct topology *topology_ref(struct topology *t); /* NULL stays NULL */
void topology_unref(struct topology *t);           /* likewise */

/* Several edges may join the same two processes. In the sender's order of `out`, the k-th message from one to
 * the other belongs to the k-th such edge. In the receiver's order it belongs to the k-th of these places in
 * `in`: on a grid, what is sent backwards arrives from ahead, which matters where both neighbours are the
 * same process. */
static inline int topology_receive_at(const struct topology *t, int i)
{
    return t->dim ? i ^ 1 : i;
}

#endif
