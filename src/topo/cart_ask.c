/* Cartesian topologies: what one can ask. */
#include "base/fail.h"
#include "comm/topology.h"
#include "topo/topo.h"

static int find_grid(const struct comm *comm, const struct topology **topology)
{
    if (!comm->topology || comm->topology->kind != MPI_CART)
        return fail(MPI_ERR_TOPOLOGY, "the communicator has no Cartesian topology");
    *topology = comm->topology;
    return MPI_SUCCESS;
}

int topo_test(const struct comm *comm, int *status)
{
    *status = comm->topology ? comm->topology->kind : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int cart_dim_get(const struct comm *comm, int *dims)
{
    const struct topology *t = NULL;
    int error = find_grid(comm, &t);

    if (!error)
        *dims = t->dims;
    return error;
}

static int check_room(const struct topology *t, int max)
{
    if (max >= t->dims)
        return MPI_SUCCESS;
    return fail(MPI_ERR_ARG, "maxdims is %d; the grid has %d dimensions", max, t->dims);
}

/* Where the arrays are shorter, what they have room for: docs/TOLERANCES.md. */
int cart_get(const struct comm *comm, int max, int dim[], int period[], int coord[])
{
    const struct topology *t = NULL;
    int error = find_grid(comm, &t), count = 0;

    if (!error && max < 0)
        error = fail(MPI_ERR_ARG, "maxdims is %d", max);
    if (!error)
        count = max < t->dims ? max : t->dims;
    if (count > 0 && (!dim || !period || !coord))
        error = fail(MPI_ERR_ARG, "%s is NULL", !dim ? "dims" : !period ? "periods" : "coords");
    for (int i = 0; !error && i < count; i++) {
        dim[i] = t->dim[i];
        period[i] = t->period[i];
        coord[i] = t->coord[i];
    }
    return error;
}

/* The coordinate brought back into its dimension; -1: out of range. */
static int wrap(const struct topology *t, int i, int64_t coord)
{
    int64_t size = t->dim[i];

    if (t->period[i])
        return (int)((coord % size + size) % size);
    return coord >= 0 && coord < size ? (int)coord : -1;
}

int cart_rank(const struct comm *comm, const int coord[], int *rank)
{
    const struct topology *t = NULL;
    int error = find_grid(comm, &t), found = 0;

    if (!error && t->dims > 0 && !coord)
        error = fail(MPI_ERR_ARG, "coords is NULL");
    for (int i = 0; !error && i < t->dims; i++) {
        int at = wrap(t, i, coord[i]);

        if (at < 0)
            error = fail(MPI_ERR_ARG, "coords[%d] is %d; the dimension is not periodic and goes from 0 to %d",
                         i, coord[i], t->dim[i] - 1);
        found = found * t->dim[i] + at;
    }
    if (!error)
        *rank = found;
    return error;
}

int cart_coords(const struct comm *comm, int rank, int max, int coord[])
{
    const struct topology *t = NULL;
    int error = find_grid(comm, &t);

    if (!error)
        error = check_room(t, max);
    if (!error && (rank < 0 || rank >= comm->size))
        error = fail(MPI_ERR_RANK, "rank %d is not a rank of the communicator; they go from 0 to %d", rank,
                     comm->size - 1);
    if (!error && t->dims > 0 && !coord)
        error = fail(MPI_ERR_ARG, "coords is NULL");
    for (int i = error ? -1 : t->dims - 1; i >= 0; i--) {
        coord[i] = rank % t->dim[i];
        rank /= t->dim[i];
    }
    return error;
}

/* The rank so many steps along a dimension from this process. */
static int rank_along(const struct comm *comm, int direction, int64_t displacement)
{
    const struct topology *t = comm->topology;
    int at = wrap(t, direction, t->coord[direction] + displacement), stride = 1;

    for (int i = direction + 1; i < t->dims; i++)
        stride *= t->dim[i];
    return at < 0 ? MPI_PROC_NULL : comm->rank + (at - t->coord[direction]) * stride;
}

int cart_shift(const struct comm *comm, int direction, int displacement, int *source, int *dest)
{
    const struct topology *t = NULL;
    int error = find_grid(comm, &t);

    if (!error && (direction < 0 || direction >= t->dims))
        error = fail(MPI_ERR_DIMS, "direction is %d; the grid has %d dimensions, counted from 0", direction,
                     t->dims);
    if (error)
        return error;
    *source = rank_along(comm, direction, -(int64_t)displacement);
    *dest = rank_along(comm, direction, displacement);
    return MPI_SUCCESS;
}
