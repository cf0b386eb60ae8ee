/* Cartesian topologies. */
#include "comm/topology.h"
#include "plain/fail.h"
#include "topo/topo.h"

#include <limits.h>
#include <stdlib.h>

static int check_dimension(int i, int size, int64_t *nodes)
{
    if (size < 1)
        return fail(MPI_ERR_DIMS, "dims[%d] is %d; every dimension has at least one process", i, size);
    *nodes = *nodes > INT_MAX ? *nodes : *nodes * size;
    return MPI_SUCCESS;
}

static int cart_check_grid(const struct comm *comm, int dims, const int dim[], const int period[], int *nodes)
{
    int64_t product = 1;
    int error = MPI_SUCCESS;

    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "an intercommunicator cannot have a topology; merge it first");
    if (dims < 0)
        return fail(MPI_ERR_DIMS, "ndims is %d", dims);
    if (dims > 0 && (!dim || !period))
        return fail(MPI_ERR_ARG, "%s is NULL", dim ? "periods" : "dims");
    for (int i = 0; i < dims && !error; i++)
        error = check_dimension(i, dim[i], &product);
    if (error)
        return error;
    if (product > comm->size)
        return fail(MPI_ERR_DIMS, "a grid of %lld processes does not fit into a communicator of %d",
                    (long long)product, comm->size);
    *nodes = (int)product;
    return MPI_SUCCESS;
}

/* Makes a grid without this process's coordinates. */
static int new_grid(int dims, const int dim[], const int period[], struct topology **topology)
{
    size_t n = (size_t)dims;
    struct topology *t = topology_new(MPI_CART, 5 * n + 1);

    if (!t)
        return fail(MPI_ERR_NO_MEM, "no memory for a grid of %d dimensions", dims);
    t->dims = dims;
    t->dim = t->data;
    t->period = t->dim + n;
    t->coord = t->period + n;
    t->in = t->out = (struct neighbors){.count = 2 * dims, .rank = t->coord + n};
    for (int i = 0; i < dims; i++) {
        t->dim[i] = dim[i];
        t->period[i] = period[i] != 0;
    }
    *topology = t;
    return MPI_SUCCESS;
}

/* The rank one step from `rank` along a dimension in which adjacent ranks differ by `stride`. */
static int step(const struct topology *t, int i, int rank, int stride, int by)
{
    int coord = t->coord[i] + by, size = t->dim[i];

    if (coord >= 0 && coord < size)
        return rank + by * stride;
    return t->period[i] ? rank + ((coord + size) % size - t->coord[i]) * stride : MPI_PROC_NULL;
}

/* Sets the coordinates and neighbours of `rank`. Row-major: the last dimension varies fastest. */
static void take_place(struct topology *t, int rank)
{
    int stride = 1;

    for (int i = t->dims - 1; i >= 0; i--) {
        t->coord[i] = rank / stride % t->dim[i];
        t->in.rank[2 * i] = step(t, i, rank, stride, -1);
        t->in.rank[2 * i + 1] = step(t, i, rank, stride, 1);
        stride *= t->dim[i];
    }
}

/* Lists every rank's edges in positive direction, those of its last dimension first. Returns how many. */
static size_t cart_list_edges(struct topology *t, int nodes, struct edge *edge)
{
    size_t n = 0;

    for (int r = 0; r < nodes; r++) {
        take_place(t, r);
        for (int i = 0; i < t->dims; i++)
            if (t->out.rank[2 * i + 1] != MPI_PROC_NULL)
                edge[n++] = (struct edge){r, t->out.rank[2 * i + 1], 1};
    }
    return n;
}

/* Memory for these edges; NULL with a note: there is none. */
static struct edge *cart_new_edges(const struct topology *t, int nodes)
{
    struct edge *edge = malloc(((size_t)nodes * (size_t)t->dims + 1) * sizeof *edge);

    if (!edge)
        fail(MPI_ERR_NO_MEM, "no memory to reorder a grid of %d ranks", nodes);
    return edge;
}

static int reorder_grid(struct comm *comm, struct topology *t, int nodes, int *rank)
{
    struct edge *edge = cart_new_edges(t, nodes);
    int error = consent(comm, edge ? MPI_SUCCESS : MPI_ERR_NO_MEM, 0);

    if (!error)
        error = order_ranks(comm, nodes, edge, cart_list_edges(t, nodes, edge), rank);
    free(edge);
    return error;
}

