/* Random collectives. Each rank computes the expected results alone.
 *
 * A seed gives every rank the same plan, in rounds: a few collectives, blocking, nonblocking and persistent,
 * int and _c form, in and out of place, on intra- and intercommunicators, all in flight together. Each rank
 * draws the datatypes and places of its buffers for itself (sides.h); they only have the signature in common.
 * What is not significant on a rank is garbage. Types are freed at once, persistent requests started in each
 * rank's own order, and completed in one of several ways.
 *
 * COLL_SEED=N repeats a run; CALLS=N is how many collectives it has, about.
 */
#include "circles.h"
#include "sides.h"

#include <time.h>

enum {
    TOGETHER = 8, /* calls of a round, at most */
    STARTS = 3,   /* of a persistent one, at most */
    PRIME = 10007,
    ALL = -1, /* whom the same is for */
    DEFAULT_CALLS = 600
};
#define GARBAGE ((void *)0x1d1d)

enum form {
    BLOCKING,
    NONBLOCKING,
    PERSISTENT,
    FORMS
};

struct call {
    int which, root, items, kind;
    enum form form;
    bool is_large, is_in_place, commutes;
    uint64_t number;
    const struct circle *circle;
    struct side in, out;
    int to[BLOCKS], from[BLOCKS], out_to; /* whose blocks are in the sides */
    int first, combined; /* of a reduction: the first item here; of how many ranks, from 0 on */
    int pieces[BLOCKS];
    MPI_Count large_pieces[BLOCKS];
    int starts, start; /* that are planned; the current one */
    bool is_active;
    MPI_Request request;
};

static uint64_t seed;

/* What a reduction works on: x -> a x + b, and how a and b lie. The last one's items lie between each other.
 */
static const struct layout kinds[] = {
    {2, {0, 4}, 0, 8}, {2, {8, 16}, 0, 28}, {2, {0, -8}, -12, 24}, {2, {0, 4000}, 0, 4}};
enum {
    KINDS = sizeof kinds / sizeof *kinds,
    COLUMNS = 1000
};
static MPI_Op operations[KINDS][2];

static void combine(const int left[2], int right[2], bool commutes)
{
    int a = right[0], b = right[1];

    right[0] = commutes ? (left[0] + a) % PRIME : (int)((int64_t)left[0] * a % PRIME);
    right[1] = commutes ? (left[1] + b) % PRIME : (int)(((int64_t)left[0] * b + left[1]) % PRIME);
}

static void combine_items(const unsigned char *in, unsigned char *inout, int64_t count, int kind,
                          bool commutes)
{
    const struct layout *l = &kinds[kind];

    for (int64_t i = 0; i < count; i++, in += l->extent, inout += l->extent) {
        int left[2], right[2];

        for (int k = 0; k < 2; k++) {
            memcpy(&left[k], in + l->at[k], sizeof left[k]);
            memcpy(&right[k], inout + l->at[k], sizeof right[k]);
        }
        combine(left, right, commutes);
        if (kind == 1) /* the whole item, as an assignment of a struct does */
            memmove(inout, inout, (size_t)l->extent);
        for (int k = 0; k < 2; k++)
            memcpy(inout + l->at[k], &right[k], sizeof right[k]);
    }
}

#define FUNCTIONS(kind)                                                                                      \
    static void chain_##kind(void *in, void *inout, int *count, MPI_Datatype *type)                          \
    {                                                                                                        \
        (void)type;                                                                                          \
        combine_items(in, inout, *count, kind, false);                                                       \
    }                                                                                                        \
    static void add_##kind(void *in, void *inout, MPI_Count *count, MPI_Datatype *type)                      \
    {                                                                                                        \
        (void)type;                                                                                          \
        combine_items(in, inout, *count, kind, true);                                                        \
    }
