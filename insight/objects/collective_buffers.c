#include "insight/objects/collective_buffers.h"

#include "insight/objects/type_check.h"

#include <string.h>

/* On an intercommunicator the root says MPI_ROOT, and the others of its group MPI_PROC_NULL. */
static bool is_root(const struct intercept *call, const struct comm_record *comm)
{
    return intercept_argument(call, AT_ROOT) == (comm->is_inter ? MPI_ROOT : comm->rank);
}

bool collective_check_takes_part(const struct intercept *call, const struct comm_record *comm)
{
    int64_t root = intercept_argument(call, AT_ROOT);

    return (root >= 0 && root < comm->targets) || is_root(call, comm);
}

static bool is_one_to_all(const struct intercept *call)
{
    return !intercept_has(call, AT_BUF2) || strstr(call->procedure->name, "catter");
}

bool collective_check_gives(const struct intercept *call, const struct comm_record *comm)
{
    if (!intercept_has(call, AT_ROOT))
        return true;
    if (is_one_to_all(call))
        return is_root(call, comm);
    return collective_check_takes_part(call, comm) && !(comm->is_inter && is_root(call, comm));
}

bool collective_check_takes(const struct intercept *call, const struct comm_record *comm)
{
    if (!intercept_has(call, AT_ROOT))
        return true;
    if (!is_one_to_all(call))
        return is_root(call, comm);
    return collective_check_takes_part(call, comm) &&
           (!is_root(call, comm) || (!comm->is_inter && intercept_has(call, AT_BUF2)));
}

/* Each is source and destination. */
static bool find_in_grid(MPI_Comm comm, struct neighbours *all)
{
    int dimensions;

    if (real.Cartdim_get(comm, &dimensions) || 2 * dimensions > NEIGHBOURS)
        return false;
    for (int i = 0; i < dimensions; i++)
        if (real.Cart_shift(comm, i, 1, &all->from.rank[2 * i], &all->from.rank[2 * i + 1]))
            return false;
    all->from.count = 2 * dimensions;
    return true;
}

static bool find_in_graph(MPI_Comm comm, struct neighbours *all)
{
    int rank;

    return !real.Comm_rank(comm, &rank) && !real.Graph_neighbors_count(comm, rank, &all->from.count) &&
           all->from.count <= NEIGHBOURS &&
           !real.Graph_neighbors(comm, rank, all->from.count, all->from.rank);
}

static bool find_in_dist_graph(MPI_Comm comm, struct neighbours *all)
{
    int is_weighted, in_weights[NEIGHBOURS], out_weights[NEIGHBOURS];

    return !real.Dist_graph_neighbors_count(comm, &all->from.count, &all->to.count, &is_weighted) &&
           all->from.count <= NEIGHBOURS && all->to.count <= NEIGHBOURS &&
           !real.Dist_graph_neighbors(comm, all->from.count, all->from.rank, in_weights, all->to.count,
                                      all->to.rank, out_weights);
}

bool collective_neighbours_find(MPI_Comm comm, struct neighbours *all)
{
    int topology = MPI_UNDEFINED;

    all->from.count = all->to.count = 0;
    if (real.Topo_test(comm, &topology))
        return false;
    if (topology == MPI_DIST_GRAPH)
        return find_in_dist_graph(comm, all);
    if (topology == MPI_CART ? !find_in_grid(comm, all) : topology != MPI_GRAPH || !find_in_graph(comm, all))
        return false;
    all->to = all->from;
    return true;
}

uint64_t collective_neighbours_set(const struct neighbours *all)
{
    uint64_t set = 0;

    for (int i = 0; i < all->to.count; i++)
        if (all->to.rank[i] >= 0 && all->to.rank[i] < 64)
            set |= UINT64_C(1) << all->to.rank[i];
    return set;
}

static bool is_there_once(const struct neighbour_list *list, int rank)
{
    int times = 0;

    for (int i = 0; i < list->count; i++)
        times += list->rank[i] == rank;
    return times == 1;
}

void collective_neighbours_blocks(const struct intercept *call, struct array_roles at,
                                  const struct neighbour_list *list, struct type_signature *block, int size)
{
    bool has_types = intercept_has(call, at.types);
    const MPI_Datatype *types =
        has_types ? (MPI_Datatype *)(intptr_t)intercept_argument(call, at.types) : NULL;

    if (!intercept_argument(call, at.counts) || (has_types && !types))
        return; /* the library below refuses it */
    for (int i = 0; i < list->count; i++) {
        int rank = list->rank[i];
        MPI_Datatype type = types ? types[i] : (MPI_Datatype)(intptr_t)intercept_argument(call, at.type);

        if (rank >= 0 && rank < size && is_there_once(list, rank))
            block[rank] = type_check_signature(type, intercept_element(call, at.counts, i));
    }
}
