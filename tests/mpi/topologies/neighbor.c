/* ranks: 1 2 3 4 8  timeout: 60 */
/* Neighbourhood collectives on grids, graphs and distributed graphs, in all forms. Each block says who sent
 * it and as which of his blocks, so that the order of neighbours is checked where one appears more than once.
 */
#include "forms.h"

enum {
    MOST = 256,   /* neighbours */
    ITEMS = 4,    /* in a block, at most */
    LARGE = 20000 /* items, more than goes at once */
};

static int rank, size;

/* The neighbours of this rank in the topology under test, and for each incoming edge the number that it has
 * among the sender's outgoing ones. */
struct around {
    MPI_Comm comm;
    int ins, outs;
    int in[MOST], out[MOST], number[MOST];
};

/* How many items go over the k-th edge out of `from`. */
static int items(int from, int k)
{
    return (from + 3 * k) % (ITEMS + 1);
}

static int item(int from, int k, int i)
{
    return from * 100000 + k * 100 + i;
}

static void allgather(const struct around *a, enum form form)
{
    int mine[2] = {rank, 7 * rank}, *got = malloc((size_t)(a->ins + 1) * sizeof mine);

    for (int i = 0; i < 2 * a->ins; i++)
        got[i] = -1;
    forms_result(got, (size_t)a->ins * sizeof mine);
    CHECK_EQ(RUN(Neighbor_allgather, Ineighbor_allgather, mine, 2, MPI_INT, got, 2, MPI_INT, a->comm),
             MPI_SUCCESS);
    for (int i = 0; i < a->ins; i++) {
        CHECK_EQ(got[2 * i], a->in[i] == MPI_PROC_NULL ? -1 : a->in[i]);
        CHECK_EQ(got[2 * i + 1], a->in[i] == MPI_PROC_NULL ? -1 : 7 * a->in[i]);
    }
    free(got);
}

/* Blocks in reverse order with a hole between them; each rank sends as many items as its number. */
static void allgatherv(const struct around *a, enum form form)
{
    int counts[MOST], displs[MOST], mine[16], got[MOST * 17], width = 9;

    for (int i = 0; i < 16; i++)
        mine[i] = rank * 100 + i;
    for (int i = 0; i < a->ins; i++) {
        counts[i] = a->in[i] == MPI_PROC_NULL ? 3 : a->in[i];
        displs[i] = (a->ins - 1 - i) * width;
    }
    for (int i = 0; i < MOST * 17; i++)
        got[i] = -1;
    forms_result(got, sizeof got);
    CHECK_EQ(RUN(Neighbor_allgatherv, Ineighbor_allgatherv, mine, rank, MPI_INT, got, counts, displs, MPI_INT,
                 a->comm),
             MPI_SUCCESS);
    for (int i = 0; i < a->ins; i++)
        for (int k = 0; k < width; k++)
            CHECK_EQ(got[displs[i] + k],
                     a->in[i] != MPI_PROC_NULL && k < counts[i] ? a->in[i] * 100 + k : -1);
}

static void alltoall(const struct around *a, enum form form)
{
    int out[MOST], in[MOST];

    for (int i = 0; i < a->outs; i++)
        out[i] = item(rank, i, 0);
    for (int i = 0; i < a->ins; i++)
        in[i] = -1;
    forms_result(in, (size_t)a->ins * sizeof *in);
    CHECK_EQ(RUN(Neighbor_alltoall, Ineighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, a->comm),
             MPI_SUCCESS);
    for (int i = 0; i < a->ins; i++)
        CHECK_EQ(in[i], a->in[i] == MPI_PROC_NULL ? -1 : item(a->in[i], a->number[i], 0));
}