FUNCTIONS(0)
FUNCTIONS(1)
FUNCTIONS(2)
FUNCTIONS(3)
static MPI_User_function *const chains[KINDS] = {chain_0, chain_1, chain_2, chain_3};
static MPI_User_function_c *const sums[KINDS] = {add_0, add_1, add_2, add_3};

static int draw_all(int below)
{
    return draw(&shared_state, below);
}

/* The plan's numbers. */

static uint64_t hash(const struct call *c, int a, int b, int64_t more)
{
    return scramble(scramble(scramble(c->number * 64 + (uint64_t)(a + 2)) + (uint64_t)(b + 2)) +
                    (uint64_t)more);
}

static int value(const struct call *c, int from, int to, int j)
{
    return (int)(hash(c, from, to, j * STARTS + c->start) & 0x7fffffff);
}

static int operand(const struct call *c, int from, int j)
{
    return value(c, from, ALL, j) % PRIME;
}

enum which {
    BARRIER,
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER_BLOCK,
    REDUCE_SCATTER,
    SCAN,
    EXSCAN,
    COLLECTIVES
};
static const char *const names[COLLECTIVES] = {
    "barrier",        "bcast",    "gather",    "gatherv",   "scatter", "scatterv",  "allgather",
    "allgatherv",     "alltoall", "alltoallv", "alltoallw", "reduce",  "allreduce", "reduce_scatter_block",
    "reduce_scatter", "scan",     "exscan"};

static bool is_one_of(const struct call *c, int a, int b, int d)
{
    return c->which == a || c->which == b || c->which == d;
}

static bool has_parts(const struct call *c)
{
    return is_one_of(c, GATHERV, SCATTERV, ALLGATHERV) || is_one_of(c, ALLTOALLV, ALLTOALLW, ALLTOALLW);
}

/* Ints that one process has for another one. Both sides of an intercommunicator have their own. */
static int length(const struct call *c, int from, int to)
{
    int low = from < to ? from : to, high = from < to ? to : from;
    bool is_swap = c->is_in_place && is_one_of(c, ALLTOALLV, ALLTOALLW, ALLTOALLW);
    uint64_t h = is_swap ? hash(c, low, high, 0) : hash(c, from, to, 0);

    if (!has_parts(c))
        return side_of(c->circle, from) && c->circle->is_inter ? c->items / 2 : c->items;
    return h % 4 == 0 ? 0 : (int)(h % 3 ? 1 + h / 16 % 5 : 6 * (h / 16 % 9));
}

static bool is_root(const struct call *c)
{
    return c->circle->is_inter ? c->root == MPI_ROOT : c->root == c->circle->rank;
}

static int root_process(const struct call *c)
{
    return c->root >= 0 ? c->circle->other[c->root] : rank;
}

/* Opening the sides of a call: none of them is significant until it is opened. */

static bool draw_heap(const struct call *c)
{
    return c->circle->is_heap_only || draw_own(4) == 0;
}

static void open_in(struct call *c, int blocks, const int *to, enum arrangement arrangement)
{
    int ints[BLOCKS];

    for (int b = 0; b < blocks; b++) {
        c->to[b] = to ? to[b] : ALL;
        ints[b] = length(c, rank, c->to[b]);
    }
    side_open(&c->in, blocks, ints, arrangement, draw_heap(c));
}

static void open_out(struct call *c, int blocks, const int *from, int to, enum arrangement arrangement)
{
    int ints[BLOCKS];

    c->out_to = to;
    for (int b = 0; b < blocks; b++) {
        c->from[b] = from[b];
        ints[b] = length(c, from[b], to);
    }
    side_open(&c->out, blocks, ints, arrangement, draw_heap(c));
}

/* The ranks that take part in a rooted collective: on an intercommunicator the root, and the whole other group. */
static bool is_leaf(const struct call *c)
{
    return c->circle->is_inter ? c->root >= 0 : !(c->is_in_place && is_root(c));
}

