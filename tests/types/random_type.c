#include "random_type.h"

#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PARTS_MAX = 5,
    KINDS = 12,
    SCATTER_GAP = 40 /* bytes between two blocks, at most */
};

static uint64_t state;

void random_start(uint64_t seed)
{
    state = seed * 0x9e3779b97f4a7c15u + 1;
}

int64_t pick(int64_t low, int64_t high)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int64_t)((state >> 11) % (uint64_t)(high - low + 1));
}

int64_t lb_of(const struct subject *s)
{
    return s->is_marked ? s->lb : s->low;
}

int64_t extent_of(const struct subject *s)
{
    int64_t extent = s->end - s->low;

    return s->is_marked ? s->ub - s->lb : (extent + s->align - 1) / s->align * s->align;
}

int64_t byte_place(const struct subject *s, int64_t k)
{
    return s->byte[k % s->n].at + (k >= s->n ? k / s->n * extent_of(s) : 0);
}

int64_t span_of(const struct subject *s, int64_t count, int64_t *begin)
{
    int64_t last = count > 0 ? (count - 1) * extent_of(s) : 0;

    *begin = s->low + (last < 0 ? last : 0);
    return s->high - s->low + (last < 0 ? -last : last);
}

int64_t elements_in(const struct subject *s, int64_t bytes)
{
    int64_t rest = s->n ? bytes % s->n : 0, all = 0, before = 0;

    if (s->n == 0)
        return bytes ? MPI_UNDEFINED : 0;
    if (rest && s->byte[rest].value == MPI_DATATYPE_NULL)
        return MPI_UNDEFINED;
    for (int i = 0; i < s->n; i++) {
        bool is_first = s->byte[i].value != MPI_DATATYPE_NULL;

        all += is_first;
        before += is_first && i < rest;
    }
    return bytes / s->n * all + before;
}

static struct subject start_subject(int bytes)
{
    return (struct subject){
        .type = MPI_DATATYPE_NULL, .byte = calloc((size_t)bytes, sizeof(struct byte)), .align = 1};
}

static void add_byte(struct subject *to, int64_t at, MPI_Datatype value)
{
    to->low = to->n && to->low < at ? to->low : at;
    to->high = to->n && to->high > at + 1 ? to->high : at + 1;
    to->end = to->n && to->end > at + 1 ? to->end : at + 1;
    to->byte[to->n++] = (struct byte){at, value};
}

/* False when it gets too large for the test. */
static bool add(struct subject *to, const struct subject *part, int64_t at)
{
    if (to->n + part->n > BYTES_MAX)
        return false;
    for (int i = 0; i < part->n; i++)
        add_byte(to, part->byte[i].at + at, part->byte[i].value);
    if (part->n && !part->is_marked && to->end < at + part->low + extent_of(part))
        to->end = at + part->low + extent_of(part);
    if (part->is_marked) {
        to->lb = to->is_marked && to->lb < part->lb + at ? to->lb : part->lb + at;
        to->ub = to->is_marked && to->ub > part->ub + at ? to->ub : part->ub + at;
        to->is_marked = true;
    }
    if (part->n && part->align > to->align)
        to->align = part->align;
    return true;
}

static bool add_block(struct subject *to, const struct subject *part, int64_t at, int64_t count)
{
    bool fits = true;

    for (int64_t i = 0; i < count && fits; i++)
        fits = add(to, part, at + i * extent_of(part));
    return fits;
}

static bool is_named(MPI_Datatype type)
{
    MPI_Count integers, addresses, large, types;
    int combiner;

    HOLDS(MPI_Type_get_envelope_c(type, &integers, &addresses, &large, &types, &combiner) == MPI_SUCCESS);
    return combiner == MPI_COMBINER_NAMED;
}

void subject_free(struct subject *s)
{
    free(s->byte);
    if (s->type != MPI_DATATYPE_NULL && !is_named(s->type))
        HOLDS(MPI_Type_free(&s->type) == MPI_SUCCESS);
}

