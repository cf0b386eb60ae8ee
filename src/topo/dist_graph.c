/* Distributed graph topologies: every process knows only its own edges. */
#include "coll/coll.h"
#include "comm/topology.h"
#include "hint/warn.h"
#include "plain/fail.h"
#include "plain/log.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <string.h>

/* Sends each edge, from the rank that named it, to the ranks where it begins and ends. */

/* Arrays with one number per rank, all in bytes. */
struct parcels {
    int64_t *out, *out_at, *in, *in_at;
    struct edge *edge; /* to be sent, rank by rank */
};

static void parcels_fini(struct parcels *p)
{
    free(p->out);
    free(p->edge);
}

static int parcels_init(struct parcels *p, int ranks, int64_t edges)
{
    size_t n = (size_t)ranks;

    p->out = calloc(4 * n, sizeof *p->out);
    p->edge = malloc((2 * (size_t)edges + 1) * sizeof *p->edge);
    if (!p->out || !p->edge)
        return fail(MPI_ERR_NO_MEM, "no memory for %lld edges and %d ranks", (long long)edges, ranks);
    p->out_at = p->out + n;
    p->in = p->out_at + n;
    p->in_at = p->in + n;
    return MPI_SUCCESS;
}

static void scatter_add(struct parcels *p, int rank, const struct edge *edge)
{
    p->edge[(p->out_at[rank] + p->out[rank]) / (int64_t)sizeof *edge] = *edge;
    p->out[rank] += (int64_t)sizeof *edge;
}

static int64_t place_in_a_row(const int64_t *length, int64_t *at, int ranks)
{
    int64_t total = 0;

    for (int r = 0; r < ranks; r++) {
        at[r] = total;
        total += length[r];
    }
    return total;
}

/* Counts each rank's edges, finds where they begin, and puts them there. */
static void sort_edges(struct parcels *p, int ranks, const struct edge *given, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        p->out[given[i].from] += (int64_t)sizeof *given;
        if (given[i].to != given[i].from)
            p->out[given[i].to] += (int64_t)sizeof *given;
    }
    place_in_a_row(p->out, p->out_at, ranks);
    for (int r = 0; r < ranks; r++)
        p->out[r] = 0;
    for (int64_t i = 0; i < count; i++) {
        scatter_add(p, given[i].from, &given[i]);
        if (given[i].to != given[i].from)
            scatter_add(p, given[i].to, &given[i]);
    }
}

static struct counts wide(const int64_t *list)
{
    return (struct counts){.wide = list};
}

static int send_edges(struct comm *comm, struct parcels *p, struct edge **mine, int64_t *mine_count)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE), *number = datatype_predefined(MPI_INT64_T);
    int error = coll_alltoall(p->out, 1, number, p->in, 1, number, comm, FORM_BLOCKING, NULL, NULL);
    int64_t bytes = place_in_a_row(p->in, p->in_at, comm->size);
    struct edge *edge = malloc((size_t)bytes + 1);

    if (!error && !edge)
        error = fail(MPI_ERR_NO_MEM, "no memory for %lld bytes of edges", (long long)bytes);
    error = consent(comm, error, 0);
    if (!error)
        error = coll_alltoallv(p->edge, wide(p->out), wide(p->out_at), byte, edge, wide(p->in),
                               wide(p->in_at), byte, comm, FORM_BLOCKING, NULL, NULL);
    error = consent(comm, error, 0);
    if (error) {
        free(edge);
        return error;
    }
    *mine = edge;
    *mine_count = bytes / (int64_t)sizeof *edge;
    return MPI_SUCCESS;
}

/* Collective over an intracommunicator. *mine, which the caller frees, gets all edges that begin or end at
 * this rank, in the order of the ranks that named them, and for each rank in its own order. A loop is in it
 * once. An error of one rank is an error of all. */
static int edges_scatter(struct comm *comm, const struct edge *given, int64_t count, struct edge **mine,
                         int64_t *mine_count)
{
    struct parcels p = {0};
    int error = parcels_init(&p, comm->size, count);

    error = consent(comm, error, 0);
    if (!error) {
        sort_edges(&p, comm->size, given, count);
        error = send_edges(comm, &p, mine, mine_count);
    }
    parcels_fini(&p);
    return error;
}

