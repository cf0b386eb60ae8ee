/* ranks: 2 3 4 5 8  timeout: 60 */
/* Collectives on intercommunicators in all forms: every cut of the world into two groups, in this order or the other, every root, several
 * sizes; checked against what each rank is known to have given. */
#include "forms.h"
#include "inter.h"

enum {
    MANY = 12000 /* items: more than goes at once */
};

static const int sizes[] = {0, 1, 5, MANY};

/* What the rank of a side gives at this place. */
static int value(int side, int rank, int i)
{
    return side * 100000 + rank * 1000 + i % 997;
}

static void fill(int *v, int side, int rank, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = value(side, rank, i);
}

static void check_values(const int *v, int side, int rank, int n)
{
    for (int i = 0; i < n; i++)
        CHECK_EQ(v[i], value(side, rank, i));
}

static void check_untouched(const int *v, int n)
{
    for (int i = 0; i < n; i++)
        CHECK_EQ(v[i], -1);
}

static int *room(int n)
{
    int *v = malloc(((size_t)n + 1) * sizeof *v);

    memset(v, 0xff, ((size_t)n + 1) * sizeof *v);
    return v;
}

/* The root argument of this rank when the root is `root` of `side`. */
static int root_for(const struct sides *s, int side, int root)
{
    if (s->side != side)
        return root;
    return s->rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

static int size_of_side(const struct sides *s, int side)
{
    return s->side == side ? s->size : s->remote;
}

static void bcast(const struct sides *s, enum form form, int side, int root, int n)
{
    int *v = room(n), as = root_for(s, side, root);

    if (as == MPI_ROOT)
        fill(v, side, root, n);
    forms_result(v, (size_t)n * sizeof *v);
    CHECK_EQ(RUN(Bcast, Ibcast, v, n, MPI_INT, as, s->inter), MPI_SUCCESS);
    if (as == MPI_PROC_NULL)
        check_untouched(v, n);
    else
        check_values(v, side, root, n);
    free(v);
}

static void gather(const struct sides *s, enum form form, int side, int root, int n)
{
    int as = root_for(s, side, root), givers = size_of_side(s, !side);
    int *mine = room(n), *all = room(givers * n);

    fill(mine, s->side, s->rank, n);
    forms_result(all, (size_t)(givers * n) * sizeof *all);
    CHECK_EQ(RUN(Gather, Igather, mine, n, MPI_INT, all, n, MPI_INT, as, s->inter), MPI_SUCCESS);
    for (int r = 0; r < givers && as == MPI_ROOT; r++)
        check_values(all + r * n, !side, r, n);
    if (as != MPI_ROOT)
        check_untouched(all, givers * n);
    free(mine);
    free(all);
}

/* Rank r has r + n items, with a hole behind each. */
static void gatherv(const struct sides *s, enum form form, int side, int root, int n)
{
    int as = root_for(s, side, root), givers = size_of_side(s, !side), counts[16], displs[16];
    int *mine = room(n + s->rank), *all = room(givers * (n + givers + 1));

    fill(mine, s->side, s->rank, n + s->rank);
    for (int r = 0; r < givers; r++) {
        counts[r] = n + r;
        displs[r] = (givers - 1 - r) * (n + givers + 1);
    }
    forms_result(all, (size_t)(givers * (n + givers + 1)) * sizeof *all);
    CHECK_EQ(RUN(Gatherv, Igatherv, mine, n + s->rank, MPI_INT, all, counts, displs, MPI_INT, as, s->inter),
             MPI_SUCCESS);
    for (int r = 0; r < givers && as == MPI_ROOT; r++) {
        check_values(all + displs[r], !side, r, counts[r]);
        CHECK_EQ(all[displs[r] + counts[r]], -1);
    }
    free(mine);
    free(all);
}

static void scatter(const struct sides *s, enum form form, int side, int root, int n)
{
    int as = root_for(s, side, root), takers = size_of_side(s, !side);
    int *mine = room(n), *all = room(takers * n);

    for (int r = 0; r < takers; r++)
        fill(all + r * n, side, r, n);
    forms_result(mine, (size_t)n * sizeof *mine);
    CHECK_EQ(RUN(Scatter, Iscatter, all, n, MPI_INT, mine, n, MPI_INT, as, s->inter), MPI_SUCCESS);
    if (as >= 0)
        check_values(mine, side, s->rank, n);
    else
        check_untouched(mine, n);
    free(mine);
    free(all);
}

static void scatterv(const struct sides *s, enum form form, int side, int root, int n)
{
    int as = root_for(s, side, root), takers = size_of_side(s, !side), counts[16], displs[16];
    int *mine = room(n + s->rank), *all = room(takers * (n + takers));

    for (int r = 0; r < takers; r++) {
        counts[r] = n + r;
        displs[r] = (takers - 1 - r) * (n + takers);
        fill(all + displs[r], side, r, counts[r]);
    }
    forms_result(mine, (size_t)(n + s->rank) * sizeof *mine);
    CHECK_EQ(RUN(Scatterv, Iscatterv, all, counts, displs, MPI_INT, mine, n + s->rank, MPI_INT, as, s->inter),
             MPI_SUCCESS);
    if (as >= 0)
        check_values(mine, side, s->rank, n + s->rank);
    free(mine);
    free(all);
}

/* a op b = a * (product of b's factors) ...: 2 x 2 matrices modulo a prime do not commute. */
static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int *a = in;
    int *b = inout;

    (void)type;
    for (int i = 0; i < *count; i++, a += 4, b += 4) {
        int c[4];

        for (int k = 0; k < 4; k++)
            c[k] = (a[k / 2 * 2] * b[k % 2] + a[k / 2 * 2 + 1] * b[2 + k % 2]) % 97;
        memcpy(b, c, sizeof c);
    }
}