/* The predefined types: one or two values, the second's place, the alignment. */
static const struct predefined {
    MPI_Datatype type, first, second;
    int first_bytes, second_at, second_bytes, align;
} predefined[] = {
    {MPI_BYTE, MPI_BYTE, MPI_DATATYPE_NULL, 1, 0, 0, 1},
    {MPI_SHORT, MPI_SHORT, MPI_DATATYPE_NULL, 2, 0, 0, 2},
    {MPI_INT, MPI_INT, MPI_DATATYPE_NULL, 4, 0, 0, 4},
    {MPI_DOUBLE, MPI_DOUBLE, MPI_DATATYPE_NULL, 8, 0, 0, 8},
    {MPI_CHAR, MPI_CHAR, MPI_DATATYPE_NULL, 1, 0, 0, 1},
    {MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT, 8, 8, 4, 8},
    {MPI_SHORT_INT, MPI_SHORT, MPI_INT, 2, 4, 4, 4},
    {MPI_C_DOUBLE_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_DATATYPE_NULL, 16, 0, 0, 8},
    {MPI_UINT64_T, MPI_UINT64_T, MPI_DATATYPE_NULL, 8, 0, 0, 8},
    {MPI_LONG_DOUBLE, MPI_LONG_DOUBLE, MPI_DATATYPE_NULL, 16, 0, 0, 16},
};

static int bytes_of(MPI_Datatype value)
{
    size_t i = 0;

    while (predefined[i].type != value)
        i++;
    return predefined[i].first_bytes;
}

static struct subject random_predefined(void)
{
    const struct predefined *p = &predefined[pick(0, sizeof predefined / sizeof predefined[0] - 1)];
    struct subject s = start_subject(BYTES_MAX);

    s.type = p->type;
    s.align = p->align;
    for (int i = 0; i < p->first_bytes; i++)
        add_byte(&s, i, i ? MPI_DATATYPE_NULL : p->first);
    for (int i = 0; i < p->second_bytes; i++)
        add_byte(&s, p->second_at + i, i ? MPI_DATATYPE_NULL : p->second);
    return s;
}

/* Arguments of a constructor, for both forms; the arrays are used by those that take arrays. */
struct arguments {
    int count, blocklength, stride;
    int lengths[PARTS_MAX], displs[PARTS_MAX];
    MPI_Count wide_lengths[PARTS_MAX], wide_displs[PARTS_MAX];
    MPI_Aint byte_displs[PARTS_MAX];
    bool large;
};

static struct arguments random_arguments(void)
{
    struct arguments a = {
        .count = (int)pick(0, PARTS_MAX), .blocklength = (int)pick(0, 4), .stride = (int)pick(-6, 8)};

    for (int i = 0; i < PARTS_MAX; i++) {
        a.lengths[i] = (int)pick(0, 3);
        a.displs[i] = pick(0, 3) ? (int)pick(-8, 16) : i ? a.displs[i - 1] + a.lengths[i - 1] : 0;
        a.wide_lengths[i] = a.lengths[i];
        a.wide_displs[i] = a.byte_displs[i] = a.displs[i];
    }
    a.large = pick(0, 1);
    return a;
}

static int blocks_type(int kind, const struct arguments *a, MPI_Datatype part, MPI_Datatype *type)
{
    if (kind == 0)
        return a->large ? MPI_Type_contiguous_c(a->count, part, type)
                        : MPI_Type_contiguous(a->count, part, type);
    if (kind == 1)
        return a->large ? MPI_Type_vector_c(a->count, a->blocklength, a->stride, part, type)
                        : MPI_Type_vector(a->count, a->blocklength, a->stride, part, type);
    return a->large ? MPI_Type_create_hvector_c(a->count, a->blocklength, a->stride, part, type)
                    : MPI_Type_create_hvector(a->count, a->blocklength, a->stride, part, type);
}

static bool make_blocks(int kind, struct subject *s, const struct subject *part, const struct arguments *a)
{
    int64_t ex = extent_of(part);
    bool fits = true;

    HOLDS(blocks_type(kind, a, part->type, &s->type) == MPI_SUCCESS);
    if (kind == 0)
        return add_block(s, part, 0, a->count);
    for (int i = 0; i < a->count && fits; i++)
        fits = add_block(s, part, i * a->stride * (kind == 1 ? ex : 1), a->blocklength);
    return fits;
}

static int indexed_type(int kind, const struct arguments *a, MPI_Datatype part, MPI_Datatype *type)
{
    int n = a->count;

    if (kind == 3)
        return a->large ? MPI_Type_indexed_c(n, a->wide_lengths, a->wide_displs, part, type)
                        : MPI_Type_indexed(n, a->lengths, a->displs, part, type);
    if (kind == 4)
        return a->large ? MPI_Type_create_hindexed_c(n, a->wide_lengths, a->wide_displs, part, type)
                        : MPI_Type_create_hindexed(n, a->lengths, a->byte_displs, part, type);
    if (kind == 5)
        return a->large ? MPI_Type_create_indexed_block_c(n, a->blocklength, a->wide_displs, part, type)
                        : MPI_Type_create_indexed_block(n, a->blocklength, a->displs, part, type);
    return a->large ? MPI_Type_create_hindexed_block_c(n, a->blocklength, a->wide_displs, part, type)
                    : MPI_Type_create_hindexed_block(n, a->blocklength, a->byte_displs, part, type);
}

