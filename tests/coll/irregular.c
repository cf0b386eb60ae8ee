/* Gatherv, scatterv, allgatherv and a broadcast between two groups, where some contributions go through
 * mailboxes and others do not, in one call: lengths around every limit, drawn at random, the same on all ranks
 * for this program alone. From every root, several calls in flight at once, dense items and items with gaps;
 * and lengths that do not fit together, which are an error where they are received, and a hang nowhere. */
#include "check.h"

#include <stdbool.h>

enum {
    CALLS = 40,
    IN_FLIGHT = 3,
    MOST = 20000, /* ints of a block */
    UNTOUCHED = -7
};

static const int lengths[] = {0, 1, 2, 100, 1023, 1024, 1025, 2048, 4096, 8192, 8193, 16384, 16385, MOST};
static int rank, size;
static unsigned seed = 5;
static MPI_Datatype gapped; /* every second int */
static MPI_Comm comm, between;

struct call {
    int root, count[32], at[32], total;
    bool has_gaps;
    int *in, *out; /* every block in `total` ints, or twice as many with gaps */
    MPI_Request request;
};

static int draw(int below)
{
    seed = seed * 1103515245 + 12345;
    return (int)(seed >> 16) % below;
}

static int value(const struct call *c, int of, int i)
{
    return of * 100003 + i + c->root;
}

static MPI_Datatype type_of(const struct call *c)
{
    return c->has_gaps ? gapped : MPI_INT;
}

static void prepare(struct call *c)
{
    bool is_short = draw(3) == 0;

    c->root = draw(size);
    c->has_gaps = draw(3) == 0;
    c->total = 0;
    for (int r = 0; r < size; r++) {
        c->count[r] = is_short ? draw(20) : lengths[draw(sizeof lengths / sizeof *lengths)];
        c->at[r] = c->total + draw(3);
        c->total = c->at[r] + c->count[r];
    }
    c->in = malloc(((size_t)c->total + 1) * 2 * sizeof(int));
    c->out = malloc(((size_t)c->total + 1) * 2 * sizeof(int));
    CHECK(c->in && c->out);
    for (int i = 0; i < 2 * c->total + 2; i++)
        c->in[i] = c->out[i] = UNTOUCHED;
}

static int *item(const struct call *c, int *buffer, int i)
{
    return buffer + (size_t)i * (c->has_gaps ? 2 : 1);
}

static void fill(const struct call *c, int of, int at)
{
    for (int i = 0; i < c->count[of]; i++)
        *item(c, c->in, at + i) = value(c, of, i);
}

static void look(const struct call *c, int of, int at)
{
    for (int i = 0; i < c->count[of]; i++) {
        if (*item(c, c->out, at + i) != value(c, of, i))
            CHECK_EQ(*item(c, c->out, at + i), value(c, of, i));
        if (c->has_gaps && item(c, c->out, at + i)[1] != UNTOUCHED)
            CHECK_EQ(item(c, c->out, at + i)[1], UNTOUCHED);
    }
}

static void start_gatherv(struct call *c)
{
    fill(c, rank, 0);
    MPI_Igatherv(c->in, c->count[rank], type_of(c), c->out, c->count, c->at, type_of(c), c->root, comm,
                 &c->request);
}

static void check_gatherv(struct call *c)
{
    for (int r = 0; rank == c->root && r < size; r++)
        look(c, r, c->at[r]);
}

static void start_scatterv(struct call *c)
{
    for (int r = 0; r < size; r++)
        fill(c, r, c->at[r]);
    MPI_Iscatterv(c->in, c->count, c->at, type_of(c), c->out, c->count[rank], type_of(c), c->root, comm,
                  &c->request);
}

static void check_scatterv(struct call *c)
{
    look(c, rank, 0);
}

static void start_allgatherv(struct call *c)
{
    fill(c, rank, 0);
    MPI_Iallgatherv(c->in, c->count[rank], type_of(c), c->out, c->count, c->at, type_of(c), comm,
                    &c->request);
}

static void check_allgatherv(struct call *c)
{
    for (int r = 0; r < size; r++)
        look(c, r, c->at[r]);
}

/* The root's block goes to the other half; the rest of its own half gives nothing that means anything. */
static bool is_upper(int r)
{
    return r >= (size + 1) / 2;
}

static void start_bcast(struct call *c)
{
    int first = is_upper(c->root) ? (size + 1) / 2 : 0;
    bool is_across = is_upper(rank) != is_upper(c->root);
    int root = is_across ? c->root - first : rank == c->root ? MPI_ROOT : MPI_PROC_NULL;

    fill(c, c->root, 0);
    MPI_Ibcast(is_across ? c->out : c->in, root == MPI_PROC_NULL ? 3 : c->count[c->root], type_of(c), root,
               between, &c->request);
}

static void check_bcast(struct call *c)
{
    if (is_upper(rank) != is_upper(c->root))
        look(c, c->root, 0);
}