static MPI_Op matrix_op;
static MPI_Datatype matrix;

static void fill_matrices(int *m, int side, int rank, int n)
{
    for (int i = 0; i < 4 * n; i++)
        m[i] = (side * 31 + rank * 17 + i * 7 + i / 4 + 1) % 97;
}

/* The product of what the ranks of a side have, from the left to the right. */
static void check_product(const int *m, int side, int ranks, int n)
{
    int *product = room(4 * n), *next = room(4 * n);

    fill_matrices(product, side, ranks - 1, n);
    for (int r = ranks - 2; r >= 0; r--) {
        fill_matrices(next, side, r, n);
        multiply(next, product, &n, &matrix);
    }
    CHECK_EQ(memcmp(m, product, 4 * (size_t)n * sizeof *m), 0);
    free(product);
    free(next);
}

static void reduce(const struct sides *s, enum form form, int side, int root, int n)
{
    int as = root_for(s, side, root), *mine = room(4 * n), *result = room(4 * n);

    fill_matrices(mine, s->side, s->rank, n);
    forms_result(result, 4 * (size_t)n * sizeof *result);
    CHECK_EQ(RUN(Reduce, Ireduce, mine, result, n, matrix, matrix_op, as, s->inter), MPI_SUCCESS);
    if (as == MPI_ROOT)
        check_product(result, !side, size_of_side(s, !side), n);
    else
        check_untouched(result, 4 * n);
    free(mine);
    free(result);
}

static void rooted(const struct sides *s, enum form form, int n)
{
    for (int side = 0; side < 2; side++)
        for (int root = 0; root < size_of_side(s, side); root++) {
            bcast(s, form, side, root, n);
            gather(s, form, side, root, n);
            gatherv(s, form, side, root, n);
            scatter(s, form, side, root, n);
            scatterv(s, form, side, root, n);
            reduce(s, form, side, root, n / 4);
        }
}

