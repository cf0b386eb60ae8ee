/* grid: a square of n x n points in blocks, one per rank, each with a ring of its neighbours' nearest points.
 */
#ifndef HEAT_GRID_H
#define HEAT_GRID_H

#include <mpi.h>

enum side {
    NORTH,
    SOUTH,
    WEST,
    EAST,
    SIDES
};

struct grid {
    MPI_Comm comm;
    int n;                /* points of the whole square, per side */
    int tall, wide;       /* the process grid: tall x wide ranks */
    int rows, columns;    /* this rank's block, without the ring */
    int row, column;      /* where the block starts in the square */
    int neighbour[SIDES]; /* ranks; MPI_PROC_NULL at the edge of the square */
    double *u, *next;     /* (rows + 2) x (columns + 2) points: now, and after the step being made */
    double *out[SIDES], *in[SIDES]; /* sides on their way */
    MPI_Request request[2 * SIDES];
    int step;
};

void grid_init(struct grid *g, MPI_Comm comm, int n);
void grid_fini(struct grid *g);

/* The point in this row and column of the block; -1, rows and columns are in the ring. */
static inline double *grid_at(const struct grid *g, double *u, int row, int column)
{
    return u + (long)(row + 1) * (g->columns + 2) + column + 1;
}

/* Sends this block's sides and receives the neighbours', into the ring. Until finish, the ring is not to be
 * read and the block not to be written. */
void grid_exchange_start(struct grid *g);
void grid_exchange_finish(struct grid *g);

/* The whole square, row by row, on rank 0, to be freed; NULL on the others. */
double *grid_gather(struct grid *g);

#endif
