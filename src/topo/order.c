#include "topo/topo.h"

#include "coll/algo/host_groups.h"
#include "coll/coll.h"
#include "making/make.h"
#include "plain/fail.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* The cost of a message between processes that share this many levels. Only the ratios matter. */
static const int64_t cost[ORDER_LEVELS + 1] = {64, 8, 4, 2, 0};

/* One direction of an edge. The arcs of a node are adjacent. */
struct arc {
    int to, weight;
};

struct web {
    int nodes;
    const struct order_place *place; /* by process */
    size_t *first;                   /* first[node] to first[node + 1] - 1: its arcs */
    struct arc *arc;
    int *process;  /* by node; -1: free */
    int *sequence; /* the processes in the order in which they get their nodes */
    int *border;   /* free nodes adjacent to assigned ones */
    int border_size;
    bool *is_on_border; /* by node */
    int *depth;         /* by assigned node: steps from the first node of its host */
};

static void web_fini(struct web *w)
{
    free(w->first);
    free(w->arc);
    free(w->process);
    free(w->sequence);
    free(w->border);
    free(w->is_on_border);
    free(w->depth);
}

static int web_init(struct web *w, int nodes, size_t edges, const struct order_place *place)
{
    size_t n = (size_t)nodes;

    *w = (struct web){.nodes = nodes,
                      .place = place,
                      .first = calloc(n + 2, sizeof *w->first),
                      .arc = malloc((2 * edges + 1) * sizeof *w->arc),
                      .process = malloc(n * sizeof *w->process),
                      .sequence = malloc(n * sizeof *w->sequence),
                      .border = malloc(n * sizeof *w->border),
                      .is_on_border = calloc(n, sizeof *w->is_on_border),
                      .depth = malloc(n * sizeof *w->depth)};
    if (w->first && w->arc && w->process && w->sequence && w->border && w->is_on_border && w->depth)
        return MPI_SUCCESS;
    web_fini(w);
    return fail(MPI_ERR_NO_MEM, "no memory to reorder %d ranks", nodes);
}

/* Stores each edge in both directions, sorted by node. Loops are left out. */
static void web_fill(struct web *w, const struct edge *edge, size_t edges)
{
    size_t *next = w->first + 1; /* next[node]: where its next arc goes; ends up as first[node + 1] */

    for (size_t i = 0; i < edges; i++)
        if (edge[i].from != edge[i].to) {
            next[edge[i].from + 1]++;
            next[edge[i].to + 1]++;
        }
    for (int v = 0; v < w->nodes; v++)
        next[v + 1] += next[v];
    for (size_t i = 0; i < edges; i++)
        if (edge[i].from != edge[i].to) {
            w->arc[next[edge[i].from]++] = (struct arc){edge[i].to, edge[i].weight};
            w->arc[next[edge[i].to]++] = (struct arc){edge[i].from, edge[i].weight};
        }
    for (int v = 0; v < w->nodes; v++)
        w->process[v] = -1;
}

static int shared_levels(const struct order_place *a, const struct order_place *b)
{
    int n = 0;

    while (n < ORDER_LEVELS && a->at[n] == b->at[n])
        n++;
    return n;
}

static int64_t cost_between(const struct web *w, int a, int b)
{
    return cost[shared_levels(&w->place[a], &w->place[b])];
}

/* Compares by place, then by rank. */
static int order_compare_places(const void *a, const void *b, void *place)
{
    const struct order_place *all = place;
    int left = *(const int *)a, right = *(const int *)b;

    for (int i = 0; i < ORDER_LEVELS; i++)
        if (all[left].at[i] != all[right].at[i])
            return all[left].at[i] < all[right].at[i] ? -1 : 1;
    return (left > right) - (left < right);
}

/* How well a node suits a process. Earlier members count more. */
struct fit {
    int64_t gain; /* the cost that its edges to nodes of close processes save */
    int depth;    /* steps from the first node of the host: round parts have short borders */
    int open;     /* its free neighbours; fewer are better */
};

static bool is_better(const struct fit *a, const struct fit *b)
{
    if (a->gain != b->gain)
        return a->gain > b->gain;
    if (a->depth != b->depth)
        return a->depth < b->depth;
    return a->open < b->open;
}

static struct fit fit_of(const struct web *w, int node, int process)
{
    struct fit f = {0, INT_MAX, 0};

    for (size_t i = w->first[node]; i < w->first[node + 1]; i++) {
        int neighbor = w->arc[i].to, other = w->process[neighbor];
        int64_t between = other < 0 ? cost[0] : cost_between(w, process, other);

        f.open += other < 0;
        f.gain += w->arc[i].weight * (cost[0] - between);
        if (between < cost[0] && w->depth[neighbor] < f.depth)
            f.depth = w->depth[neighbor];
    }
    return f;
}

/* The index in the border of the best node for this process; -1: the border is empty. */
static int find_best(const struct web *w, int process)
{
    struct fit best = {0};
    int found = -1;

    for (int i = 0; i < w->border_size; i++) {
        struct fit f = fit_of(w, w->border[i], process);

        if (found < 0 || is_better(&f, &best) || (!is_better(&best, &f) && w->border[i] < w->border[found])) {
            best = f;
            found = i;
        }
    }
    return found;
}