/* The two sides give blocks of different lengths. */
static void allgather(const struct sides *s, enum form form, int n)
{
    int give = n + s->side * 3, take = n + !s->side * 3, counts[16], displs[16];
    int *mine = room(give), *all = room(s->remote * (take + 20));

    fill(mine, s->side, s->rank, give);
    forms_result(all, (size_t)(s->remote * take) * sizeof *all);
    CHECK_EQ(RUN(Allgather, Iallgather, mine, give, MPI_INT, all, take, MPI_INT, s->inter), MPI_SUCCESS);
    for (int r = 0; r < s->remote; r++)
        check_values(all + r * take, !s->side, r, take);
    for (int r = 0; r < s->remote; r++) {
        counts[r] = r < take ? r : take;
        displs[r] = (s->remote - 1 - r) * 16;
    }
    memset(all, 0xff, (size_t)(s->remote * (take + 20)) * sizeof *all);
    forms_result(all, (size_t)(s->remote * (take + 20)) * sizeof *all);
    CHECK_EQ(RUN(Allgatherv, Iallgatherv, mine, s->rank < give ? s->rank : give, MPI_INT, all, counts, displs,
                 MPI_INT, s->inter),
             MPI_SUCCESS);
    for (int r = 0; r < s->remote; r++)
        check_values(all + displs[r], !s->side, r, counts[r]);
    free(mine);
    free(all);
}

static void alltoall(const struct sides *s, enum form form, int n)
{
    int *out = room(s->remote * n), *in = room(s->remote * n), counts[16], displs[16], bytes[16];
    MPI_Datatype types[16];

    for (int r = 0; r < s->remote; r++) {
        fill(out + r * n, s->side, s->rank * 10 + r, n);
        counts[r] = n;
        displs[r] = r * n;
        bytes[r] = r * n * (int)sizeof(int);
        types[r] = MPI_INT;
    }
    for (int which = 0; which < 3; which++) {
        memset(in, 0xff, (size_t)s->remote * (size_t)n * sizeof *in);
        forms_result(in, (size_t)s->remote * (size_t)n * sizeof *in);
        if (which == 0)
            CHECK_EQ(RUN(Alltoall, Ialltoall, out, n, MPI_INT, in, n, MPI_INT, s->inter), MPI_SUCCESS);
        else if (which == 1)
            CHECK_EQ(RUN(Alltoallv, Ialltoallv, out, counts, displs, MPI_INT, in, counts, displs, MPI_INT,
                         s->inter),
                     MPI_SUCCESS);
        else
            CHECK_EQ(
                RUN(Alltoallw, Ialltoallw, out, counts, bytes, types, in, counts, bytes, types, s->inter),
                MPI_SUCCESS);
        for (int r = 0; r < s->remote; r++)
            check_values(in + r * n, !s->side, r * 10 + s->rank, n);
    }
    free(out);
    free(in);
}

static void allreduce(const struct sides *s, enum form form, int n)
{
    int *mine = room(4 * n), *result = room(4 * n);
    double x = s->world + 1, sum = 0, expected = 0;

    fill_matrices(mine, s->side, s->rank, n);
    forms_result(result, 4 * (size_t)n * sizeof *result);
    CHECK_EQ(RUN(Allreduce, Iallreduce, mine, result, n, matrix, matrix_op, s->inter), MPI_SUCCESS);
    check_product(result, !s->side, s->remote, n);
    forms_result(&sum, sizeof sum);
    CHECK_EQ(RUN(Allreduce, Iallreduce, &x, &sum, 1, MPI_DOUBLE, MPI_SUM, s->inter), MPI_SUCCESS);
    for (int r = 0; r < s->remote; r++)
        expected += sides_world_of_remote(s, r) + 1;
    CHECK(sum > expected - 0.5 && sum < expected + 0.5);
    free(mine);
    free(result);
}