static int new_dist_graph(int in, int out, bool is_weighted, struct topology **topology)
{
    size_t lists = is_weighted ? 2 : 1;
    struct topology *t = topology_new(MPI_DIST_GRAPH, lists * ((size_t)in + (size_t)out) + 1);

    if (!t)
        return fail(MPI_ERR_NO_MEM, "no memory for a graph of %d and %d edges", in, out);
    t->is_weighted = is_weighted;
    t->in = (struct neighbors){.count = in, .rank = t->data};
    t->out = (struct neighbors){.count = out, .rank = t->data + lists * (size_t)in};
    if (is_weighted) {
        t->in.weight = t->in.rank + in;
        t->out.weight = t->out.rank + out;
    }
    *topology = t;
    return MPI_SUCCESS;
}

static size_t integers_of(const struct topology *t)
{
    return ((size_t)t->in.count + (size_t)t->out.count) * (t->is_weighted ? 2 : 1);
}

/* Checks a list of `count` ranks or weights; `name` is its name in the call. */
static int check_list(const struct comm *comm, const char *name, int64_t count, const int *list)
{
    if (count > 0 && !list)
        return fail(MPI_ERR_ARG, "%s is NULL", name);
    for (int64_t i = 0; i < count; i++)
        if (list[i] < 0 || list[i] >= comm->size)
            return fail(MPI_ERR_RANK, "%s[%lld] is %d; the ranks go from 0 to %d", name, (long long)i,
                        list[i], comm->size - 1);
    return MPI_SUCCESS;
}

static int check_weights(const char *name, int64_t count, const int *weight)
{
    if (count == 0 || weight == MPI_UNWEIGHTED)
        return MPI_SUCCESS;
    if (!weight || weight == MPI_WEIGHTS_EMPTY)
        return fail(MPI_ERR_ARG, "%s is %s, but there are %lld edges", name,
                    weight ? "MPI_WEIGHTS_EMPTY" : "NULL", (long long)count);
    for (int64_t i = 0; i < count; i++)
        if (weight[i] < 0)
            return fail(MPI_ERR_ARG, "%s[%lld] is %d; weights are not negative", name, (long long)i,
                        weight[i]);
    return MPI_SUCCESS;
}

static int check_adjacent(const struct comm *comm, int in, const int source[], const int source_weight[],
                          int out, const int dest[], const int dest_weight[])
{
    int error;

    if (in < 0 || out < 0)
        return fail(MPI_ERR_ARG, "%s is %d", in < 0 ? "indegree" : "outdegree", in < 0 ? in : out);
    if ((source_weight == MPI_UNWEIGHTED) != (dest_weight == MPI_UNWEIGHTED))
        return fail(MPI_ERR_ARG,
                    "one of sourceweights and destweights is MPI_UNWEIGHTED and the other is not");
    error = check_list(comm, "sources", in, source);
    if (!error)
        error = check_list(comm, "destinations", out, dest);
    if (!error)
        error = check_weights("sourceweights", in, source_weight);
    return error ? error : check_weights("destweights", out, dest_weight);
}

static void dist_graph_copy_list(int *to, const int *from, int count)
{
    if (to && count)
        memcpy(to, from, (size_t)count * sizeof *to);
}

/* A mark of an edge. Equal sums of marks mean, almost certainly, equal sets of edges. */
static uint64_t mark_of(int from, int to, int weight)
{
    uint64_t x = consent_add(0, 3, (int[]){from, to, weight}) * 0x9e3779b97f4a7c15u;

    return x ^ x >> 29;
}

static const char adjacent_call[] = "MPI_Dist_graph_create_adjacent",
                  edges_key[] = "MPI_Dist_graph_create_adjacent, edges";

static int weight_of(const struct neighbors *n, int i, bool has_weights)
{
    if (!has_weights)
        return 0;
    return n->weight ? n->weight[i] : 1;
}

/* What the lists of this rank say, each edge with its weight, or 0. Weights are not negative; those of incoming edges are kept as their
 * complements. */