/* Large blocks: all must be under way at once. The large-count form. */
static void alltoall_large(const struct around *a, enum form form)
{
    int *out = malloc((size_t)(a->outs + 1) * LARGE * sizeof *out);
    int *in = malloc((size_t)(a->ins + 1) * LARGE * sizeof *in);

    for (int i = 0; i < a->outs; i++)
        for (int k = 0; k < LARGE; k++)
            out[i * LARGE + k] = item(rank, i, k);
    memset(in, 0xff, (size_t)(a->ins + 1) * LARGE * sizeof *in);
    forms_result(in, (size_t)a->ins * LARGE * sizeof *in);
    CHECK_EQ(RUN(Neighbor_alltoall, Ineighbor_alltoall, out, LARGE, MPI_INT, in, LARGE, MPI_INT, a->comm),
             MPI_SUCCESS);
    for (int i = 0; i < a->ins; i++)
        for (int k = 0; k < LARGE; k += 97)
            CHECK_EQ(in[i * LARGE + k], a->in[i] == MPI_PROC_NULL ? -1 : item(a->in[i], a->number[i], k));
    free(out);
    free(in);
}

static void check_items(const struct around *a, const int *in)
{
    for (int i = 0; i < a->ins; i++)
        for (int k = 0; k < ITEMS; k++) {
            int is_sent = a->in[i] != MPI_PROC_NULL && k < items(a->in[i], a->number[i]);

            CHECK_EQ(in[i * ITEMS + k], is_sent ? item(a->in[i], a->number[i], k) : -1);
        }
}

static void alltoallv(const struct around *a, enum form form, int is_large)
{
    int out[MOST * ITEMS], in[MOST * ITEMS], out_n[MOST], in_n[MOST], out_at[MOST], in_at[MOST];
    MPI_Count out_wide[MOST], in_wide[MOST];
    MPI_Aint out_far[MOST], in_far[MOST];

    memset(in, 0xff, sizeof in);
    forms_result(in, sizeof in);
    for (int i = 0; i < a->outs; i++) {
        out_wide[i] = out_n[i] = items(rank, i);
        out_far[i] = out_at[i] = (a->outs - 1 - i) * ITEMS;
        for (int k = 0; k < ITEMS; k++)
            out[out_at[i] + k] = item(rank, i, k);
    }
    for (int i = 0; i < a->ins; i++) {
        in_wide[i] = in_n[i] = a->in[i] == MPI_PROC_NULL ? 2 : items(a->in[i], a->number[i]);
        in_far[i] = in_at[i] = i * ITEMS;
    }
    if (is_large)
        CHECK_EQ(
            MPI_Neighbor_alltoallv_c(out, out_wide, out_far, MPI_INT, in, in_wide, in_far, MPI_INT, a->comm),
            MPI_SUCCESS);
    else
        CHECK_EQ(RUN(Neighbor_alltoallv, Ineighbor_alltoallv, out, out_n, out_at, MPI_INT, in, in_n, in_at,
                     MPI_INT, a->comm),
                 MPI_SUCCESS);
    check_items(a, in);
}

/* Contiguous on one side, with gaps on the other; types freed while the operation is under way. */
static void alltoallw(const struct around *a, enum form form)
{
    int out[MOST * ITEMS * 2], in[MOST * ITEMS], out_n[MOST], in_n[MOST];
    MPI_Aint out_at[MOST], in_at[MOST];
    MPI_Datatype spread, out_type[MOST], in_type[MOST];

    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread);
    MPI_Type_commit(&spread);
    memset(in, 0xff, sizeof in);
    for (int i = 0; i < a->outs; i++) {
        out_n[i] = items(rank, i);
        out_at[i] = (MPI_Aint)((size_t)i * ITEMS * 2 * sizeof(int));
        out_type[i] = spread;
        for (int k = 0; k < ITEMS; k++)
            out[2 * (i * ITEMS + k)] = item(rank, i, k);
    }
    for (int i = 0; i < a->ins; i++) {
        in_n[i] = a->in[i] == MPI_PROC_NULL ? 1 : items(a->in[i], a->number[i]);
        in_at[i] = (MPI_Aint)((size_t)i * ITEMS * sizeof(int));
        in_type[i] = i % 2 ? MPI_INT : MPI_INT32_T;
    }
    forms_result(in, sizeof in);
    CHECK_EQ(RUN(Neighbor_alltoallw, Ineighbor_alltoallw, out, out_n, out_at, out_type, in, in_n, in_at,
                 in_type, a->comm),
             MPI_SUCCESS);
    MPI_Type_free(&spread);
    check_items(a, in);
}