/* is_blocking: one after the other is complete before the next is started. */
static void run(void (*start)(struct call *c), void (*check)(struct call *c), bool is_blocking)
{
    for (int i = 0; i < CALLS; i++) {
        struct call c[IN_FLIGHT];

        for (int k = 0; k < IN_FLIGHT; k++) {
            prepare(&c[k]);
            start(&c[k]);
            if (is_blocking)
                MPI_Wait(&c[k].request, MPI_STATUS_IGNORE);
        }
        for (int k = IN_FLIGHT - 1; k >= 0; k--) {
            if (!is_blocking)
                MPI_Wait(&c[k].request, MPI_STATUS_IGNORE);
            check(&c[k]);
            free(c[k].in);
            free(c[k].out);
        }
    }
}

static void run_blocking(void)
{
    for (int i = 0; i < CALLS; i++) {
        struct call c;

        prepare(&c);
        fill(&c, rank, 0);
        MPI_Gatherv(c.in, c.count[rank], type_of(&c), c.out, c.count, c.at, type_of(&c), c.root, comm);
        check_gatherv(&c);
        for (int r = 0; r < size; r++)
            fill(&c, r, c.at[r]);
        MPI_Scatterv(c.in, c.count, c.at, type_of(&c), rank == c.root && c.has_gaps ? MPI_IN_PLACE : c.out,
                     c.count[rank], type_of(&c), c.root, comm);
        if (rank != c.root || !c.has_gaps)
            check_scatterv(&c);
        free(c.in);
        free(c.out);
    }
}

/* Rank 1 gives an int more, or less, than the root takes. The root alone has an error, whichever way the
 * bytes come, and takes what the others give. */
static void lengths_that_do_not_fit(int given, int taken)
{
    int *in = calloc(MOST + 1, sizeof *in), *out = calloc((size_t)(MOST + 1) * (size_t)size, sizeof *out);
    int count[32], at[32], code;

    for (int r = 0; r < size; r++) {
        count[r] = r == 1 ? taken : 1;
        at[r] = r * (MOST + 1);
    }
    in[0] = rank + 1;
    code = MPI_Gatherv(in, rank == 1 ? given : 1, MPI_INT, out, count, at, MPI_INT, 0, comm);
    CHECK_EQ(class_of(code), rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    for (int r = 2; rank == 0 && r < size; r++)
        CHECK_EQ(out[at[r]], r + 1);
    count[1] = given;
    code = MPI_Scatterv(out, count, at, MPI_INT, in, rank == 1 ? taken : 1, MPI_INT, 0, comm);
    CHECK_EQ(class_of(code), rank == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    MPI_Barrier(comm);
    free(in);
    free(out);
}

/* Ranks without a part in a broadcast between groups, and those that only give, wait for nobody. */
static void givers_do_not_wait(void)
{
    int in = rank, count[32], at[32], *out = malloc((size_t)size * sizeof *out);

    for (int r = 0; r < size; r++) {
        count[r] = 1;
        at[r] = r;
    }
    if (rank)
        MPI_Gatherv(&in, 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 0, comm);
    for (int r = 1; r < size; r++) { /* they tell that they have left it */
        if (rank == r)
            MPI_Send(NULL, 0, MPI_INT, 0, 1, comm);
        if (!rank)
            MPI_Recv(NULL, 0, MPI_INT, r, 1, comm, MPI_STATUS_IGNORE);
    }
    if (!rank)
        MPI_Gatherv(&in, 1, MPI_INT, out, count, at, MPI_INT, 0, comm);
    for (int r = 0; !rank && r < size; r++)
        CHECK_EQ(out[r], r);
    free(out);
}

int main(int argc, char **argv)
{
    MPI_Comm half;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_create_resized(MPI_INT, 0, 2 * (MPI_Aint)sizeof(int), &gapped);
    MPI_Type_commit(&gapped);
    MPI_Comm_split(comm, is_upper(rank), rank, &half);
    MPI_Intercomm_create(half, 0, comm, is_upper(rank) ? 0 : (size + 1) / 2, 1, &between);
    run_blocking();
    for (int is_blocking = 0; is_blocking < 2; is_blocking++) {
        run(start_gatherv, check_gatherv, is_blocking);
        run(start_scatterv, check_scatterv, is_blocking);
        run(start_allgatherv, check_allgatherv, is_blocking);
        run(start_bcast, check_bcast, is_blocking);
    }
    givers_do_not_wait();
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    lengths_that_do_not_fit(2, 1);
    lengths_that_do_not_fit(1, 2);
    lengths_that_do_not_fit(MOST, MOST - 1);
    lengths_that_do_not_fit(MOST - 1, MOST);
    lengths_that_do_not_fit(2, MOST);
    MPI_Type_free(&gapped);
    MPI_Comm_free(&half);
    MPI_Comm_free(&between);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
