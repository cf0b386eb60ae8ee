/* ranks: 1 2 4 6 8 */
/* Cartesian topologies: making, asking, shifting, partitioning. */
#include "check.h"

static int rank, size;

/* Rank arithmetic written down independently: row-major. */
static int rank_of(int dims, const int *dim, const int *coord)
{
    int r = 0;

    for (int i = 0; i < dims; i++)
        r = r * dim[i] + coord[i];
    return r;
}

static void check_questions(MPI_Comm cart, int dims, const int *dim, const int *period)
{
    int n, got_dim[8], got_period[8], coord[8], other[8], r, status, members;

    MPI_Comm_rank(cart, &r);
    MPI_Comm_size(cart, &members);
    CHECK_EQ(MPI_Topo_test(cart, &status), MPI_SUCCESS);
    CHECK_EQ(status, MPI_CART);
    CHECK_EQ(MPI_Cartdim_get(cart, &n), MPI_SUCCESS);
    CHECK_EQ(n, dims);
    CHECK_EQ(MPI_Cart_get(cart, 8, got_dim, got_period, coord), MPI_SUCCESS);
    for (int i = 0; i < dims; i++) {
        CHECK_EQ(got_dim[i], dim[i]);
        CHECK_EQ(got_period[i], period[i]);
    }
    CHECK_EQ(rank_of(dims, dim, coord), r);
    for (int i = 0; i < members; i++) {
        CHECK_EQ(MPI_Cart_coords(cart, i, dims, other), MPI_SUCCESS);
        CHECK_EQ(rank_of(dims, dim, other), i);
        for (int k = 0; k < dims; k++)
            if (period[k])
                other[k] += (k % 2 ? -3 : 5) * dim[k];
        CHECK_EQ(MPI_Cart_rank(cart, other, &n), MPI_SUCCESS);
        CHECK_EQ(n, i);
    }
}

static void check_shifts(MPI_Comm cart, int dims, const int *dim, const int *period)
{
    int coord[8], source, dest, r, far[2];

    MPI_Comm_rank(cart, &r);
    MPI_Cart_coords(cart, r, dims, coord);
    for (int d = 0; d < dims; d++)
        for (int by = -3; by <= 3; by++) {
            int at = coord[d];

            CHECK_EQ(MPI_Cart_shift(cart, d, by, &source, &dest), MPI_SUCCESS);
            for (int sign = -1; sign <= 1; sign += 2) {
                int to = at + sign * by, expected = MPI_PROC_NULL;

                if (period[d])
                    to = ((to % dim[d]) + dim[d]) % dim[d];
                if (to >= 0 && to < dim[d]) {
                    coord[d] = to;
                    expected = rank_of(dims, dim, coord);
                    coord[d] = at;
                }
                CHECK_EQ(sign < 0 ? source : dest, expected);
            }
            /* what goes there comes from there */
            MPI_Sendrecv(&r, 1, MPI_INT, dest, 0, far, 1, MPI_INT, source, 0, cart, MPI_STATUS_IGNORE);
            CHECK(source == MPI_PROC_NULL || far[0] == source);
        }
}

static void grids(void)
{
    static const int shapes[][4] = {{1, 1},    {1, 2},       {1, 4},       {1, 6},      {1, 8},
                                    {2, 2, 1}, {2, 2, 2},    {2, 2, 3},    {2, 3, 2},   {2, 1, 4},
                                    {2, 4, 2}, {3, 2, 2, 2}, {3, 1, 1, 1}, {3, 2, 1, 3}};

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int periods = 0; periods < 8; periods++)
            for (int reorder = 0; reorder < 2; reorder++) {
                int dims = shapes[s][0], period[3], product = 1, r, n;
                const int *dim = &shapes[s][1];
                MPI_Comm cart;

                for (int i = 0; i < dims; i++) {
                    period[i] = periods >> i & 1;
                    product *= dim[i];
                }
                if (product > size || periods >> dims)
                    continue;
                CHECK_EQ(MPI_Cart_create(MPI_COMM_WORLD, dims, dim, period, reorder, &cart), MPI_SUCCESS);
                if (cart == MPI_COMM_NULL) {
                    CHECK(rank >= product);
                    continue;
                }
                MPI_Comm_rank(cart, &r);
                MPI_Comm_size(cart, &n);
                CHECK_EQ(n, product);
                CHECK(reorder || r == rank);
                check_questions(cart, dims, dim, period);
                check_shifts(cart, dims, dim, period);
                CHECK_EQ(MPI_Comm_free(&cart), MPI_SUCCESS);
            }
}