static void all_operations(const struct around *a)
{
    for (enum form form = BLOCKING; form < FORMS; form++) {
        allgather(a, form);
        allgatherv(a, form);
        alltoall(a, form);
        alltoallv(a, form, 0);
        alltoallw(a, form);
    }
    alltoallv(a, BLOCKING, 1);
    alltoall_large(a, size < 8 || a->outs < 9 ? NONBLOCKING : BLOCKING);
}

/* What is sent backwards arrives from ahead. */
static void on_grid(int dims, const int *dim, const int *period)
{
    struct around a;

    CHECK_EQ(MPI_Cart_create(MPI_COMM_WORLD, dims, dim, period, 0, &a.comm), MPI_SUCCESS);
    if (a.comm == MPI_COMM_NULL)
        return;
    a.ins = a.outs = 2 * dims;
    for (int d = 0; d < dims; d++) {
        MPI_Cart_shift(a.comm, d, 1, &a.in[2 * d], &a.in[2 * d + 1]);
        a.number[2 * d] = 2 * d + 1;
        a.number[2 * d + 1] = 2 * d;
    }
    memcpy(a.out, a.in, sizeof a.in);
    all_operations(&a);
    MPI_Comm_free(&a.comm);
}

static void grids(void)
{
    static const int shapes[][4] = {{1, 1},    {1, 2},    {1, 3},       {1, 8},       {2, 1, 1}, {2, 2, 1},
                                    {2, 2, 2}, {2, 1, 3}, {3, 2, 2, 2}, {3, 1, 2, 1}, {0}};

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int dims = shapes[s][0], product = 1, period[3];

        for (int i = 1; i <= dims; i++)
            product *= shapes[s][i];
        for (int mask = 0; product <= size && mask < 1 << dims; mask++) {
            for (int i = 0; i < dims; i++)
                period[i] = mask >> i & 1;
            on_grid(dims, &shapes[s][1], period);
        }
    }
}

/* Edges from a to b: several, none, loops; in the last graph so many that they do not fit into one round. */
static int edges_between(int a, int b, int which)
{
    switch (which) {
    case 0:
        return (a + 1) % size == b; /* a directed ring */
    case 1:
        return 1; /* all with all, oneself included */
    case 2:
        return a == 0 ? b % 3 : a == b; /* a star of multiple edges, and loops */
    case 3:
        return 0;
    default:
        return 40 / size + (a + b) % 3;
    }
}

/* The number that the j-th edge from `from` to this rank has among those out of `from`: lists are in order of
 * ranks. */
static int number_of(int from, int to, int j, int which)
{
    int n = 0;

    for (int b = 0; b < to; b++)
        n += edges_between(from, b, which);
    return n + j;
}

static void on_graph(int which)
{
    struct around a = {.ins = 0};
    int one = 1;

    for (int r = 0; r < size; r++) {
        for (int j = 0; j < edges_between(r, rank, which); j++) {
            a.in[a.ins] = r;
            a.number[a.ins++] = number_of(r, rank, j, which);
        }
        for (int j = 0; j < edges_between(rank, r, which); j++)
            a.out[a.outs++] = r;
    }
    CHECK_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, a.ins, a.in, MPI_UNWEIGHTED, a.outs, a.out,
                                            MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &a.comm),
             MPI_SUCCESS);
    all_operations(&a);
    MPI_Comm_free(&a.comm);
    /* sources named one by one, so that the lists come out in the same order */
    {
        int source[MOST], degree[MOST];

        for (int i = 0; i < a.outs; i++) {
            source[i] = rank;
            degree[i] = one;
        }
        CHECK_EQ(MPI_Dist_graph_create(MPI_COMM_WORLD, a.outs, source, degree, a.out, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &a.comm),
                 MPI_SUCCESS);
        MPI_Dist_graph_neighbors(a.comm, a.ins, a.in, MPI_UNWEIGHTED, a.outs, a.out, MPI_UNWEIGHTED);
        all_operations(&a);
        MPI_Comm_free(&a.comm);
    }
}