static struct edge *list_named(const struct topology *t, int rank, bool has_weights)
{
    struct edge *edge = malloc(((size_t)t->in.count + (size_t)t->out.count + 1) * sizeof *edge);
    size_t n = 0;

    for (int i = 0; edge && i < t->in.count; i++)
        edge[n++] = (struct edge){t->in.rank[i], rank, ~weight_of(&t->in, i, has_weights)};
    for (int i = 0; edge && i < t->out.count; i++)
        edge[n++] = (struct edge){rank, t->out.rank[i], weight_of(&t->out, i, has_weights)};
    return edge;
}

static int compare_ends(const struct edge *l, const struct edge *r)
{
    return l->from != r->from ? (l->from > r->from) - (l->from < r->from) : (l->to > r->to) - (l->to < r->to);
}

static int compare_named(const void *left, const void *right)
{
    const struct edge *l = left, *r = right;
    int order = compare_ends(l, r);

    return order ? order : (l->weight > r->weight) - (l->weight < r->weight);
}

struct odd_edge {
    int64_t number;     /* in a matrix of ranks; INT64_MAX: there is none */
    int at_from, at_to; /* its weights, if both ends name it equally often */
};

/* The first edge that one end names more often than the other, or with another weight. */
static struct odd_edge find_odd_edge(struct edge *edge, int64_t count, int ranks)
{
    qsort(edge, (size_t)count, sizeof *edge, compare_named);
    for (int64_t i = 0, next; i < count; i = next) {
        int64_t in = 0, k = 0, number = (int64_t)edge[i].from * ranks + edge[i].to;
        const struct edge *out;

        for (next = i; next < count && compare_ends(&edge[i], &edge[next]) == 0; next++)
            in += edge[next].weight < 0;
        if (2 * in != next - i)
            return (struct odd_edge){.number = number};
        out = &edge[i + in];
        while (k < in && out[k].weight == ~out[-1 - k].weight)
            k++;
        if (k < in)
            return (struct odd_edge){number, out[k].weight, ~out[-1 - k].weight};
    }
    return (struct odd_edge){.number = INT64_MAX};
}

static void warn_of_odd_edge(const struct odd_edge *odd, int ranks, bool has_weights)
{
    int from = (int)(odd->number / ranks), to = (int)(odd->number % ranks);

    if (has_weights)
        log_warn("%s: the weights of edges differ between their two ends, and each end keeps its own; edge "
                 "%d to %d has "
                 "weight %d at %d and %d at %d",
                 adjacent_call, from, to, odd->at_from, from, odd->at_to, to);
    else
        log_warn(
            "%s: the edges that ranks name as incoming are not those that ranks name as outgoing; the edge "
            "from %d to %d is not named alike at both ends",
            adjacent_call, from, to);
}

