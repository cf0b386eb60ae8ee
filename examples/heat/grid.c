#include "grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *array_new(size_t count, size_t size)
{
    void *array = calloc(count ? count : 1, size);
    if (!array) {
        fprintf(stderr, "heat: no memory for %zu numbers\n", count);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return array;
}

/* Part `index` of n points in `parts`: where it starts. Parts differ by one point at most. */
static int part_start(int n, int parts, int index)
{
    return (int)((long)n * index / parts);
}

static int side_length(const struct grid *g, int side)
{
    return side == NORTH || side == SOUTH ? g->columns : g->rows;
}

void grid_init(struct grid *g, MPI_Comm comm, int n)
{
    int rank, size, down, right;
    memset(g, 0, sizeof *g);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    g->comm = comm;
    g->n = n;
    for (g->tall = 1; (g->tall + 1) * (g->tall + 1) <= size; g->tall++)
        ;
    while (size % g->tall)
        g->tall--;
    g->wide = size / g->tall;
    down = rank / g->wide, right = rank % g->wide;
    g->row = part_start(n, g->tall, down), g->rows = part_start(n, g->tall, down + 1) - g->row;
    g->column = part_start(n, g->wide, right), g->columns = part_start(n, g->wide, right + 1) - g->column;
    g->neighbour[NORTH] = down > 0 ? rank - g->wide : MPI_PROC_NULL;
    g->neighbour[SOUTH] = down < g->tall - 1 ? rank + g->wide : MPI_PROC_NULL;
    g->neighbour[WEST] = right > 0 ? rank - 1 : MPI_PROC_NULL;
    g->neighbour[EAST] = right < g->wide - 1 ? rank + 1 : MPI_PROC_NULL;
    g->u = array_new((size_t)(g->rows + 2) * (size_t)(g->columns + 2), sizeof *g->u);
    g->next = array_new((size_t)(g->rows + 2) * (size_t)(g->columns + 2), sizeof *g->u);
    for (int side = 0; side < SIDES; side++) {
        g->out[side] = array_new((size_t)side_length(g, side), sizeof *g->u);
        g->in[side] = array_new((size_t)side_length(g, side), sizeof *g->u);
    }
}

void grid_fini(struct grid *g)
{
    for (int side = 0; side < SIDES; side++) {
        free(g->out[side]);
        free(g->in[side]);
    }
    free(g->u);
    free(g->next);
}

/* Point i of a side: in the block's outermost row or column, or (beyond = 1) in the ring next to it. */
static double *side_at(const struct grid *g, int side, int beyond, int i)
{
    switch (side) {
    case NORTH:
        return grid_at(g, g->u, -beyond, i);
    case SOUTH:
        return grid_at(g, g->u, g->rows - 1 + beyond, i);
    case WEST:
        return grid_at(g, g->u, i, -beyond);
    default:
        return grid_at(g, g->u, i, g->columns - 1 + beyond);
    }
}

/* The tag of what crosses a block's side in the direction `side`.
 *
 * It differs between even and odd steps because the communicator allows overtaking: a neighbour can be one
 * step ahead of us (not two, since it needs our side of every step), so that two of its messages in the same
 * direction can be on their way at once, and their order is not promised.
 */
static int side_tag(const struct grid *g, int side)
{
    return SIDES * (g->step % 2) + side;
}

void grid_exchange_start(struct grid *g)
{
    static const int opposite[SIDES] = {SOUTH, NORTH, EAST, WEST};
    for (int side = 0; side < SIDES; side++)
        MPI_Irecv(g->in[side], side_length(g, side), MPI_DOUBLE, g->neighbour[side],
                  side_tag(g, opposite[side]), g->comm, &g->request[side]);
    for (int side = 0; side < SIDES; side++) {
        for (int i = 0; i < side_length(g, side); i++)
            g->out[side][i] = *side_at(g, side, 0, i);
        MPI_Isend(g->out[side], side_length(g, side), MPI_DOUBLE, g->neighbour[side], side_tag(g, side),
                  g->comm, &g->request[SIDES + side]);
    }
}

void grid_exchange_finish(struct grid *g)
{
    MPI_Waitall(2 * SIDES, g->request, MPI_STATUSES_IGNORE);
    for (int side = 0; side < SIDES; side++)
        if (g->neighbour[side] != MPI_PROC_NULL)
            for (int i = 0; i < side_length(g, side); i++)
                *side_at(g, side, 1, i) = g->in[side][i];
    g->step++;
}

/* Rank 0 received the blocks one behind the other: puts each where it belongs. */
static void blocks_place(const struct grid *g, const double *blocks, double *whole)
{
    for (int down = 0; down < g->tall; down++)
        for (int right = 0; right < g->wide; right++) {
            int column = part_start(g->n, g->wide, right),
                columns = part_start(g->n, g->wide, right + 1) - column;
            for (int row = part_start(g->n, g->tall, down); row < part_start(g->n, g->tall, down + 1);
                 row++) {
                memcpy(whole + (long)row * g->n + column, blocks, (size_t)columns * sizeof *blocks);
                blocks += columns;
            }
        }
}

double *grid_gather(struct grid *g)
{
    int rank, size = g->tall * g->wide, mine = g->rows * g->columns;
    double *block = array_new((size_t)mine, sizeof *block), *blocks = NULL, *whole = NULL;
    int *count = array_new((size_t)size, sizeof *count), *start = array_new((size_t)size, sizeof *start);
    MPI_Comm_rank(g->comm, &rank);
    for (int row = 0; row < g->rows; row++)
        memcpy(block + (long)row * g->columns, grid_at(g, g->u, row, 0), (size_t)g->columns * sizeof *block);
    MPI_Gather(&mine, 1, MPI_INT, count, 1, MPI_INT, 0, g->comm);
    for (int i = 1; i < size; i++)
        start[i] = start[i - 1] + count[i - 1];
    if (rank == 0) {
        blocks = array_new((size_t)g->n * (size_t)g->n, sizeof *blocks);
        whole = array_new((size_t)g->n * (size_t)g->n, sizeof *whole);
    }
    MPI_Gatherv(block, mine, MPI_DOUBLE, blocks, count, start, MPI_DOUBLE, 0, g->comm);
    if (rank == 0)
        blocks_place(g, blocks, whole);
    free(blocks);
    free(block);
    free(count);
    free(start);
    return whole;
}