static uint64_t cart_word_of(int dims, const int dim[], const int period[], int reorder)
{
    uint64_t word = consent_add(0, 2, (int[]){dims, reorder != 0});

    for (int i = 0; i < dims; i++)
        word = consent_add(word, 2, (int[]){dim[i], period[i] != 0});
    return word;
}

int cart_create(struct comm *comm, int dims, const int dim[], const int period[], int reorder,
                struct comm **newcomm)
{
    struct plan plan = {.rank = comm->rank, .call = "MPI_Cart_create"};
    int nodes = 0, error = cart_check_grid(comm, dims, dim, period, &nodes);

    if (comm_is_inter(comm))
        return error;
    if (!error)
        error = new_grid(dims, dim, period, &plan.topology);
    error = consent(comm, error, error ? 0 : cart_word_of(dims, dim, period, reorder));
    if (error) {
        topology_unref(plan.topology);
        return error;
    }
    if (plan.rank >= nodes)
        plan.rank = MPI_UNDEFINED;
    if (reorder)
        error = reorder_grid(comm, plan.topology, nodes, &plan.rank);
    if (plan.rank != MPI_UNDEFINED)
        take_place(plan.topology, plan.rank);
    return consent_make(&plan, comm, error, newcomm);
}

/* Local (MPI-5.0 section 8.5.8). So it cannot learn where within their hosts the other processes run, as
 * cart_create with reorder does. */
int cart_map(const struct comm *comm, int dims, const int dim[], const int period[], int *newrank)
{
    struct topology *t = NULL;
    struct edge *edge = NULL;
    int nodes = 0, error = cart_check_grid(comm, dims, dim, period, &nodes);

    if (!error)
        error = new_grid(dims, dim, period, &t);
    if (!error)
        edge = cart_new_edges(t, nodes);
    if (!error)
        error = edge ? order_by_host(comm, nodes, edge, cart_list_edges(t, nodes, edge), newrank)
                     : MPI_ERR_NO_MEM;
    free(edge);
    topology_unref(t);
    return error;
}

static int check_sub(const struct comm *comm, const int remain[])
{
    if (!comm->topology || comm->topology->kind != MPI_CART)
        return fail(MPI_ERR_TOPOLOGY, "the communicator has no Cartesian topology");
    if (comm->topology->dims > 0 && !remain)
        return fail(MPI_ERR_ARG, "remain_dims is NULL");
    return MPI_SUCCESS;
}

/* The dimensions that remain, this process's coordinates in them, and the number of its subgrid. */
static int plan_sub(const struct topology *old, const int remain[], struct plan *plan)
{
    int *list = malloc(((size_t)old->dims * 2 + 1) * sizeof *list);
    int *dim = list, *period, dims = 0, error;

    if (!list)
        return fail(MPI_ERR_NO_MEM, "no memory for a grid of %d dimensions", old->dims);
    period = list + old->dims;
    for (int i = 0; i < old->dims; i++) {
        if (!remain[i]) {
            plan->color = plan->color * old->dim[i] + old->coord[i];
            continue;
        }
        plan->rank = plan->rank * old->dim[i] + old->coord[i];
        dim[dims] = old->dim[i];
        period[dims++] = old->period[i];
    }
    error = new_grid(dims, dim, period, &plan->topology);
    free(list);
    if (!error)
        take_place(plan->topology, plan->rank);
    return error;
}

static uint64_t word_of_remain(const struct topology *t, const int remain[])
{
    uint64_t word = 0;

    for (int i = 0; i < t->dims; i++)
        word = consent_add(word, 1, (int[]){remain[i] != 0});
    return word;
}

int cart_sub(struct comm *comm, const int remain[], struct comm **newcomm)
{
    struct plan plan = {.call = "MPI_Cart_sub"};
    int error = check_sub(comm, remain);

    if (error == MPI_ERR_TOPOLOGY) /* on all ranks */
        return error;
    if (!error)
        error = plan_sub(comm->topology, remain, &plan);
    error = consent(comm, error, error ? 0 : word_of_remain(comm->topology, remain));
    if (error) {
        topology_unref(plan.topology);
        return error;
    }
    return consent_make(&plan, comm, MPI_SUCCESS, newcomm);
}

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

static int cart_check_room(const struct topology *t, int max)
{
    if (max >= t->dims)
        return MPI_SUCCESS;
    return fail(MPI_ERR_ARG, "maxdims is %d; the grid has %d dimensions", max, t->dims);
}

/* Fills as much as shorter arrays hold: docs/TOLERANCES.md. */
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

/* Wraps the coordinate into its dimension; -1: out of range. */
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
        error = cart_check_room(t, max);
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

/* The rank this many steps along a dimension from this process. */
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
