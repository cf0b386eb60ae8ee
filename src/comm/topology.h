/* topology: the virtual topology of a communicator as data (MPI-5.0 chapter 8). src/topo makes and reads it;
 * neighbourhood collectives read the lists of neighbours, which every kind has.
 *
 * Constant after it has been attached to a communicator. A dup shares it: the ranks are the same. All arrays
 * lie in one block behind the struct.
 */
#ifndef COMM_TOPOLOGY_H
#define COMM_TOPOLOGY_H

#include <stdatomic.h>
#include <stddef.h>

/* This process's edges, in the order that neighbourhood collectives use. */
struct neighbors {
    int count;
    int *rank;   /* MPI_PROC_NULL behind the border of a grid */
    int *weight; /* NULL: unweighted */
};

struct topology {
    _Atomic int refs;
    int kind;                 /* MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH */
    struct neighbors in, out; /* whom it receives from and sends to; the same list but for MPI_DIST_GRAPH */

    /* MPI_CART */
    int dims;          /* how many */
    int *dim, *period; /* of each: processes in it; 0 or 1 */
    int *coord;        /* of this process */

    /* MPI_GRAPH: the arguments of MPI_Graph_create */
    int nodes, edges;
    int *index, *edge;

    /* MPI_DIST_GRAPH */
    int is_weighted;

    int data[]; /* what the pointers above point to */
};

/* With room for this many integers in `data`, and one reference; NULL when memory is out. */
struct topology *topology_new(int kind, size_t integers);
struct topology *topology_ref(struct topology *t); /* NULL stays NULL */
void topology_unref(struct topology *t);           /* likewise */

/* Several edges may join two processes. The k-th message from one to the other belongs to the k-th edge, in
 * the sender's order of `out`, and, in the receiver's order, to the k-th of these places in `in`: on a grid
 * what is sent backwards arrives from ahead, which differs where both are the same process. */
static inline int topology_receive_at(const struct topology *t, int i)
{
    return t->dim ? i ^ 1 : i;
}

#endif