static void open_rooted(struct call *c)
{
    enum arrangement arrangement = has_parts(c) ? SPREAD : EVEN;
    int root = root_process(c);

    c->is_in_place = c->is_in_place && is_root(c);
    if (c->which == BCAST && (is_root(c) || c->root >= 0))
        open_out(c, 1, &root, ALL, EVEN);
    if (is_one_of(c, GATHER, GATHERV, GATHERV)) {
        if (is_leaf(c))
            open_in(c, 1, NULL, EVEN);
        if (is_root(c))
            open_out(c, c->circle->others, c->circle->other, ALL, arrangement);
    }
    if (is_one_of(c, SCATTER, SCATTERV, SCATTERV)) {
        if (is_root(c))
            open_in(c, c->circle->others, c->circle->other, arrangement);
        if (is_leaf(c))
            open_out(c, 1, &root, rank, EVEN);
        else if (!c->circle->is_inter)
            c->out.address = MPI_IN_PLACE;
    }
}

static void open_for_all(struct call *c)
{
    const struct circle *circle = c->circle;
    enum arrangement arrangement = c->which == ALLTOALLW ? OWN_TYPES : has_parts(c) ? SPREAD : EVEN;
    bool is_gather = c->which == ALLGATHER || c->which == ALLGATHERV;

    if (!c->is_in_place && is_gather)
        open_in(c, 1, NULL, EVEN);
    else if (!c->is_in_place)
        open_in(c, circle->others, circle->other, arrangement);
    open_out(c, circle->others, circle->other, is_gather ? ALL : rank, arrangement);
}

/* Items of the pieces. Both groups of an intercommunicator combine as many in all. */
static int draw_pieces(struct call *c)
{
    const struct circle *circle = c->circle;
    int total =
        c->which == REDUCE_SCATTER_BLOCK ? c->items % 4 * circle->size * circle->others : c->items % 70;

    for (int r = 0; r < circle->size; r++) {
        c->pieces[r] = total / circle->size + (r < total % circle->size);
        c->large_pieces[r] = c->pieces[r];
    }
    if (c->which == REDUCE_SCATTER && total && circle->size > 1 && hash(c, 0, 0, 0) % 2) { /* one gets most */
        int most = (int)(hash(c, 1, 1, 0) % (unsigned)circle->size);

        for (int r = 0; r < circle->size; r++)
            c->large_pieces[r] = c->pieces[r] = r == most ? total : 0;
    }
    return total;
}

static void open_reduction(struct call *c)
{
    const struct circle *circle = c->circle;
    bool is_scattered = is_one_of(c, REDUCE_SCATTER_BLOCK, REDUCE_SCATTER, REDUCE_SCATTER);
    int items = c->kind == KINDS - 1 && c->items >= COLUMNS ? COLUMNS - 1 : c->items, given = items;
    bool is_given = !circle->is_inter || c->which != REDUCE || c->root >= 0;

    c->items = items;
    if (c->which == REDUCE)
        c->is_in_place = c->is_in_place && is_root(c);
    if (is_scattered) {
        items = draw_pieces(c);
        given = c->pieces[circle->rank];
        for (int r = 0; r < circle->rank; r++)
            c->first += c->pieces[r];
    }
    c->combined = c->which == SCAN ? circle->rank + 1 : c->which == EXSCAN ? circle->rank : circle->others;
    if (!c->is_in_place && is_given)
        side_open_items(&c->in, items, kinds[c->kind], draw_heap(c));
    if ((c->which != REDUCE || is_root(c)) && (c->which != EXSCAN || circle->rank || c->is_in_place))
        side_open_items(&c->out, c->is_in_place ? items : given, kinds[c->kind], draw_heap(c));
}

/* Before each start: what this rank puts in, and what it must find in the end. */

