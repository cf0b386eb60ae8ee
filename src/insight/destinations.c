#include "insight/destinations.h"

#include <stdlib.h>

static void add_rank(uint64_t *set, int rank)
{
    if (rank >= 0 && rank < 64)
        *set |= UINT64_C(1) << rank;
}

static bool find_in_grid(MPI_Comm comm, uint64_t *set)
{
    int dimensions, source, dest;

    if (real.Cartdim_get(comm, &dimensions))
        return false;
    for (int i = 0; i < dimensions; i++) {
        if (real.Cart_shift(comm, i, 1, &source, &dest))
            return false;
        add_rank(set, source);
        add_rank(set, dest);
    }
    return true;
}

static bool find_in_graph(MPI_Comm comm, uint64_t *set)
{
    int rank, count, *neighbour;
    bool is_known;

    if (real.Comm_rank(comm, &rank) || real.Graph_neighbors_count(comm, rank, &count))
        return false;
    neighbour = malloc((size_t)(count + 1) * sizeof *neighbour);
    is_known = neighbour && !real.Graph_neighbors(comm, rank, count, neighbour);
    for (int i = 0; is_known && i < count; i++)
        add_rank(set, neighbour[i]);
    free(neighbour);
    return is_known;
}

static bool find_in_dist_graph(MPI_Comm comm, uint64_t *set)
{
    int in, out, is_weighted, *rank, *weight;
    bool is_known;

    if (real.Dist_graph_neighbors_count(comm, &in, &out, &is_weighted))
        return false;
    rank = malloc((size_t)(in + out + 1) * 2 * sizeof *rank);
    weight = rank ? rank + in + out : NULL;
    is_known = rank && !real.Dist_graph_neighbors(comm, in, rank, weight, out, rank + in, weight + in);
    for (int i = 0; is_known && i < out; i++)
        add_rank(set, rank[in + i]);
    free(rank);
    return is_known;
}

bool destinations_find(MPI_Comm comm, uint64_t *set)
{
    int topology = MPI_UNDEFINED;

    *set = 0;
    if (real.Topo_test(comm, &topology))
        return false;
    if (topology == MPI_CART)
        return find_in_grid(comm, set);
    if (topology == MPI_GRAPH)
        return find_in_graph(comm, set);
    return topology == MPI_DIST_GRAPH && find_in_dist_graph(comm, set);
}