static bool make_indexed(int kind, struct subject *s, const struct subject *part, const struct arguments *a)
{
    int64_t ex = extent_of(part);
    bool fits = true;

    HOLDS(indexed_type(kind, a, part->type, &s->type) == MPI_SUCCESS);
    for (int i = 0; i < a->count && fits; i++)
        fits =
            add_block(s, part, a->displs[i] * (kind % 2 ? ex : 1), kind > 4 ? a->blocklength : a->lengths[i]);
    return fits;
}

static bool make_struct(int depth, struct subject *s, const struct arguments *a)
{
    struct subject parts[PARTS_MAX];
    MPI_Datatype types[PARTS_MAX];
    bool fits = true;
    int error;

    for (int i = 0; i < a->count; i++) {
        parts[i] = random_subject(depth - 1);
        types[i] = parts[i].type;
    }
    error = a->large ? MPI_Type_create_struct_c(a->count, a->wide_lengths, a->wide_displs, types, &s->type)
                     : MPI_Type_create_struct(a->count, a->lengths, a->byte_displs, types, &s->type);
    HOLDS(error == MPI_SUCCESS);
    for (int i = 0; i < a->count; i++) {
        fits = fits && add_block(s, &parts[i], a->displs[i], a->lengths[i]);
        subject_free(&parts[i]);
    }
    return fits;
}

/* The items of an array that one process owns, or those of a box, in memory order. */
struct grid {
    int ndims, order;
    int sizes[3], subsizes[3], starts[3];
    int distribs[3], dargs[3], psizes[3], coords[3];
    bool is_darray;
};

static bool owns(const struct grid *g, int dim, int i)
{
    int block = g->dargs[dim];

    if (!g->is_darray)
        return i >= g->starts[dim] && i < g->starts[dim] + g->subsizes[dim];
    if (g->distribs[dim] == MPI_DISTRIBUTE_NONE)
        return true;
    if (block == MPI_DISTRIBUTE_DFLT_DARG)
        block = g->distribs[dim] == MPI_DISTRIBUTE_BLOCK
                    ? (g->sizes[dim] + g->psizes[dim] - 1) / g->psizes[dim]
                    : 1;
    return i / block % g->psizes[dim] == g->coords[dim];
}

static bool add_owned(struct subject *s, const struct subject *part, const struct grid *g)
{
    int64_t total = 1, ex = extent_of(part);
    struct subject bare = *part;
    bool fits = true;

    bare.is_marked = false;
    for (int d = 0; d < g->ndims; d++)
        total *= g->sizes[d];
    for (int64_t k = 0; k < total && fits; k++) {
        int rest = (int)k;
        bool mine = true;

        for (int j = 0; j < g->ndims; j++) {
            int d = g->order == MPI_ORDER_C ? g->ndims - 1 - j : j;

            mine = mine && owns(g, d, rest % g->sizes[d]);
            rest /= g->sizes[d];
        }
        fits = !mine || add(s, &bare, k * ex);
    }
    s->is_marked = true;
    s->lb = 0;
    s->ub = total * ex;
    return fits;
}