/* Collective: one line that names one of the edges that differ, in their weights if those are looked at. */
static int tell_odd_edge(struct comm *comm, const struct topology *t, bool has_weights)
{
    struct edge *named = list_named(t, comm->rank, has_weights), *mine = NULL;
    struct odd_edge odd = {.number = INT64_MAX};
    int64_t count = 0, first;
    int error = consent(comm, named ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory to look for an edge"), 0);

    if (!error)
        error = edges_scatter(comm, named, (int64_t)t->in.count + t->out.count, &mine, &count);
    free(named);
    if (!error)
        odd = find_odd_edge(mine, count, comm->size);
    free(mine);
    first = odd.number;
    if (!error)
        error = coll_allreduce(MPI_IN_PLACE, &first, 1, datatype_predefined(MPI_INT64_T),
                               &op_predefined[OP_MIN], comm, FORM_BLOCKING, NULL, NULL);
    if (!error && first / comm->size == comm->rank && warn_is_due(has_weights ? adjacent_call : edges_key))
        warn_of_odd_edge(&odd, comm->size, has_weights);
    return error;
}

/* Collective: looks whether each edge was named alike at both its ends. If not, a warning says so:
 * docs/TOLERANCES.md. */
static int check_both_ends(struct comm *comm, const struct topology *t)
{
    uint64_t sums[2] = {0}; /* of the edges; of the edges and their weights */
    int error;

    for (int i = 0; i < t->in.count; i++) {
        sums[0] += mark_of(t->in.rank[i], comm->rank, 1);
        sums[1] += mark_of(t->in.rank[i], comm->rank, t->is_weighted ? t->in.weight[i] : 1);
    }
    for (int i = 0; i < t->out.count; i++) {
        sums[0] -= mark_of(comm->rank, t->out.rank[i], 1);
        sums[1] -= mark_of(comm->rank, t->out.rank[i], t->is_weighted ? t->out.weight[i] : 1);
    }
    error = coll_allreduce(MPI_IN_PLACE, sums, 2, datatype_predefined(MPI_UINT64_T), &op_predefined[OP_SUM],
                           comm, FORM_BLOCKING, NULL, NULL);
    if (error)
        return error;
    if (sums[0])
        return tell_odd_edge(comm, t, false);
    return sums[1] ? tell_odd_edge(comm, t, true) : MPI_SUCCESS;
}

/* The lists of all ranks, one after the other. */
struct gathered {
    int *counts;             /* of rank r: incoming at [2r], outgoing at [2r + 1] */
    int64_t *length, *begin; /* of its part of data */
    int *data;
    struct edge *edge; /* all edges */
    size_t edges;
};

static void gathered_fini(struct gathered *g)
{
    free(g->counts);
    free(g->length);
    free(g->data);
    free(g->edge);
}

/* Collective: gathers the lengths of all lists and allocates memory for them. */
static int gather_counts(struct gathered *g, struct comm *comm, const struct topology *t)
{
    int mine[2] = {t->in.count, t->out.count}, error = MPI_SUCCESS;
    int64_t total = 0, n = comm->size;

    g->counts = malloc((size_t)n * sizeof mine);
    g->length = malloc(2 * (size_t)n * sizeof *g->length);
    if (!g->counts || !g->length)
        error = fail(MPI_ERR_NO_MEM, "no memory to reorder %d ranks", comm->size);
    error = consent(comm, error, 0);
    if (!error)
        error = coll_allgather_bytes(comm, mine, g->counts, sizeof mine);
    for (int r = 0; !error && r < n; r++) {
        g->begin = g->length + n;
        g->begin[r] = total;
        g->length[r] = ((int64_t)g->counts[2 * r] + g->counts[2 * r + 1]) * (t->is_weighted ? 2 : 1);
        total += g->length[r];
        g->edges += (size_t)g->counts[2 * r + 1];
    }
    g->data = malloc(((size_t)total + 1) * sizeof *g->data);
    g->edge = malloc((g->edges + 1) * sizeof *g->edge);
    if (!error && (!g->data || !g->edge))
        error = fail(MPI_ERR_NO_MEM, "no memory for %zu edges, to reorder ranks", g->edges);
    return consent(comm, error, 0);
}

/* The lists that rank r gave. */
static struct topology dist_graph_part_of(const struct gathered *g, int r, bool is_weighted)
{
    int *data = g->data + g->begin[r], in = g->counts[2 * r], out = g->counts[2 * r + 1];
    int *second = data + (is_weighted ? 2 : 1) * (int64_t)in;

    return (struct topology){.in = {in, data, is_weighted ? data + in : NULL},
                             .out = {out, second, is_weighted ? second + out : NULL}};
}

static void dist_graph_list_edges(struct gathered *g, int ranks, bool is_weighted)
{
    size_t n = 0;

    for (int r = 0; r < ranks; r++) {
        struct topology part = dist_graph_part_of(g, r, is_weighted);

        for (int i = 0; i < part.out.count; i++)
            g->edge[n++] = (struct edge){r, part.out.rank[i], is_weighted ? part.out.weight[i] : 1};
    }
}

/* This process becomes another node and takes the edges that the rank of that number named. */
static int dist_graph_take_over(struct topology **topology, const struct gathered *g, int rank)
{
    struct topology *t = NULL;
    int error = new_dist_graph(g->counts[2 * rank], g->counts[2 * rank + 1], (*topology)->is_weighted, &t);

    if (error)
        return error;
    dist_graph_copy_list(t->data, g->data + g->begin[rank], (int)g->length[rank]);
    topology_unref(*topology);
    *topology = t;
    return MPI_SUCCESS;
}

static int reorder_dist_graph(struct comm *comm, struct topology **topology, int *rank)
{
    struct datatype *type = datatype_predefined(MPI_INT);
    bool is_weighted = (*topology)->is_weighted;
    struct gathered g = {0};
    int error = gather_counts(&g, comm, *topology);
    struct counts length = {.wide = g.length}, begin = {.wide = g.begin};

    if (!error)
        error = coll_allgatherv((*topology)->data, (MPI_Count)integers_of(*topology), type, g.data, length,
                                begin, type, comm, FORM_BLOCKING, NULL, NULL);
    error = consent(comm, error, 0);
    if (!error) {
        dist_graph_list_edges(&g, comm->size, is_weighted);
        error = order_ranks(comm, comm->size, g.edge, g.edges, rank);
    }
    if (!error)
        error = dist_graph_take_over(topology, &g, *rank);
    gathered_fini(&g);
    return error;
}

static int dist_graph_finish(struct comm *comm, struct topology *t, struct info *info, const char *call,
                             int reorder, struct comm **newcomm)
{
    struct plan plan = {.topology = t, .rank = comm->rank, .info = info, .call = call};
    int error = reorder ? reorder_dist_graph(comm, &plan.topology, &plan.rank) : MPI_SUCCESS;

    return consent_make(&plan, comm, error, newcomm);
}

int dist_graph_create_adjacent(struct comm *comm, int in, const int source[], const int source_weight[],
                               int out, const int dest[], const int dest_weight[], struct info *info,
                               int reorder, struct comm **newcomm)
{
    bool is_weighted = source_weight != MPI_UNWEIGHTED;
    struct topology *t = NULL;
    int error;

    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "an intercommunicator cannot have a topology; merge it first");
    error = check_adjacent(comm, in, source, source_weight, out, dest, dest_weight);
    if (!error)
        error = new_dist_graph(in, out, is_weighted, &t);
    error = consent(comm, error, consent_add(0, 2, (int[]){is_weighted, reorder != 0}));
    if (!error) {
        dist_graph_copy_list(t->in.rank, source, in);
        dist_graph_copy_list(t->in.weight, source_weight, in);
        dist_graph_copy_list(t->out.rank, dest, out);
        dist_graph_copy_list(t->out.weight, dest_weight, out);
        error = consent(comm, check_both_ends(comm, t), 0);
    }
    if (error) {
        topology_unref(t);
        return error;
    }
    return dist_graph_finish(comm, t, info, adjacent_call, reorder, newcomm);
}