/* Both sides have n * size * remote items; each rank gets its part of what the other side has together. */
static void reduce_scatter(const struct sides *s, enum form form, int n)
{
    int total = n * s->size * s->remote, each = n * s->remote, counts[16], begin = 0;
    int *mine = room(total), *result = room(total);

    for (int i = 0; i < total; i++)
        mine[i] = value(s->side, s->rank, i);
    for (int which = 0; which < 2; which++) {
        int got = each, at = s->rank * each;

        if (which == 1) { /* rank 0 gets all but one item for each of the others */
            for (int r = 0; r < s->size; r++)
                counts[r] = r ? total > s->size : total - (s->size - 1) * (total > s->size);
            for (int r = 0; r < s->rank; r++)
                begin += counts[r];
            got = counts[s->rank];
            at = begin;
        }
        memset(result, 0xff, (size_t)total * sizeof *result);
        forms_result(result, (size_t)total * sizeof *result);
        if (which == 0)
            CHECK_EQ(RUN(Reduce_scatter_block, Ireduce_scatter_block, mine, result, each, MPI_INT, MPI_SUM,
                         s->inter),
                     MPI_SUCCESS);
        else
            CHECK_EQ(RUN(Reduce_scatter, Ireduce_scatter, mine, result, counts, MPI_INT, MPI_SUM, s->inter),
                     MPI_SUCCESS);
        for (int i = 0; i < got; i++) {
            int sum = 0;

            for (int r = 0; r < s->remote; r++)
                sum += value(!s->side, r, at + i);
            CHECK_EQ(result[i], sum);
        }
    }
    free(mine);
    free(result);
}