/* No dimensions: one process. */
static void a_point(void)
{
    MPI_Comm cart, sub;
    int n = -1, r = -1, untouched = 77;

    CHECK_EQ(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &cart), MPI_SUCCESS);
    CHECK_EQ(cart == MPI_COMM_NULL, rank != 0);
    if (cart == MPI_COMM_NULL)
        return;
    CHECK_EQ(MPI_Cartdim_get(cart, &n), MPI_SUCCESS);
    CHECK_EQ(n, 0);
    CHECK_EQ(MPI_Cart_rank(cart, NULL, &r), MPI_SUCCESS);
    CHECK_EQ(r, 0);
    CHECK_EQ(MPI_Cart_get(cart, 1, &untouched, &untouched, &untouched), MPI_SUCCESS);
    CHECK_EQ(MPI_Cart_coords(cart, 0, 1, &untouched), MPI_SUCCESS);
    CHECK_EQ(untouched, 77);
    CHECK_EQ(MPI_Cart_sub(cart, NULL, &sub), MPI_SUCCESS);
    CHECK_EQ(MPI_Cartdim_get(sub, &n), MPI_SUCCESS);
    CHECK_EQ(n, 0);
    MPI_Comm_free(&sub);
    MPI_Comm_free(&cart);
}

/* Every way to drop dimensions of a grid of three. */
static void subgrids(void)
{
    int dim[3] = {size % 2 ? 1 : 2, size == 8 ? 2 : 1, size == 8 ? 2 : size == 6 ? 3 : size == 4 ? 2 : 1};
    int period[3] = {1, 0, 1}, coord[3];
    MPI_Comm cart, sub;

    MPI_Cart_create(MPI_COMM_WORLD, 3, dim, period, 0, &cart);
    if (cart == MPI_COMM_NULL)
        return;
    MPI_Cart_coords(cart, rank, 3, coord);
    for (int mask = 0; mask < 8; mask++) {
        int remain[3] = {mask & 1, mask >> 1 & 1, mask >> 2}, left[3], left_period[3], own[3], dims = 0,
            n = 1;
        int members, lost[3], *seen;

        for (int i = 0; i < 3; i++)
            if (remain[i]) {
                left[dims] = dim[i];
                left_period[dims] = period[i];
                own[dims++] = coord[i];
                n *= dim[i];
            }
        CHECK_EQ(MPI_Cart_sub(cart, remain, &sub), MPI_SUCCESS);
        MPI_Comm_size(sub, &members);
        CHECK_EQ(members, n);
        check_questions(sub, dims, left, left_period);
        MPI_Comm_rank(sub, &n);
        CHECK_EQ(n, rank_of(dims, left, own));
        for (int i = 0; i < 3; i++)
            lost[i] = remain[i] ? 0 : coord[i];
        seen = malloc((size_t)members * 3 * sizeof *seen); /* all have lost the same coordinates */
        MPI_Allgather(lost, 3, MPI_INT, seen, 3, MPI_INT, sub);
        for (int i = 0; i < members; i++)
            CHECK_EQ(memcmp(seen + 3 * i, lost, sizeof lost), 0);
        free(seen);
        MPI_Comm_free(&sub);
    }
    MPI_Comm_free(&cart);
}

/* A dup has the topology, other communicators made from it have none. */
static void inheritance(void)
{
    int dim[1] = {size}, period[1] = {1}, status;
    MPI_Comm cart, other, dup;
    MPI_Request request;
    MPI_Group group;

    MPI_Topo_test(MPI_COMM_WORLD, &status);
    CHECK_EQ(status, MPI_UNDEFINED);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dim, period, 0, &cart);
    CHECK_EQ(MPI_Comm_dup(cart, &dup), MPI_SUCCESS);
    MPI_Comm_free(&cart);
    check_questions(dup, 1, dim, period);
    CHECK_EQ(MPI_Comm_idup(dup, &cart, &request), MPI_SUCCESS);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_questions(cart, 1, dim, period);
    MPI_Comm_free(&dup);
    MPI_Comm_split(cart, 0, 0, &other);
    MPI_Topo_test(other, &status);
    CHECK_EQ(status, MPI_UNDEFINED);
    MPI_Comm_free(&other);
    MPI_Comm_group(cart, &group);
    MPI_Comm_create(cart, group, &other);
    MPI_Topo_test(other, &status);
    CHECK_EQ(status, MPI_UNDEFINED);
    MPI_Comm_free(&other);
    MPI_Group_free(&group);
    MPI_Comm_free(&cart);
}

static void maps(void)
{
    int dim[2] = {1, size > 1 ? size - 1 : 1}, period[2] = {0, 0}, r = -5;

    CHECK_EQ(MPI_Cart_map(MPI_COMM_WORLD, 2, dim, period, &r), MPI_SUCCESS);
    CHECK(rank < dim[1] ? r >= 0 && r < dim[1] : r == MPI_UNDEFINED);
}