static void order_give(struct web *w, int node, int process)
{
    int depth = fit_of(w, node, process).depth;

    w->process[node] = process;
    w->depth[node] = depth == INT_MAX ? 0 : depth + 1;
    for (size_t i = w->first[node]; i < w->first[node + 1]; i++) {
        int neighbor = w->arc[i].to;

        if (w->process[neighbor] >= 0 || w->is_on_border[neighbor])
            continue;
        w->is_on_border[neighbor] = true;
        w->border[w->border_size++] = neighbor;
    }
}

static void place_all(struct web *w)
{
    int lowest = 0; /* all nodes below are assigned */

    for (int i = 0; i < w->nodes; i++)
        w->sequence[i] = i;
    qsort_r(w->sequence, (size_t)w->nodes, sizeof *w->sequence, order_compare_places,
            (void *)(uintptr_t)w->place);
    for (int i = 0; i < w->nodes; i++) {
        int at = find_best(w, w->sequence[i]), node;

        while (lowest < w->nodes && w->process[lowest] >= 0)
            lowest++;
        node = at < 0 ? lowest : w->border[at];
        if (at >= 0)
            w->border[at] = w->border[--w->border_size];
        w->is_on_border[node] = true; /* so that it is not added again */
        order_give(w, node, w->sequence[i]);
    }
}

/* The cost of all edges, with the processes of the web, or with each process at the node of its own number. */
static int64_t total_cost(const struct web *w, bool as_it_is)
{
    int64_t sum = 0;

    for (int v = 0; v < w->nodes; v++)
        for (size_t i = w->first[v]; i < w->first[v + 1]; i++) {
            int to = w->arc[i].to;

            sum += w->arc[i].weight *
                   cost_between(w, as_it_is ? v : w->process[v], as_it_is ? to : w->process[to]);
        }
    return sum;
}

int order_find(int nodes, const struct edge *edge, size_t edges, const struct order_place *place, int *node)
{
    struct web w;
    int64_t as_it_is;
    int error = web_init(&w, nodes, edges, place);

    if (error)
        return error;
    web_fill(&w, edge, edges);
    as_it_is = total_cost(&w, true);
    for (int v = 0; v < nodes; v++)
        node[v] = v;
    if (as_it_is > 0)
        place_all(&w);
    if (as_it_is > 0 && total_cost(&w, false) < as_it_is)
        for (int v = 0; v < nodes; v++)
            node[w.process[v]] = v;
    web_fini(&w);
    return MPI_SUCCESS;
}

/* Whether the process may run on only some of the host's processors. This spares most programs the tens of
 * milliseconds that it takes to inspect the hardware. */
static bool is_bound(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < sysconf(_SC_NPROCESSORS_ONLN);
}

static struct order_place order_find_place(const struct comm *comm)
{
    bool bound = is_bound();
    struct order_place p;

    for (int i = 1; i < ORDER_LEVELS; i++)
        p.at[i] = bound ? hw_resource_place(i) : -1;
    p.at[0] = comm->group->has_guests ? hw_resource_place(0) : (int64_t)host_groups_key(group_me);
    return p;
}

static int order_no_memory(int nodes)
{
    return fail(MPI_ERR_NO_MEM, "no memory to reorder %d ranks", nodes);
}

/* Finds the node of this process, which has one. */
static int find_node(const struct comm *comm, int nodes, const struct edge *edge, size_t edges,
                     const struct order_place *place, int *node)
{
    int *found = malloc((size_t)nodes * sizeof *found);
    int error = found ? order_find(nodes, edge, edges, place, found) : order_no_memory(nodes);

    if (!error)
        *node = found[comm->rank];
    free(found);
    return error;
}

int order_ranks(struct comm *comm, int nodes, const struct edge *edge, size_t edges, int *node)
{
    struct order_place mine = order_find_place(comm), *place = malloc((size_t)comm->size * sizeof *place);
    int error = consent(comm, place ? MPI_SUCCESS : order_no_memory(nodes), 0);

    if (!error)
        error = coll_allgather_bytes(comm, &mine, place, sizeof mine);
    if (!error && comm->rank < nodes)
        error = find_node(comm, nodes, edge, edges, place, node);
    if (!error && comm->rank >= nodes)
        *node = MPI_UNDEFINED;
    free(place);
    return error;
}

int order_by_host(const struct comm *comm, int nodes, const struct edge *edge, size_t edges, int *node)
{
    struct order_place *place;
    int error;

    if (comm->rank >= nodes || comm->group->has_guests) {
        *node = comm->rank < nodes ? comm->rank : MPI_UNDEFINED;
        return MPI_SUCCESS;
    }
    place = malloc((size_t)nodes * sizeof *place);
    for (int r = 0; place && r < nodes; r++)
        place[r] = (struct order_place){{(int64_t)host_groups_key(comm->process[r]), -1, -1, -1}};
    error = place ? find_node(comm, nodes, edge, edges, place, node) : order_no_memory(nodes);
    free(place);
    return error;
}