/* Checks the arguments and counts the edges. */
static int check_general(const struct comm *comm, int n, const int source[], const int degree[],
                         const int dest[], const int weight[], int64_t *edges)
{
    int64_t sum = 0;
    int error;

    if (n < 0)
        return fail(MPI_ERR_ARG, "n is %d", n);
    if (n > 0 && !degree)
        return fail(MPI_ERR_ARG, "degrees is NULL");
    for (int i = 0; i < n; i++) {
        if (degree[i] < 0)
            return fail(MPI_ERR_ARG, "degrees[%d] is %d", i, degree[i]);
        sum += degree[i];
    }
    *edges = sum;
    error = check_list(comm, "sources", n, source);
    if (!error)
        error = check_list(comm, "destinations", sum, dest);
    return error ? error : check_weights("weights", sum, weight);
}

/* Keeps the edges that begin or end at this rank, in the order in which they came. */
static int keep_edges(const struct comm *comm, const struct edge *edge, int64_t count, bool is_weighted,
                      struct topology **topology)
{
    int in = 0, out = 0, error;
    struct topology *t = NULL;

    for (int64_t i = 0; i < count; i++) {
        in += edge[i].to == comm->rank;
        out += edge[i].from == comm->rank;
    }
    error = new_dist_graph(in, out, is_weighted, &t);
    if (error)
        return error;
    in = out = 0;
    for (int64_t i = 0; i < count; i++) {
        if (edge[i].to == comm->rank) {
            if (is_weighted)
                t->in.weight[in] = edge[i].weight;
            t->in.rank[in++] = edge[i].from;
        }
        if (edge[i].from == comm->rank) {
            if (is_weighted)
                t->out.weight[out] = edge[i].weight;
            t->out.rank[out++] = edge[i].to;
        }
    }
    *topology = t;
    return MPI_SUCCESS;
}