static void fill_blocks(struct call *c)
{
    bool is_exchange = c->which >= ALLTOALL && c->which <= ALLTOALLW;

    for (int b = 0; b < c->in.blocks; b++)
        for (int j = 0; j < c->in.ints[b]; j++)
            side_put(&c->in, b, j, value(c, rank, c->to[b], j));
    for (int b = 0; b < c->out.blocks; b++) {
        bool is_there =
            c->which == BCAST ? is_root(c) : c->is_in_place && (is_exchange || c->from[b] == rank);

        for (int j = 0; j < c->out.ints[b]; j++) {
            if (is_there)
                side_put(&c->out, b, j, value(c, rank, is_exchange ? c->from[b] : ALL, j));
            side_want(&c->out, b, j, value(c, c->from[b], c->out_to, j));
        }
    }
}

static void want_combined(struct call *c, int item)
{
    const int *process = c->circle->other;
    int sum[2] = {operand(c, process[c->combined - 1], 2 * (c->first + item)),
                  operand(c, process[c->combined - 1], 2 * (c->first + item) + 1)};

    for (int r = c->combined - 2; r >= 0; r--) {
        int left[2] = {operand(c, process[r], 2 * (c->first + item)),
                       operand(c, process[r], 2 * (c->first + item) + 1)};

        combine(left, sum, c->commutes);
    }
    for (int k = 0; k < 2; k++)
        side_want(&c->out, 0, 2 * item + k, sum[k]);
}

static int items_given(const struct call *c)
{
    if (!c->out.blocks || c->combined == 0)
        return 0;
    return is_one_of(c, REDUCE_SCATTER_BLOCK, REDUCE_SCATTER, REDUCE_SCATTER) ? c->pieces[c->circle->rank]
                                                                              : (int)c->out.count[0];
}

static void fill_reduction(struct call *c)
{
    struct side *input = c->is_in_place ? &c->out : &c->in;

    for (int j = 0; input->blocks && j < input->ints[0]; j++)
        side_put(input, 0, j, operand(c, rank, j));
    for (int i = 0; i < items_given(c); i++)
        want_combined(c, i);
}

static void fill(struct call *c)
{
    side_clear(&c->in);
    side_clear(&c->out);
    if (c->which >= REDUCE)
        fill_reduction(c);
    else
        fill_blocks(c);
}