static void errors(void)
{
    int dim[2] = {size, 1}, period[2] = {0, 1}, r, s, big[2] = {65536, 65536}, negative[2] = {-1, 1},
        one_more[2] = {1, size + 1};
    MPI_Comm cart, out = MPI_COMM_SELF;

    CHECK_EQ(MPI_Cart_create(MPI_COMM_WORLD, 2, dim, period, 0, &cart), MPI_SUCCESS);
    MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN);
    CHECK_EQ(class_of(MPI_Cart_create(MPI_COMM_NULL, 2, dim, period, 0, &out)), MPI_ERR_COMM);
    CHECK_EQ(class_of(MPI_Cart_create(cart, -1, dim, period, 0, &out)), MPI_ERR_DIMS);
    CHECK_EQ(class_of(MPI_Cart_create(cart, 2, NULL, period, 0, &out)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Cart_create(cart, 2, dim, NULL, 0, &out)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Cart_create(cart, 2, big, period, 0, &out)), MPI_ERR_DIMS);
    CHECK_EQ(class_of(MPI_Cart_create(cart, 2, negative, period, 0, &out)), MPI_ERR_DIMS);
    CHECK_EQ(class_of(MPI_Cart_create(cart, 2, one_more, period, 0, &out)), MPI_ERR_DIMS);
    CHECK_EQ(class_of(MPI_Cart_map(cart, 2, one_more, period, &r)), MPI_ERR_DIMS);
    CHECK_EQ(class_of(MPI_Cart_create(cart, 2, dim, period, 0, NULL)), MPI_ERR_ARG);
    if (size > 1) { /* one rank differs, or errs */
        CHECK_EQ(class_of(MPI_Cart_create(cart, rank ? 2 : 1, dim, period, 0, &out)), MPI_ERR_NOT_SAME);
        CHECK_EQ(class_of(MPI_Cart_create(cart, 2, dim, period, rank == 0, &out)), MPI_ERR_NOT_SAME);
        CHECK_EQ(class_of(MPI_Cart_create(cart, rank ? 2 : -2, dim, period, 0, &out)),
                 rank ? MPI_ERR_OTHER : MPI_ERR_DIMS);
        CHECK_EQ(class_of(MPI_Cart_sub(cart, rank ? dim : NULL, &out)), rank ? MPI_ERR_OTHER : MPI_ERR_ARG);
        CHECK_EQ(class_of(MPI_Cart_sub(cart, rank ? dim : period, &out)), MPI_ERR_NOT_SAME);
    }
    CHECK_EQ(class_of(MPI_Cart_shift(cart, 2, 1, &r, &s)), MPI_ERR_DIMS);
    CHECK_EQ(class_of(MPI_Cart_shift(cart, -1, 1, &r, &s)), MPI_ERR_DIMS);
    CHECK_EQ(class_of(MPI_Cart_rank(cart, (int[]){size, 0}, &r)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Cart_rank(cart, (int[]){-1, 0}, &r)), MPI_ERR_ARG);
    CHECK_EQ(MPI_Cart_rank(cart, (int[]){0, 2147483647}, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Cart_shift(cart, 1, -2147483647 - 1, &r, &s), MPI_SUCCESS);
    CHECK_EQ(r, rank);
    CHECK_EQ(class_of(MPI_Cart_rank(cart, NULL, &r)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Cart_coords(cart, size, 2, dim)), MPI_ERR_RANK);
    CHECK_EQ(class_of(MPI_Cart_coords(cart, -1, 2, dim)), MPI_ERR_RANK);
    CHECK_EQ(class_of(MPI_Cart_coords(cart, 0, 1, dim)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Cart_get(cart, 2, dim, NULL, dim)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Cart_get(cart, -1, dim, period, dim)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Cartdim_get(MPI_COMM_WORLD, &r)), MPI_ERR_TOPOLOGY);
    CHECK_EQ(class_of(MPI_Cart_sub(MPI_COMM_WORLD, dim, &out)), MPI_ERR_TOPOLOGY);
    CHECK_EQ(class_of(MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, &r, &s)), MPI_ERR_TOPOLOGY);
    CHECK_EQ(class_of(MPI_Graphdims_get(cart, &r, &s)), MPI_ERR_TOPOLOGY);
    CHECK_EQ(class_of(MPI_Dist_graph_neighbors_count(cart, &r, &s, &s)), MPI_ERR_TOPOLOGY);
    CHECK_EQ(class_of(MPI_Dims_create(7, 2, (int[]){3, 0})), MPI_ERR_DIMS);
    CHECK(out == MPI_COMM_SELF);
    MPI_Comm_free(&cart);
    CHECK_EQ(MPI_Cart_create(MPI_COMM_WORLD, 1, dim, period, 0, &cart), MPI_SUCCESS);
    MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN);
    CHECK_EQ(class_of(MPI_Cart_sub(cart, NULL, &out)), MPI_ERR_ARG);
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
    a_point();
    subgrids();
    inheritance();
    maps();
    errors();
    MPI_Finalize();
    return 0;
}