static bool make_subarray(struct subject *s, const struct subject *part, bool large)
{
    struct grid g = {.ndims = (int)pick(1, 3), .order = pick(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN};
    MPI_Count sizes[3], subsizes[3], starts[3];

    for (int d = 0; d < g.ndims; d++) {
        sizes[d] = g.sizes[d] = (int)pick(1, 5);
        subsizes[d] = g.subsizes[d] = (int)pick(1, g.sizes[d]);
        starts[d] = g.starts[d] = (int)pick(0, g.sizes[d] - g.subsizes[d]);
    }
    HOLDS((large ? MPI_Type_create_subarray_c(g.ndims, sizes, subsizes, starts, g.order, part->type, &s->type)
                 : MPI_Type_create_subarray(g.ndims, g.sizes, g.subsizes, g.starts, g.order, part->type,
                                            &s->type)) == MPI_SUCCESS);
    return add_owned(s, part, &g);
}

/* One dimension's distribution. */
static void distribute(struct grid *g, int d)
{
    static const int distribs[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};

    g->sizes[d] = (int)pick(1, 7);
    g->distribs[d] = distribs[pick(0, 2)];
    g->psizes[d] = g->distribs[d] == MPI_DISTRIBUTE_NONE ? 1 : (int)pick(1, 3);
    g->dargs[d] = MPI_DISTRIBUTE_DFLT_DARG;
    if (g->distribs[d] == MPI_DISTRIBUTE_BLOCK && pick(0, 1))
        g->dargs[d] = (g->sizes[d] + g->psizes[d] - 1) / g->psizes[d] + (int)pick(0, 2);
    if (g->distribs[d] == MPI_DISTRIBUTE_CYCLIC && pick(0, 1))
        g->dargs[d] = (int)pick(1, 3);
    g->coords[d] = (int)pick(0, g->psizes[d] - 1);
}

static bool make_darray(struct subject *s, const struct subject *part, bool large)
{
    struct grid g = {
        .ndims = (int)pick(1, 3), .order = pick(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, .is_darray = true};
    MPI_Count sizes[3];
    int size = 1, rank = 0, error;

    for (int d = 0; d < g.ndims; d++) {
        distribute(&g, d);
        sizes[d] = g.sizes[d];
        size *= g.psizes[d];
        rank = rank * g.psizes[d] + g.coords[d];
    }
    error = large ? MPI_Type_create_darray_c(size, rank, g.ndims, sizes, g.distribs, g.dargs, g.psizes,
                                             g.order, part->type, &s->type)
                  : MPI_Type_create_darray(size, rank, g.ndims, g.sizes, g.distribs, g.dargs, g.psizes,
                                           g.order, part->type, &s->type);
    HOLDS(error == MPI_SUCCESS);
    return add_owned(s, part, &g);
}

static bool make_resized(struct subject *s, const struct subject *part, bool large)
{
    struct subject bare = *part;

    bare.is_marked = false;
    s->lb = pick(-8, 8);
    s->ub = s->lb + pick(0, 3) * pick(0, 24);
    HOLDS((large ? MPI_Type_create_resized_c(part->type, s->lb, s->ub - s->lb, &s->type)
                 : MPI_Type_create_resized(part->type, s->lb, s->ub - s->lb, &s->type)) == MPI_SUCCESS);
    add(s, &bare, 0);
    s->is_marked = true;
    return true;
}

static bool make_dup(struct subject *s, const struct subject *part)
{
    HOLDS(MPI_Type_dup(part->type, &s->type) == MPI_SUCCESS);
    return add(s, part, 0);
}

static bool make(int kind, int depth, struct subject *s)
{
    struct arguments a = random_arguments();
    struct subject part;
    bool fits;

    if (kind == 7)
        return make_struct(depth, s, &a);
    part = random_subject(depth - 1);
    if (kind < 3)
        fits = make_blocks(kind, s, &part, &a);
    else if (kind < 7)
        fits = make_indexed(kind, s, &part, &a);
    else if (kind == 8)
        fits = make_subarray(s, &part, a.large);
    else if (kind == 9)
        fits = make_darray(s, &part, a.large);
    else if (kind == 10)
        fits = make_resized(s, &part, a.large);
    else
        fits = make_dup(s, &part);
    subject_free(&part);
    return fits;
}

struct subject random_subject(int depth)
{
    struct subject s;

    if (depth == 0 || pick(0, 9) == 0)
        return random_predefined();
    s = start_subject(BYTES_MAX);
    if (make((int)pick(0, KINDS - 1), depth, &s) && s.high - s.low < SPAN_MAX)
        return s;
    subject_free(&s); /* too large */
    return random_predefined();
}

/* A block of a scattered type: values of one type. */
struct block {
    MPI_Datatype value;
    int length;
    int64_t at; /* also its position in memory, while places are assigned */
};

/* Cuts the values of `items` items of s into blocks; returns how many. */
static int cut(const struct subject *s, int items, struct block *block)
{
    int blocks = 0;

    for (int64_t k = 0; k < (int64_t)items * s->n; k++) {
        MPI_Datatype value = s->byte[k % s->n].value;

        if (value == MPI_DATATYPE_NULL)
            continue;
        if (blocks && block[blocks - 1].value == value && pick(0, 3))
            block[blocks - 1].length++;
        else
            block[blocks++] = (struct block){value, 1, 0};
    }
    return blocks;
}

/* Assigns places in random order, with gaps or without, each aligned or not. Returns where they end. */
static int64_t deal_places(struct block *block, int blocks)
{
    int *order = malloc((size_t)(blocks + 1) * sizeof *order);
    bool is_shuffled = pick(0, 1), has_gaps = pick(0, 3);
    int64_t at = pick(-20, 20);

    for (int i = 0; i < blocks; i++)
        order[i] = i;
    for (int i = blocks - 1; i > 0 && is_shuffled; i--) {
        int j = (int)pick(0, i), keep = order[i];

        order[i] = order[j];
        order[j] = keep;
    }
    for (int i = 0; i < blocks; i++) {
        struct block *b = &block[order[i]];

        b->at = at;
        at += (int64_t)b->length * bytes_of(b->value) + (has_gaps ? pick(0, SCATTER_GAP) : 0);
    }
    free(order);
    return at;
}

/* A struct of the blocks from the first on; `base` is where it will lie. */
static MPI_Datatype struct_of(const struct block *block, int blocks, int64_t base)
{
    int *lengths = malloc((size_t)(blocks + 1) * sizeof *lengths);
    MPI_Aint *displs = malloc((size_t)(blocks + 1) * sizeof *displs);
    MPI_Datatype *types = malloc((size_t)(blocks + 1) * sizeof(MPI_Datatype)), type;

    for (int i = 0; i < blocks; i++) {
        lengths[i] = block[i].length;
        displs[i] = (MPI_Aint)(block[i].at - base);
        types[i] = block[i].value;
    }
    HOLDS(MPI_Type_create_struct(blocks, lengths, displs, types, &type) == MPI_SUCCESS);
    free(lengths);
    free(displs);
    free(types);
    return type;
}

/* The blocks as a struct of two structs, so that it nests; its extent is set. */
static MPI_Datatype nest(const struct block *block, int blocks, int64_t lb, int64_t extent)
{
    int middle = (int)pick(0, blocks), ones[] = {1, 1};
    MPI_Aint base = (MPI_Aint)pick(-100, 100), displs[] = {0, base};
    MPI_Datatype half[] = {struct_of(block, middle, 0), struct_of(block + middle, blocks - middle, base)};
    MPI_Datatype both, type;

    HOLDS(MPI_Type_create_struct(2, ones, displs, half, &both) == MPI_SUCCESS);
    HOLDS(MPI_Type_create_resized(both, (MPI_Aint)lb, (MPI_Aint)extent, &type) == MPI_SUCCESS);
    MPI_Type_free(&half[0]);
    MPI_Type_free(&half[1]);
    MPI_Type_free(&both);
    return type;
}

struct subject random_scatter(const struct subject *s, int items)
{
    struct subject to = start_subject(items * s->n + 1);
    struct block *block = malloc((size_t)(items * s->n + 1) * sizeof *block);
    int blocks = cut(s, items, block);
    int64_t end = deal_places(block, blocks);

    for (int b = 0; b < blocks; b++)
        for (int i = 0, bytes = bytes_of(block[b].value); i < block[b].length * bytes; i++)
            add_byte(&to, block[b].at + i, i % bytes ? MPI_DATATYPE_NULL : block[b].value);
    to.is_marked = true;
    to.lb = to.low - pick(0, 9);
    to.ub = to.lb + (end - to.low) + pick(0, 30);
    to.type = nest(block, blocks, to.lb, to.ub - to.lb);
    free(block);
    return to;
}

static char repeats[80]; /* how to repeat the seed at work; empty: none is */

static void tell_seed(void)
{
    ssize_t written = write(STDERR_FILENO, repeats, strlen(repeats));

    (void)written;
}

/* What a sanitizer or run.py ends the program with. */
static void on_end(int signal_number)
{
    tell_seed();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void random_failed(const char *file, int line, const char *expectation)
{
    tell_seed();
    check_failed(file, line, expectation, "");
}

void for_each_seed(int count, void (*test)(void))
{
    const char *types = getenv("RANDOM_TYPES"), *first = getenv("RANDOM_TYPES_SEED");
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1;

    signal(SIGABRT, on_end);
    signal(SIGSEGV, on_end);
    signal(SIGTERM, on_end);
    count = types ? atoi(types) : count;
    HOLDS(count > 0);
    for (int i = 0; i < count; i++, seed++) {
        snprintf(repeats, sizeof repeats, "RANDOM_TYPES_SEED=%llu RANDOM_TYPES=1 repeats it\n",
                 (unsigned long long)seed);
        random_start(seed);
        test();
    }
    repeats[0] = 0;
}