static void list_given(int n, const int source[], const int degree[], const int dest[], const int weight[],
                       struct edge *edge)
{
    int64_t at = 0;

    for (int i = 0; i < n; i++)
        for (int k = 0; k < degree[i]; k++, at++)
            edge[at] = (struct edge){source[i], dest[at], weight == MPI_UNWEIGHTED ? 1 : weight[at]};
}

int dist_graph_create(struct comm *comm, int n, const int source[], const int degree[], const int dest[],
                      const int weight[], struct info *info, int reorder, struct comm **newcomm)
{
    bool is_weighted = weight != MPI_UNWEIGHTED;
    struct edge *given = NULL, *mine = NULL;
    struct topology *t = NULL;
    int64_t count = 0;
    int error;

    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "an intercommunicator cannot have a topology; merge it first");
    error = check_general(comm, n, source, degree, dest, weight, &count);
    if (!error) {
        given = malloc(((size_t)count + 1) * sizeof *given);
        error = given ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory for %lld edges", (long long)count);
    }
    error = consent(comm, error, consent_add(0, 2, (int[]){is_weighted, reorder != 0}));
    if (!error) {
        list_given(n, source, degree, dest, weight, given);
        error = edges_scatter(comm, given, count, &mine, &count);
        if (!error)
            error = keep_edges(comm, mine, count, is_weighted, &t);
        error = consent(comm, error, 0);
    }
    free(given);
    free(mine);
    if (!error)
        return dist_graph_finish(comm, t, info, "MPI_Dist_graph_create", reorder, newcomm);
    topology_unref(t);
    return error;
}

static int find_dist_graph(const struct comm *comm, const struct topology **topology)
{
    if (!comm->topology || comm->topology->kind != MPI_DIST_GRAPH)
        return fail(MPI_ERR_TOPOLOGY, "the communicator has no distributed graph topology");
    *topology = comm->topology;
    return MPI_SUCCESS;
}

int dist_graph_neighbors_count(const struct comm *comm, int *in, int *out, int *is_weighted)
{
    const struct topology *t = NULL;
    int error = find_dist_graph(comm, &t);

    if (error)
        return error;
    *in = t->in.count;
    *out = t->out.count;
    *is_weighted = t->is_weighted;
    return MPI_SUCCESS;
}

/* Checks that there is room for a list. A graph without weights writes none, whatever their array is. */
static int check_result(const char *names[2], const struct neighbors *n, int max, const int *rank,
                        const int *weight)
{
    if (max < 0)
        return fail(MPI_ERR_ARG, "the size of %s is %d", names[0], max);
    if (n->count < max)
        max = n->count;
    if (max > 0 && (!rank || (n->weight && (!weight || weight == MPI_WEIGHTS_EMPTY))))
        return fail(MPI_ERR_ARG, "%s is no array of %d; where weights are not wanted, pass MPI_UNWEIGHTED",
                    rank ? names[1] : names[0], max);
    return MPI_SUCCESS;
}

static void dist_graph_give(const struct neighbors *n, int max, int *rank, int *weight)
{
    int count = n->count < max ? n->count : max;

    dist_graph_copy_list(rank, n->rank, count);
    if (n->weight && weight != MPI_UNWEIGHTED)
        dist_graph_copy_list(weight, n->weight, count);
}

int dist_graph_neighbors(const struct comm *comm, int max_in, int source[], int source_weight[], int max_out,
                         int dest[], int dest_weight[])
{
    static const char *ins[] = {"sources", "sourceweights"}, *outs[] = {"destinations", "destweights"};
    const struct topology *t = NULL;
    int error = find_dist_graph(comm, &t);

    if (!error)
        error = check_result(ins, &t->in, max_in, source, source_weight);
    if (!error)
        error = check_result(outs, &t->out, max_out, dest, dest_weight);
    if (error)
        return error;
    dist_graph_give(&t->in, max_in, source, source_weight);
    dist_graph_give(&t->out, max_out, dest, dest_weight);
    return MPI_SUCCESS;
}