/* Nobody leaves before the last one of the other side has come. */
static void barrier(const struct sides *s)
{
    int flag = -1;
    MPI_Request token;

    if (s->side == 1 && s->rank == 0) /* the last one comes when the other side has seen that it waits */
        CHECK_EQ(MPI_Recv(NULL, 0, MPI_INT, 0, 9, s->inter, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Ibarrier(s->inter, &token), MPI_SUCCESS);
    if (s->side == 0 && s->rank == 0) {
        for (int i = 0; i < 20; i++) {
            CHECK_EQ(MPI_Test(&token, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
            CHECK_EQ(flag, 0);
        }
        CHECK_EQ(MPI_Send(NULL, 0, MPI_INT, 0, 9, s->inter), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Wait(&token, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(s->inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier_init(s->inter, MPI_INFO_NULL, &token), MPI_SUCCESS);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&token);
        MPI_Wait(&token, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&token);
}

/* Several under way at once, started in one order and finished in another. */
static void several(const struct sides *s)
{
    int a = s->world, b = -1, c[16], d = -1;
    MPI_Request r[3];

    MPI_Iallreduce(&a, &b, 1, MPI_INT, MPI_MAX, s->inter, &r[0]);
    MPI_Iallgather(&a, 1, MPI_INT, c, 1, MPI_INT, s->inter, &r[1]);
    MPI_Ibcast(s->side ? &d : &a, 1, MPI_INT, root_for(s, 0, 0), s->inter, &r[2]);
    MPI_Wait(&r[2], MPI_STATUS_IGNORE);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK_EQ(b, sides_world_of_remote(s, s->step > 0 ? s->remote - 1 : 0));
    for (int i = 0; i < s->remote; i++)
        CHECK_EQ(c[i], sides_world_of_remote(s, i));
    CHECK_EQ(d, s->side ? sides_world_of_remote(s, 0) : -1);
}

static void errors(struct sides *s)
{
    int v = 1, w[32];

    MPI_Comm_set_errhandler(s->inter, MPI_ERRORS_RETURN);
    CHECK_EQ(class_of(MPI_Scan(&v, w, 1, MPI_INT, MPI_SUM, s->inter)), MPI_ERR_COMM);
    CHECK_EQ(class_of(MPI_Exscan(&v, w, 1, MPI_INT, MPI_SUM, s->inter)), MPI_ERR_COMM);
    CHECK_EQ(class_of(MPI_Iscan(&v, w, 1, MPI_INT, MPI_SUM, s->inter, &forms_request)), MPI_ERR_COMM);
    CHECK_EQ(class_of(MPI_Allreduce(MPI_IN_PLACE, w, 1, MPI_INT, MPI_SUM, s->inter)), MPI_ERR_BUFFER);
    CHECK_EQ(class_of(MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, w, 1, MPI_INT, s->inter)), MPI_ERR_BUFFER);
    CHECK_EQ(class_of(MPI_Bcast(&v, 1, MPI_INT, s->remote, s->inter)), MPI_ERR_ROOT);
    CHECK_EQ(class_of(MPI_Bcast(&v, 1, MPI_INT, -77, s->inter)), MPI_ERR_ROOT);
    CHECK_EQ(class_of(MPI_Allreduce(&v, w, 1, MPI_INT, MPI_OP_NULL, s->inter)), MPI_ERR_OP);
    CHECK_EQ(class_of(MPI_Neighbor_allgather(&v, 1, MPI_INT, w, 1, MPI_INT, s->inter)), MPI_ERR_TOPOLOGY);
    /* ranks that only watch may pass anything */
    if (s->side == 0 && s->rank != 0) {
        CHECK_EQ(MPI_Bcast(NULL, -5, MPI_DATATYPE_NULL, MPI_PROC_NULL, s->inter), MPI_SUCCESS);
        CHECK_EQ(
            MPI_Gather(NULL, -1, MPI_DATATYPE_NULL, NULL, -1, MPI_DATATYPE_NULL, MPI_PROC_NULL, s->inter),
            MPI_SUCCESS);
        CHECK_EQ(MPI_Reduce(NULL, NULL, -7, MPI_DATATYPE_NULL, MPI_OP_NULL, MPI_PROC_NULL, s->inter),
                 MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Bcast(&v, 1, MPI_INT, root_for(s, 0, 0), s->inter), MPI_SUCCESS);
        CHECK_EQ(MPI_Gather(&v, 1, MPI_INT, s->side ? NULL : w, 1, s->side ? MPI_DATATYPE_NULL : MPI_INT,
                            root_for(s, 0, 0), s->inter),
                 MPI_SUCCESS);
        CHECK_EQ(MPI_Reduce(s->side ? &v : NULL, s->side ? NULL : w, 1, MPI_INT, MPI_SUM, root_for(s, 0, 0),
                            s->inter),
                 MPI_SUCCESS);
    }
    /* a message that is too long for one side */
    v = class_of(MPI_Allgather(w, 2, MPI_INT, w + 4, s->side ? 2 : 1, MPI_INT, s->inter));
    CHECK_EQ(v, s->side ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
}

/* A duplicate and a part of an intercommunicator collect as well as the first one. */
static void relatives(struct sides *s)
{
    struct sides t = *s;

    MPI_Comm_dup(s->inter, &t.inter);
    allreduce(&t, BLOCKING, 2);
    MPI_Comm_free(&t.inter);
    MPI_Comm_split(s->inter, 0, -s->rank, &t.inter);
    t.rank = s->size - 1 - s->rank;
    rooted(&t, NONBLOCKING, 4);
    MPI_Comm_free(&t.inter);
}

int main(int argc, char **argv)
{
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Type_contiguous(4, MPI_INT, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op_create(multiply, 0, &matrix_op);
    for (int cut = 1; cut < all; cut++) {
        struct sides s = sides_make_ordered(cut, cut % 2 ? -1 : 1);

        for (enum form form = BLOCKING; form < FORMS; form++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                if (sizes[i] == MANY && all > 4 && cut != all / 2)
                    continue;
                rooted(&s, form, sizes[i]);
                allgather(&s, form, sizes[i]);
                alltoall(&s, form, sizes[i]);
                allreduce(&s, form, sizes[i] / 4);
                reduce_scatter(&s, form, sizes[i] == MANY ? 300 : sizes[i]);
                barrier(&s);
            }
        several(&s);
        relatives(&s);
        errors(&s);
        sides_free(&s);
    }
    MPI_Op_free(&matrix_op);
    MPI_Type_free(&matrix);
    MPI_Finalize();
    return 0;
}