/* A graph topology: two edges to each side of a ring, a loop on rank 0. */
static void on_old_graph(void)
{
    struct around a = {.ins = 0};
    int index[16], edge[80], n = 0, mine = 0;

    for (int r = 0; r < size; r++) {
        int next = (r + 1) % size, previous = (r + size - 1) % size;

        for (int k = 0; k < 2; k++) {
            edge[n++] = previous;
            edge[n++] = next;
        }
        if (r == 0)
            edge[n++] = 0;
        index[r] = n;
    }
    CHECK_EQ(MPI_Graph_create(MPI_COMM_WORLD, size, index, edge, 0, &a.comm), MPI_SUCCESS);
    for (int i = rank ? index[rank - 1] : 0; i < index[rank]; i++) {
        int from = edge[i], nth = 0, first = from ? index[from - 1] : 0, k;

        for (int j = rank ? index[rank - 1] : 0; j < i; j++)
            nth += edge[j] == from;
        for (k = first; edge[k] != rank || nth-- > 0; k++)
            ;
        a.in[mine] = a.out[mine] = from;
        a.number[mine++] = k - first;
    }
    a.ins = a.outs = mine;
    all_operations(&a);
    MPI_Comm_free(&a.comm);
}

static void errors(void)
{
    int v[2] = {0}, w[2], n[2] = {1, 1}, minus[2] = {1, -1}, at[2] = {0, 1}, dim = size, period = 1;
    MPI_Aint far[2] = {0, 4};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT}, bad[2] = {MPI_INT, MPI_DATATYPE_NULL};
    MPI_Comm cart;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &dim, &period, 0, &cart);
    MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN);
    CHECK_EQ(class_of(MPI_Neighbor_allgather(v, 1, MPI_INT, w, 1, MPI_INT, MPI_COMM_WORLD)),
             MPI_ERR_TOPOLOGY);
    CHECK_EQ(class_of(MPI_Neighbor_alltoallw(v, n, far, types, w, n, far, types, MPI_COMM_WORLD)),
             MPI_ERR_TOPOLOGY);
    CHECK_EQ(class_of(MPI_Ineighbor_alltoall(v, 1, MPI_INT, w, 1, MPI_INT, MPI_COMM_WORLD, &forms_request)),
             MPI_ERR_TOPOLOGY);
    CHECK_EQ(class_of(MPI_Neighbor_allgather(v, -1, MPI_INT, w, 1, MPI_INT, cart)), MPI_ERR_COUNT);
    CHECK_EQ(class_of(MPI_Neighbor_allgather(v, 1, MPI_DATATYPE_NULL, w, 1, MPI_INT, cart)), MPI_ERR_TYPE);
    CHECK_EQ(class_of(MPI_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, w, 1, MPI_INT, cart)), MPI_ERR_BUFFER);
    CHECK_EQ(class_of(MPI_Neighbor_allgatherv(v, 1, MPI_INT, w, minus, at, MPI_INT, cart)), MPI_ERR_COUNT);
    CHECK_EQ(class_of(MPI_Neighbor_allgatherv(v, 1, MPI_INT, w, NULL, at, MPI_INT, cart)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Neighbor_alltoallv(v, minus, at, MPI_INT, w, n, at, MPI_INT, cart)), MPI_ERR_COUNT);
    CHECK_EQ(class_of(MPI_Neighbor_alltoallv(v, n, NULL, MPI_INT, w, n, at, MPI_INT, cart)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Neighbor_alltoallw(v, n, far, bad, w, n, far, types, cart)), MPI_ERR_TYPE);
    CHECK_EQ(class_of(MPI_Neighbor_alltoallw(v, n, far, types, w, n, far, NULL, cart)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Neighbor_allgather(v, 1, MPI_INT, w, 1, MPI_INT, MPI_COMM_NULL)), MPI_ERR_COMM);
    /* a block that is longer than its place */
    CHECK_EQ(class_of(MPI_Neighbor_alltoall(v, 1, MPI_INT, w, 1, MPI_CHAR, cart)), MPI_ERR_TRUNCATE);
    MPI_Comm_free(&cart);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    grids();
    for (int which = 0; which < 5; which++)
        on_graph(which);
    on_old_graph();
    errors();
    MPI_Finalize();
    return 0;
}