static void complain(const struct call *c, const char *what, long at)
{
    fprintf(stderr,
            "COLL_SEED=%llu: rank %d: call %llu, %s%s, form %d, communicator %d, root %d, %d items, kind %d, "
            "start %d: "
            "%s (%ld)\n",
            (unsigned long long)seed, rank, (unsigned long long)c->number, names[c->which],
            c->is_large ? "_c" : "", (int)c->form, (int)(c->circle - circles), c->root, c->items, c->kind,
            c->start, what, at);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The contents of an in-place buffer after the reduced piece are undefined. */
static void check(struct call *c)
{
    long at;

    for (int j = 2 * items_given(c); c->which >= REDUCE_SCATTER_BLOCK && c->which <= REDUCE_SCATTER &&
                                     c->is_in_place && j < c->out.ints[0];
         j++)
        side_forget(&c->out, 0, j);
    if (side_differs(&c->in, &at))
        complain(c, "the input has changed at byte", at);
    if (side_differs(&c->out, &at))
        complain(c, "the result is wrong at byte", at);
}

/* The calls themselves. */

#define IN_FORM(blocking, nonblocking, persistent, ...)                                                      \
    (c->form == BLOCKING      ? blocking(__VA_ARGS__)                                                        \
     : c->form == NONBLOCKING ? nonblocking(__VA_ARGS__, &c->request)                                        \
                              : persistent(__VA_ARGS__, MPI_INFO_NULL, &c->request))
#define INT_CALL(name, nonblocking, ...)                                                                     \
    IN_FORM(MPI_##name, MPI_##nonblocking, MPI_##name##_init, __VA_ARGS__)
#define LARGE_CALL(name, nonblocking, ...)                                                                   \
    IN_FORM(MPI_##name##_c, MPI_##nonblocking##_c, MPI_##name##_init_c, __VA_ARGS__)
#define CALL(name, nonblocking, ...)                                                                         \
    (c->is_large ? LARGE_CALL(name, nonblocking, __VA_ARGS__) : INT_CALL(name, nonblocking, __VA_ARGS__))

static int run_rooted(struct call *c, MPI_Comm comm)
{
    struct side *in = &c->in, *out = &c->out;
    const void *from = in->address;
    void *to = (void *)(uintptr_t)out->address;

    switch (c->which) {
    case BCAST:
        return CALL(Bcast, Ibcast, to, out->narrow_count[0], out->type[0], c->root, comm);
    case GATHER:
        return CALL(Gather, Igather, from, in->narrow_count[0], in->type[0], to, out->narrow_count[0],
                    out->type[0], c->root, comm);
    case GATHERV:
        return c->is_large ? LARGE_CALL(Gatherv, Igatherv, from, in->count[0], in->type[0], to, out->count,
                                        out->place, out->type[0], c->root, comm)
                           : INT_CALL(Gatherv, Igatherv, from, in->narrow_count[0], in->type[0], to,
                                      out->narrow_count, out->narrow_place, out->type[0], c->root, comm);
    case SCATTER:
        return CALL(Scatter, Iscatter, from, in->narrow_count[0], in->type[0], to, out->narrow_count[0],
                    out->type[0], c->root, comm);
    default:
        return c->is_large ? LARGE_CALL(Scatterv, Iscatterv, from, in->count, in->place, in->type[0], to,
                                        out->count[0], out->type[0], c->root, comm)
                           : INT_CALL(Scatterv, Iscatterv, from, in->narrow_count, in->narrow_place,
                                      in->type[0], to, out->narrow_count[0], out->type[0], c->root, comm);
    }
}

static int run_for_all(struct call *c, MPI_Comm comm)
{
    struct side *in = &c->in, *out = &c->out;
    const void *from = in->address;
    void *to = (void *)(uintptr_t)out->address;

    switch (c->which) {
    case ALLGATHER:
        return CALL(Allgather, Iallgather, from, in->narrow_count[0], in->type[0], to, out->narrow_count[0],
                    out->type[0], comm);
    case ALLGATHERV:
        return c->is_large ? LARGE_CALL(Allgatherv, Iallgatherv, from, in->count[0], in->type[0], to,
                                        out->count, out->place, out->type[0], comm)
                           : INT_CALL(Allgatherv, Iallgatherv, from, in->narrow_count[0], in->type[0], to,
                                      out->narrow_count, out->narrow_place, out->type[0], comm);
    case ALLTOALL:
        return CALL(Alltoall, Ialltoall, from, in->narrow_count[0], in->type[0], to, out->narrow_count[0],
                    out->type[0], comm);
    case ALLTOALLV:
        return c->is_large
                   ? LARGE_CALL(Alltoallv, Ialltoallv, from, in->count, in->place, in->type[0], to,
                                out->count, out->place, out->type[0], comm)
                   : INT_CALL(Alltoallv, Ialltoallv, from, in->narrow_count, in->narrow_place, in->type[0],
                              to, out->narrow_count, out->narrow_place, out->type[0], comm);
    default:
        return c->is_large ? LARGE_CALL(Alltoallw, Ialltoallw, from, in->count, in->place, in->type, to,
                                        out->count, out->place, out->type, comm)
                           : INT_CALL(Alltoallw, Ialltoallw, from, in->narrow_count, in->narrow_place,
                                      in->type, to, out->narrow_count, out->narrow_place, out->type, comm);
    }
}

static int run_reduction(struct call *c, MPI_Comm comm)
{
    const void *from = c->in.address;
    void *to = (void *)(uintptr_t)c->out.address;
    bool is_idle = !c->in.blocks && !c->out.blocks;
    MPI_Datatype type = c->in.blocks ? c->in.type[0] : c->out.type[0];
    MPI_Op op = is_idle ? MPI_OP_NULL : operations[c->kind][c->commutes];
    int items = is_idle ? -5 : c->items;

    switch (c->which) {
    case REDUCE:
        return CALL(Reduce, Ireduce, from, to, items, type, op, c->root, comm);
    case ALLREDUCE:
        return CALL(Allreduce, Iallreduce, from, to, items, type, op, comm);
    case REDUCE_SCATTER_BLOCK:
        return CALL(Reduce_scatter_block, Ireduce_scatter_block, from, to, c->pieces[0], type, op, comm);
    case REDUCE_SCATTER:
        return c->is_large
                   ? LARGE_CALL(Reduce_scatter, Ireduce_scatter, from, to, c->large_pieces, type, op, comm)
                   : INT_CALL(Reduce_scatter, Ireduce_scatter, from, to, c->pieces, type, op, comm);
    case SCAN:
        return CALL(Scan, Iscan, from, to, items, type, op, comm);
    default:
        return CALL(Exscan, Iexscan, from, to, items, type, op, comm);
    }
}

static int run(struct call *c)
{
    MPI_Comm comm = c->circle->comm;

    if (c->which == BARRIER)
        return INT_CALL(Barrier, Ibarrier, comm);
    if (c->which < ALLGATHER)
        return run_rooted(c, comm);
    return c->which < REDUCE ? run_for_all(c, comm) : run_reduction(c, comm);
}

static int draw_items(void)
{
    switch (draw_all(8)) {
    case 0:
        return 0;
    case 1:
    case 2:
    case 3:
        return 1 + draw_all(6);
    case 4:
    case 5:
    case 6:
        return 6 * (1 + draw_all(60));
    default:
        return 12 * draw_all(1500);
    }
}

/* A root on either side of an intercommunicator. */
static int draw_root(const struct circle *circle)
{
    int side = draw_all(2), drawn = draw_all(1 << 20), root;

    if (circle->comm == MPI_COMM_NULL)
        return MPI_PROC_NULL;
    root = drawn % (side == circle->side && circle->is_inter ? circle->size : circle->others);
    if (!circle->is_inter || side != circle->side)
        return root;
    return root == circle->rank ? MPI_ROOT : MPI_PROC_NULL;
}

/* Every rank draws as much of what all draw alike. */
static void plan_call(struct call *c, uint64_t number)
{
    memset(c, 0, sizeof *c);
    c->number = number;
    c->which = draw_all(COLLECTIVES);
    c->form = (enum form)draw_all(FORMS);
    c->is_large = draw_all(2);
    c->circle = &circles[draw_all(circle_count)];
    c->is_in_place = draw_all(3) == 0 && !c->circle->is_inter;
    c->items = draw_items();
    c->kind = draw_all(KINDS);
    c->commutes = draw_all(2);
    c->starts = 1 + draw_all(STARTS);
    c->root = draw_root(c->circle);
    if (c->circle->is_inter && c->which >= SCAN)
        c->which = BARRIER;
    if (c->items > 1000 && (c->which == ALLTOALL || c->which == GATHER || c->which == SCATTER))
        c->items = c->items / 96 * 12;
    c->request = MPI_REQUEST_NULL;
}

static void make_call(struct call *c)
{
    side_leave_out(&c->in, c->is_in_place && (c->which != REDUCE || is_root(c)) ? MPI_IN_PLACE : GARBAGE);
    side_leave_out(&c->out, GARBAGE);
    if (c->which >= REDUCE)
        open_reduction(c);
    else if (c->which >= ALLGATHER)
        open_for_all(c);
    else if (c->which > BARRIER)
        open_rooted(c);
    if (!c->in.blocks)
        c->in.address = c->is_in_place ? MPI_IN_PLACE : GARBAGE;
    fill(c);
    if (run(c) != MPI_SUCCESS)
        complain(c, "the call failed", 0);
    c->is_active = c->form == NONBLOCKING;
    if (c->form == BLOCKING)
        check(c);
    else if (draw_own(2)) {
        side_free_types(&c->in);
        side_free_types(&c->out);
    }
}

static void start(struct call *c, int number)
{
    c->start = number;
    fill(c);
    if (MPI_Start(&c->request) != MPI_SUCCESS)
        complain(c, "MPI_Start failed", 0);
    c->is_active = true;
}

/* In this rank's own order, but where all have promised one. */
static void start_all(struct call *calls, int count, int number)
{
    int order[TOGETHER];

    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++) {
            struct call *c = &calls[order[i]];

            if (c->request != MPI_REQUEST_NULL && c->form == PERSISTENT && number < c->starts &&
                c->circle->is_strict == (pass == 0))
                start(c, number);
        }
        shuffle(order, count, &own_state);
    }
}

static void wait_for(MPI_Request *requests, int count)
{
    int done = 0, index, indices[TOGETHER];

    switch (draw_own(4)) {
    case 0:
        CHECK_EQ(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        break;
    case 1:
        do
            CHECK_EQ(MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
        while (index != MPI_UNDEFINED);
        break;
    case 2:
        do
            CHECK_EQ(MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        while (done != MPI_UNDEFINED);
        break;
    default:
        while (!done)
            CHECK_EQ(MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    }
}

static void complete(struct call *calls, int count)
{
    MPI_Request requests[TOGETHER];

    for (int i = 0; i < count; i++)
        requests[i] = calls[i].is_active ? calls[i].request : MPI_REQUEST_NULL;
    wait_for(requests, count);
    for (int i = 0; i < count; i++) {
        struct call *c = &calls[i];

        if (!c->is_active)
            continue;
        CHECK_EQ(requests[i] == MPI_REQUEST_NULL, c->form == NONBLOCKING);
        check(c);
        c->is_active = false;
        c->request = requests[i];
    }
}

static void play(uint64_t number)
{
    static struct call calls[TOGETHER];
    int count = 1 + draw_all(TOGETHER);

    for (int i = 0; i < count; i++) {
        plan_call(&calls[i], number + (uint64_t)i);
        if (calls[i].circle->comm != MPI_COMM_NULL)
            make_call(&calls[i]);
    }
    for (int i = 0; i < STARTS; i++) {
        start_all(calls, count, i);
        complete(calls, count);
    }
    for (int i = 0; i < count; i++) {
        if (calls[i].request != MPI_REQUEST_NULL)
            CHECK_EQ(MPI_Request_free(&calls[i].request), MPI_SUCCESS);
        side_close(&calls[i].in);
        side_close(&calls[i].out);
    }
}

static void choose_seed(void)
{
    const char *given = getenv("COLL_SEED");

    seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) << 16 ^ (uint64_t)clock();
    CHECK_EQ(MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0)
        printf("COLL_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    shared_state = scramble(seed + 1);
    own_state = scramble(seed + (uint64_t)rank + 1000);
}

int main(int argc, char **argv)
{
    const char *wanted = getenv("CALLS");
    uint64_t calls = wanted ? strtoull(wanted, NULL, 0) : DEFAULT_CALLS;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size <= RANKS);
    choose_seed();
    open_circles();
    for (int kind = 0; kind < KINDS; kind++) {
        MPI_Op_create(chains[kind], 0, &operations[kind][0]);
        MPI_Op_create_c(sums[kind], 1, &operations[kind][1]);
    }
    for (uint64_t number = 0; number < calls; number += TOGETHER / 2)
        play(number * 2);
    for (int kind = 0; kind < KINDS; kind++)
        for (int commutes = 0; commutes < 2; commutes++)
            MPI_Op_free(&operations[kind][commutes]);
    close_circles();
    MPI_Finalize();
    return 0;
}
