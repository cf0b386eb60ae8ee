/* Graph topologies: every process knows the whole graph. */
#include "comm/topology.h"
#include "plain/fail.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <string.h>

static int check_edges(int nodes, const int index[], const int edge[])
{
    int edges;

    for (int i = 0; i < nodes; i++)
        if (index[i] < (i ? index[i - 1] : 0))
            return fail(MPI_ERR_ARG, "index[%d] is %d, less than what comes before it", i, index[i]);
    edges = index[nodes - 1];
    if (edges > 0 && !edge)
        return fail(MPI_ERR_ARG, "edges is NULL");
    for (int i = 0; i < edges; i++)
        if (edge[i] < 0 || edge[i] >= nodes)
            return fail(MPI_ERR_ARG, "edges[%d] is %d; the nodes go from 0 to %d", i, edge[i], nodes - 1);
    return MPI_SUCCESS;
}

static int check_graph(const struct comm *comm, int nodes, const int index[], const int edge[])
{
    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "an intercommunicator cannot have a topology; merge it first");
    if (nodes < 0)
        return fail(MPI_ERR_ARG, "nnodes is %d", nodes);
    if (nodes > comm->size)
        return fail(MPI_ERR_ARG, "a graph of %d nodes does not fit into a communicator of %d", nodes,
                    comm->size);
    if (nodes == 0)
        return MPI_SUCCESS;
    return index ? check_edges(nodes, index, edge) : fail(MPI_ERR_ARG, "index is NULL");
}

static int new_graph(int nodes, const int index[], const int edge[], struct topology **topology)
{
    int edges = nodes ? index[nodes - 1] : 0;
    struct topology *t = topology_new(MPI_GRAPH, (size_t)nodes + (size_t)edges + 1);

    if (!t)
        return fail(MPI_ERR_NO_MEM, "no memory for a graph of %d nodes and %d edges", nodes, edges);
    t->nodes = nodes;
    t->edges = edges;
    t->index = t->data;
    t->edge = t->data + nodes;
    if (nodes)
        memcpy(t->index, index, (size_t)nodes * sizeof *index);
    if (edges)
        memcpy(t->edge, edge, (size_t)edges * sizeof *edge);
    *topology = t;
    return MPI_SUCCESS;
}

static struct neighbors neighbors_of(const struct topology *t, int rank)
{
    int first = rank ? t->index[rank - 1] : 0;

    return (struct neighbors){.count = t->index[rank] - first, .rank = t->edge + first};
}

/* The caller frees it; NULL with a note: no memory. */
static struct edge *graph_new_edges(const int index[], const int node[], int nodes)
{
    size_t count = nodes ? (size_t)index[nodes - 1] : 0;
    struct edge *edge = malloc((count + 1) * sizeof *edge);

    if (!edge)
        fail(MPI_ERR_NO_MEM, "no memory to reorder a graph of %zu edges", count);
    for (int v = 0, i = 0; edge && v < nodes; v++)
        for (; i < index[v]; i++)
            edge[i] = (struct edge){v, node[i], 1};
    return edge;
}

static int reorder_graph(struct comm *comm, const struct topology *t, int *rank)
{
    struct edge *edge = graph_new_edges(t->index, t->edge, t->nodes);
    int error = consent(comm, edge ? MPI_SUCCESS : MPI_ERR_NO_MEM, 0);

    if (!error)
        error = order_ranks(comm, t->nodes, edge, (size_t)t->edges, rank);
    free(edge);
    return error;
}

static uint64_t graph_word_of(int nodes, const int index[], const int edge[], int reorder)
{
    uint64_t word = consent_add(0, 2, (int[]){nodes, reorder != 0});

    word = consent_add(word, nodes, index);
    return consent_add(word, nodes ? index[nodes - 1] : 0, edge);
}

int graph_create(struct comm *comm, int nodes, const int index[], const int edge[], int reorder,
                 struct comm **newcomm)
{
    struct plan plan = {.rank = comm->rank < nodes ? comm->rank : MPI_UNDEFINED, .call = "MPI_Graph_create"};
    int error = check_graph(comm, nodes, index, edge);

    if (comm_is_inter(comm))
        return error;
    if (!error)
        error = new_graph(nodes, index, edge, &plan.topology);
    error = consent(comm, error, error ? 0 : graph_word_of(nodes, index, edge, reorder));
    if (error) {
        topology_unref(plan.topology);
        return error;
    }
    if (reorder && nodes)
        error = reorder_graph(comm, plan.topology, &plan.rank);
    if (plan.rank != MPI_UNDEFINED)
        plan.topology->in = plan.topology->out = neighbors_of(plan.topology, plan.rank);
    return consent_make(&plan, comm, error, newcomm);
}

/* Local, as cart_map is. */
int graph_map(const struct comm *comm, int nodes, const int index[], const int edge[], int *newrank)
{
    int error = check_graph(comm, nodes, index, edge);
    struct edge *all = error ? NULL : graph_new_edges(index, edge, nodes);

    if (!error)
        error = all ? order_by_host(comm, nodes, all, nodes ? (size_t)index[nodes - 1] : 0, newrank)
                    : MPI_ERR_NO_MEM;
    free(all);
    return error;
}

static int find_graph(const struct comm *comm, const struct topology **topology)
{
    if (!comm->topology || comm->topology->kind != MPI_GRAPH)
        return fail(MPI_ERR_TOPOLOGY, "the communicator has no graph topology");
    *topology = comm->topology;
    return MPI_SUCCESS;
}

int graph_dims_get(const struct comm *comm, int *nodes, int *edges)
{
    const struct topology *t = NULL;
    int error = find_graph(comm, &t);

    if (error)
        return error;
    *nodes = t->nodes;
    *edges = t->edges;
    return MPI_SUCCESS;
}

/* Copies as much of an array as fits. */
static int graph_copy_part(const char *name, int *to, int max, const int *from, int count)
{
    if (max < 0)
        return fail(MPI_ERR_ARG, "the size of %s is %d", name, max);
    if (count > max)
        count = max;
    if (count > 0 && !to)
        return fail(MPI_ERR_ARG, "%s is NULL", name);
    if (count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
    return MPI_SUCCESS;
}

int graph_get(const struct comm *comm, int max_index, int max_edges, int index[], int edge[])
{
    const struct topology *t = NULL;
    int error = find_graph(comm, &t);

    if (!error)
        error = graph_copy_part("index", index, max_index, t->index, t->nodes);
    return error ? error : graph_copy_part("edges", edge, max_edges, t->edge, t->edges);
}

static int find_neighbors(const struct comm *comm, int rank, struct neighbors *n)
{
    const struct topology *t = NULL;
    int error = find_graph(comm, &t);

    if (!error && (rank < 0 || rank >= comm->size))
        error = fail(MPI_ERR_RANK, "rank %d is not a rank of the communicator; they go from 0 to %d", rank,
                     comm->size - 1);
    if (!error)
        *n = neighbors_of(t, rank);
    return error;
}

int graph_neighbors_count(const struct comm *comm, int rank, int *count)
{
    struct neighbors n;
    int error = find_neighbors(comm, rank, &n);

    if (!error)
        *count = n.count;
    return error;
}

int graph_neighbors(const struct comm *comm, int rank, int max, int neighbor[])
{
    struct neighbors n;
    int error = find_neighbors(comm, rank, &n);

    return error ? error : graph_copy_part("neighbors", neighbor, max, n.rank, n.count);
}
