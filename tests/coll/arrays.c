/* Each nonblocking and persistent collective that takes arrays (counts, displacements, datatypes), in both forms of the
 * counts. The arrays are overwritten and freed as soon as the call has returned, and the datatypes and operations freed:
 * programs in languages that make temporary arrays for a call do so. One rank calls before the others do, so that it
 * reads later whatever it reads later; in some rounds so often that its mailboxes are full. arrays.py compares the
 * table with the procedures of the standard. */
#include "check.h"

#include <stdbool.h>

enum {
    PEERS = 8,
    MANY = 70, /* calls in flight: more than mailboxes have lines */
    FEW = 3,
    STARTS = 2,
    PIECES = 12,
    UNTOUCHED = -7
};

/* Who exchanges with whom, as ranks of MPI_COMM_WORLD. The members share the pieces of a reduction. */
struct circle {
    MPI_Comm comm;
    bool is_inter, is_neighbors;
    int members, member[PEERS], peers, peer[PEERS];
};

enum shape {
    ONE, /* one block, for or from all */
    EACH /* one for each rank */
};

struct call;
struct row {
    const char *name;
    int (*call)(struct call *c, bool is_persistent, bool is_large);
    enum shape in, out;
    bool is_rooted, is_reduction, has_types, is_of_neighbors;
};

struct block {
    int from, to; /* ranks; `to`: of a reduction a position among the members */
    int length, place;
    int first; /* of the piece that a reduction gives; else 0 */
};

struct side {
    int blocks; /* 0: the side is not significant on this rank */
    struct block block[PEERS];
    int *data, total; /* ints, with those between blocks */
    MPI_Datatype type;
    int *count_narrow, *at_narrow; /* these and the rest: owned by the call that is being made */
    MPI_Count *count_large;
    MPI_Aint *at_large;
    MPI_Datatype *types;
};

struct call {
    const struct row *row;
    const struct circle *circle;
    int number, unit, start;
    int root, root_argument; /* a rank of MPI_COMM_WORLD, and what MPI is given */
    struct side in, out;
    MPI_Op op;
    MPI_Request request;
};

static int rank, size;

static int length(const struct call *c, int from, int to)
{
    int which = c->row->in == ONE ? from : c->row->out == ONE ? to : 2 * from + to;

    if (c->row->is_reduction)
        return c->unit * (to == 0 ? PIECES - (c->circle->members - 1) : 1);
    return c->unit * ((3 * which + c->number) % 4);
}

/* The pieces of the two groups of a reduction begin at different items. */
static int value(const struct call *c, int from, const struct block *b, int i)
{
    int target = c->row->in == ONE || c->row->is_reduction ? 0 : b->to;

    return (from + 1) * 100003 + target * 1009 + (b->first + i) * 7 + c->number + c->start * 31;
}

static int wanted(const struct call *c, const struct block *b, int i)
{
    int sum = 0;

    if (!c->row->is_reduction)
        return value(c, b->from, b, i);
    for (int p = 0; p < c->circle->peers; p++)
        sum += value(c, c->circle->peer[p], b, i);
    return sum;
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* In w-forms some blocks are one item of their own type, and displacements are in bytes. */
static void give_arrays(const struct call *c, struct side *s)
{
    size_t n = (size_t)s->blocks;

    s->count_narrow = malloc(n * sizeof *s->count_narrow);
    s->at_narrow = malloc(n * sizeof *s->at_narrow);
    s->count_large = malloc(n * sizeof *s->count_large);
    s->at_large = malloc(n * sizeof *s->at_large);
    s->types = malloc(n * sizeof *s->types);
    for (int b = 0; b < s->blocks; b++) {
        bool is_item = c->row->has_types && b % 2;

        s->count_large[b] = s->count_narrow[b] = is_item ? 1 : s->block[b].length;
        s->at_large[b] = s->at_narrow[b] = s->block[b].place * (c->row->has_types ? (int)sizeof(int) : 1);
        s->types[b] = MPI_INT;
        if (is_item) {
            MPI_Type_contiguous(s->block[b].length, MPI_INT, &s->types[b]);
            MPI_Type_commit(&s->types[b]);
        }
    }
}

static void free_type(MPI_Datatype *type)
{
    if (*type != MPI_INT)
        MPI_Type_free(type);
}

static void overwrite(void *array, size_t bytes)
{
    memset(array, 0x55, bytes);
    free(array);
}

static void take_arrays(struct side *s)
{
    size_t n = (size_t)s->blocks;

    if (n == 0)
        return;
    free_type(&s->type);
    for (size_t b = 0; b < n; b++)
        free_type(&s->types[b]);
    overwrite(s->count_narrow, n * sizeof *s->count_narrow);
    overwrite(s->at_narrow, n * sizeof *s->at_narrow);
    overwrite(s->count_large, n * sizeof *s->count_large);
    overwrite(s->at_large, n * sizeof *s->at_large);
    overwrite(s->types, n * sizeof *s->types);
}

/* From the last to the first, an int between two; those of a reduction in order, without gaps. */
static void place_blocks(const struct call *c, struct side *s)
{
    for (int i = 0; i < s->blocks; i++) {
        struct block *b = &s->block[c->row->is_reduction ? i : s->blocks - 1 - i];

        b->length = length(c, b->from, b->to);
        b->place = s->total;
        s->total += b->length + !c->row->is_reduction;
    }
    s->data = malloc(((size_t)s->total + 1) * sizeof(int));
    CHECK(s->data != NULL);
}

/* Of this rank among the members. */
static int position(const struct circle *o)
{
    int i = 0;

    while (o->member[i] != rank)
        i++;
    return i;
}

static void open_side(const struct call *c, struct side *s, bool is_in)
{
    const struct circle *o = c->circle;
    bool is_one = (is_in ? c->row->in : c->row->out) == ONE;

    s->blocks = is_one ? 1 : c->row->is_reduction ? o->members : o->peers;
    for (int b = 0; b < s->blocks; b++) {
        int other = is_one ? c->root : o->peer[b];

        s->block[b] = (struct block){.from = is_in ? rank : other, .to = is_in ? other : rank};
        if (c->row->is_reduction)
            s->block[b].to = is_in ? b : position(o);
        for (int r = 0; c->row->is_reduction && r < s->block[b].to; r++)
            s->block[b].first += length(c, rank, r);
    }
    place_blocks(c, s);
    s->type = MPI_INT;
    if (c->number % 2) {
        MPI_Type_contiguous(1, MPI_INT, &s->type);
        MPI_Type_commit(&s->type);
    }
    give_arrays(c, s);
}

/* Rooted: whether this rank has the side with a block for each rank. */
static bool is_root(const struct call *c)
{
    return rank == c->root;
}

static bool is_leaf(const struct call *c)
{
    bool is_near = false;

    for (int i = 0; i < c->circle->members; i++)
        is_near = is_near || c->circle->member[i] == c->root;
    return !c->circle->is_inter || !is_near;
}

static bool has_side(const struct call *c, enum shape shape)
{
    return !c->row->is_rooted || (shape == EACH ? is_root(c) : is_leaf(c));
}

static void prepare(struct call *c)
{
    static int *const nowhere = (int *)8; /* what is not significant is not looked at */
    static const struct side none = {
        .type = MPI_DATATYPE_NULL, .count_narrow = nowhere, .at_narrow = nowhere};

    c->in = c->out = none;
    if (has_side(c, c->row->in))
        open_side(c, &c->in, true);
    if (has_side(c, c->row->out))
        open_side(c, &c->out, false);
    c->root_argument = is_root(c) ? MPI_ROOT : MPI_PROC_NULL;
    for (int i = 0; is_leaf(c) && i < c->circle->peers; i++)
        if (c->circle->peer[i] == c->root)
            c->root_argument = i;
    c->op = MPI_SUM;
    if (c->row->is_reduction && c->number % 2)
        MPI_Op_create(add, 1, &c->op);
}

static void make_call(struct call *c, bool is_persistent, bool is_large)
{
    CHECK_EQ(c->row->call(c, is_persistent, is_large), MPI_SUCCESS);
    take_arrays(&c->in);
    take_arrays(&c->out);
    if (c->op != MPI_SUM)
        MPI_Op_free(&c->op);
}

static void fill(struct call *c)
{
    for (int i = 0; i < c->in.total; i++)
        c->in.data[i] = UNTOUCHED;
    for (int i = 0; i < c->out.total; i++)
        c->out.data[i] = UNTOUCHED;
    for (const struct block *b = c->in.block; b < c->in.block + c->in.blocks; b++)
        for (int i = 0; i < b->length; i++)
            c->in.data[b->place + i] = value(c, b->from, b, i);
}

static void look(const struct call *c)
{
    for (const struct block *b = c->out.block; b < c->out.block + c->out.blocks; b++) {
        for (int i = 0; i < b->length; i++)
            if (c->out.data[b->place + i] != wanted(c, b, i)) {
                fprintf(stderr, "%s: from %d, int %d of %d:\n", c->row->name, b->from, i, b->length);
                CHECK_EQ(c->out.data[b->place + i], wanted(c, b, i));
            }
        if (!c->row->is_reduction)
            CHECK_EQ(c->out.data[b->place + b->length], UNTOUCHED);
    }
}

static void close_call(struct call *c)
{
    free(c->in.data);
    free(c->out.data);
}

/* Rank `early` has made its calls. */
static void pass_turn(int early)
{
    for (int r = 0; rank == early && r < size; r++)
        if (r != early)
            MPI_Send(NULL, 0, MPI_INT, r, 1, MPI_COMM_WORLD);
    if (rank != early)
        MPI_Recv(NULL, 0, MPI_INT, early, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void run_nonblocking(struct call *c, int calls, int early, bool is_large)
{
    if (rank != early)
        pass_turn(early);
    for (int i = 0; i < calls; i++) {
        fill(&c[i]);
        make_call(&c[i], false, is_large);
    }
    if (rank == early)
        pass_turn(early);
    for (int i = calls - 1; i >= 0; i--) {
        CHECK_EQ(MPI_Wait(&c[i].request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        look(&c[i]);
    }
}

/* So is the array of requests that are started. */
static void start_all(struct call *c, int calls)
{
    MPI_Request *requests = malloc((size_t)calls * sizeof *requests);

    for (int i = 0; i < calls; i++)
        requests[i] = c[i].request;
    CHECK_EQ(MPI_Startall(calls, requests), MPI_SUCCESS);
    overwrite(requests, (size_t)calls * sizeof *requests);
}

static void run_persistent(struct call *c, int calls, int early, bool is_large)
{
    for (int i = 0; i < calls; i++)
        make_call(&c[i], true, is_large);
    for (int start = 0; start < STARTS; start++) {
        for (int i = 0; i < calls; i++) {
            c[i].start = start;
            fill(&c[i]);
        }
        if (rank != early)
            pass_turn(early);
        start_all(c, calls);
        if (rank == early)
            pass_turn(early);
        for (int i = 0; i < calls; i++) {
            CHECK_EQ(MPI_Wait(&c[i].request, MPI_STATUS_IGNORE), MPI_SUCCESS);
            look(&c[i]);
        }
    }
    for (int i = 0; i < calls; i++)
        MPI_Request_free(&c[i].request);
}

#define ONE_BLOCK(s)       c->s.data, c->s.block->length, c->s.type
#define BLOCKS(s, width)   c->s.data, c->s.count_##width, c->s.at_##width, c->s.type
#define BLOCKS_W(s, width) c->s.data, c->s.count_##width, c->s.at_##width, c->s.types

#define GATHERV(width)    ONE_BLOCK(in), BLOCKS(out, width), c->root_argument
#define SCATTERV(width)   BLOCKS(in, width), ONE_BLOCK(out), c->root_argument
#define ALLGATHERV(width) ONE_BLOCK(in), BLOCKS(out, width)
#define ALLTOALLV(width)  BLOCKS(in, width), BLOCKS(out, width)
#define ALLTOALLW(width)  BLOCKS_W(in, width), BLOCKS_W(out, width)
#define REDUCE(width)     c->in.data, c->out.data, c->in.count_##width, c->in.type, c->op
/* Displacements are MPI_Aint in both forms. */
#define NEIGHBORS(s, width) c->s.data, c->s.count_##width, c->s.at_large, c->s.types
#define NEIGHBORSW(width)   NEIGHBORS(in, width), NEIGHBORS(out, width)

#define ROW(nonblocking, persistent, arguments)                                                              \
    static int call_##nonblocking(struct call *c, bool is_persistent, bool is_large)                         \
    {                                                                                                        \
        MPI_Comm comm = c->circle->comm;                                                                     \
                                                                                                             \
        if (is_persistent && is_large)                                                                       \
            return MPI_##persistent##_c(arguments(large), comm, MPI_INFO_NULL, &c->request);                 \
        if (is_persistent)                                                                                   \
            return MPI_##persistent(arguments(narrow), comm, MPI_INFO_NULL, &c->request);                    \
        return is_large ? MPI_##nonblocking##_c(arguments(large), comm, &c->request)                         \
                        : MPI_##nonblocking(arguments(narrow), comm, &c->request);                           \
    }
ROW(Igatherv, Gatherv_init, GATHERV)
ROW(Iscatterv, Scatterv_init, SCATTERV)
ROW(Iallgatherv, Allgatherv_init, ALLGATHERV)
ROW(Ialltoallv, Alltoallv_init, ALLTOALLV)
ROW(Ialltoallw, Alltoallw_init, ALLTOALLW)
ROW(Ireduce_scatter, Reduce_scatter_init, REDUCE)
ROW(Ineighbor_allgatherv, Neighbor_allgatherv_init, ALLGATHERV)
ROW(Ineighbor_alltoallv, Neighbor_alltoallv_init, ALLTOALLV)
ROW(Ineighbor_alltoallw, Neighbor_alltoallw_init, NEIGHBORSW)

static const struct row rows[] = {
    {"gatherv", call_Igatherv, ONE, EACH, .is_rooted = true},
    {"scatterv", call_Iscatterv, EACH, ONE, .is_rooted = true},
    {"allgatherv", call_Iallgatherv, ONE, EACH, .is_rooted = false},
    {"alltoallv", call_Ialltoallv, EACH, EACH, .is_rooted = false},
    {"alltoallw", call_Ialltoallw, EACH, EACH, .has_types = true},
    {"reduce_scatter", call_Ireduce_scatter, EACH, ONE, .is_reduction = true},
    {"neighbor_allgatherv", call_Ineighbor_allgatherv, ONE, EACH, .is_of_neighbors = true},
    {"neighbor_alltoallv", call_Ineighbor_alltoallv, EACH, EACH, .is_of_neighbors = true},
    {"neighbor_alltoallw", call_Ineighbor_alltoallw, EACH, EACH, .has_types = true, .is_of_neighbors = true},
};

/* Each rank is the root and the early one in turn. */
static void run(const struct row *row, const struct circle *circle, int unit)
{
    static struct call c[MANY];
    static int number;

    for (int turn = 0; turn < 4 * size; turn++) {
        bool is_persistent = turn & 1, is_large = turn & 2;
        int early = turn / 4, calls = unit > 1 || is_persistent || early ? FEW : MANY;

        number++;
        for (int i = 0; i < calls; i++) {
            c[i] = (struct call){
                .row = row, .circle = circle, .number = number + i, .unit = unit, .root = early};
            prepare(&c[i]);
        }
        (is_persistent ? run_persistent : run_nonblocking)(c, calls, early, is_large);
        for (int i = 0; i < calls; i++)
            close_call(&c[i]);
    }
}

static void run_all(const struct circle *circle)
{
    int in = 0, out;

    for (int i = 0; i < 10; i++) /* enough for mailboxes */
        CHECK_EQ(MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, circle->comm), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].is_of_neighbors == circle->is_neighbors)
            for (int unit = 1; unit <= 3000; unit += 2999)
                run(&rows[i], circle, unit);
}

/* The two halves of all ranks, this rank's own first. */
static struct circle two_groups(void)
{
    struct circle o = {.is_inter = true};
    int middle = (size + 1) / 2;
    MPI_Comm half;

    for (int r = 0; r < size; r++)
        if ((r < middle) == (rank < middle))
            o.member[o.members++] = r;
        else
            o.peer[o.peers++] = r;
    MPI_Comm_split(MPI_COMM_WORLD, rank < middle, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < middle ? middle : 0, 2, &o.comm);
    MPI_Comm_free(&half);
    return o;
}

static void dup_world(MPI_Comm *comm)
{
    MPI_Info info;

    MPI_Info_create(&info);
    if (getenv("STRICT_ORDER"))
        MPI_Info_set(info, "mpi_assert_strict_persistent_collective_ordering", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, comm);
    MPI_Info_free(&info);
}

static struct circle one_group(bool is_neighbors)
{
    struct circle o = {.is_neighbors = is_neighbors, .members = size, .peers = size};

    for (int r = 0; r < size; r++)
        o.member[r] = o.peer[r] = is_neighbors ? (rank + r) % size : r;
    if (is_neighbors)
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, size, o.peer, MPI_UNWEIGHTED, size, o.peer,
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &o.comm);
    else
        dup_world(&o.comm);
    return o;
}

int main(int argc, char **argv)
{
    struct circle circle[3];
    int circles = 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size <= PEERS);
    circle[0] = one_group(false);
    circle[1] = one_group(true);
    if (size > 1)
        circle[circles++] = two_groups();
    for (int i = 0; i < circles; i++) {
        run_all(&circle[i]);
        MPI_Comm_free(&circle[i].comm);
    }
    MPI_Finalize();
    return 0;
}
