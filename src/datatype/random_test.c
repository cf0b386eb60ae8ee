/* Random nested datatypes against a naive reference, which lists every byte of an item: the position in
 * memory of each byte of data in the order of the message, and what value it belongs to. The seed of a
 * failure is printed; RANDOM_TYPES_SEED repeats it, RANDOM_TYPES says how many types to try. */
#include "datatype/datatype.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    BYTES_MAX = 3000, /* of data in one item */
    SPAN_MAX = 1 << 18,
    PARTS_MAX = 5,
    KINDS = 11
};

struct byte {
    int64_t at;
    bool is_first; /* of a value of predefined type */
};

/* A type and what it should be. */
struct subject {
    struct datatype *type;
    int n;
    struct byte *byte;
    bool is_marked;
    int64_t lb, ub; /* of the markers */
    int64_t align;
};

static uint64_t state;
static uint64_t seed; /* of the type at work; 0 when all went well */

static int64_t pick(int64_t low, int64_t high)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int64_t)((state >> 11) % (uint64_t)(high - low + 1));
}

static int64_t lowest(const struct subject *s)
{
    int64_t low = s->n ? s->byte[0].at : 0;

    for (int i = 1; i < s->n; i++)
        low = s->byte[i].at < low ? s->byte[i].at : low;
    return low;
}

static int64_t highest(const struct subject *s)
{
    int64_t high = s->n ? s->byte[0].at + 1 : 0;

    for (int i = 1; i < s->n; i++)
        high = s->byte[i].at + 1 > high ? s->byte[i].at + 1 : high;
    return high;
}

static int64_t lb_of(const struct subject *s)
{
    return s->is_marked ? s->lb : lowest(s);
}

static int64_t extent_of(const struct subject *s)
{
    int64_t extent = highest(s) - lowest(s);

    return s->is_marked ? s->ub - s->lb : (extent + s->align - 1) / s->align * s->align;
}

static struct subject start_subject(void)
{
    return (struct subject){.byte = calloc(BYTES_MAX, sizeof(struct byte)), .align = 1};
}

/* False when it gets too large for the test. */
static bool add(struct subject *to, const struct subject *part, int64_t at)
{
    if (to->n + part->n > BYTES_MAX)
        return false;
    for (int i = 0; i < part->n; i++) {
        to->byte[to->n] = part->byte[i];
        to->byte[to->n++].at += at;
    }
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

static void free_subject(struct subject *s)
{
    free(s->byte);
    if (s->type && !s->type->object.predefined)
        datatype_free(s->type);
}

static struct subject predefined(void)
{
    static const MPI_Datatype choice[] = {MPI_BYTE, MPI_SHORT,      MPI_INT,       MPI_DOUBLE,
                                          MPI_CHAR, MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_C_DOUBLE_COMPLEX,
                                          MPI_INT,  MPI_LONG_DOUBLE};
    static const int first[] = {1, 2, 4, 8, 1, 8, 2, 16, 4, 16}, second_at[] = {0, 0, 0, 0, 0, 8, 4, 0, 0, 0};
    static const int align[] = {1, 2, 4, 8, 1, 8, 4, 8, 4, 16};
    int which = (int)pick(0, 9);
    struct subject s = start_subject();

    s.type = datatype_predefined(choice[which]);
    s.align = align[which];
    for (int i = 0; i < first[which]; i++)
        s.byte[s.n++] = (struct byte){i, i == 0};
    for (int i = 0; i < 4 && second_at[which]; i++)
        s.byte[s.n++] = (struct byte){second_at[which] + i, i == 0};
    return s;
}

static struct subject random_subject(int depth);

/* Arguments of a constructor; the arrays are used by those that take arrays. */
struct arguments {
    int count;
    MPI_Count blocklength, stride;
    MPI_Count lengths[PARTS_MAX], displs[PARTS_MAX];
    int narrow_lengths[PARTS_MAX], narrow_displs[PARTS_MAX];
    bool large;
};

static struct arguments random_arguments(void)
{
    struct arguments a = {.count = (int)pick(0, PARTS_MAX), .blocklength = pick(0, 4), .stride = pick(-6, 8)};

    for (int i = 0; i < PARTS_MAX; i++) {
        a.lengths[i] = pick(0, 3);
        a.displs[i] = pick(0, 3) ? pick(-8, 16) : i ? a.displs[i - 1] + a.lengths[i - 1] : 0;
        a.narrow_lengths[i] = (int)a.lengths[i];
        a.narrow_displs[i] = (int)a.displs[i];
    }
    a.large = pick(0, 1);
    return a;
}

static struct counts lengths_of(const struct arguments *a)
{
    return a->large ? (struct counts){.wide = a->lengths} : (struct counts){.narrow = a->narrow_lengths};
}

static struct counts displs_of(const struct arguments *a)
{
    return a->large ? (struct counts){.wide = a->displs} : (struct counts){.narrow = a->narrow_displs};
}

static bool make_blocks(int kind, struct subject *s, const struct subject *part, const struct arguments *a)
{
    int64_t ex = extent_of(part);
    bool fits = true;

    if (kind == 0) {
        assert_int_equal(datatype_contiguous(a->large, a->count, part->type, &s->type), 0);
        return add_block(s, part, 0, a->count);
    }
    if (kind == 1)
        assert_int_equal(datatype_vector(a->large, a->count, a->blocklength, a->stride, part->type, &s->type),
                         0);
    else if (kind == 2)
        assert_int_equal(
            datatype_hvector(a->large, a->count, a->blocklength, a->stride, part->type, &s->type), 0);
    for (int i = 0; i < a->count && fits; i++)
        fits = add_block(s, part, i * a->stride * (kind == 1 ? ex : 1), a->blocklength);
    return fits;
}

static bool make_indexed(int kind, struct subject *s, const struct subject *part, const struct arguments *a)
{
    int64_t ex = extent_of(part);
    struct counts bytes = {.wide = a->displs};
    bool fits = true;
    int error = 0;

    if (kind == 3)
        error = datatype_indexed(a->large, a->count, lengths_of(a), displs_of(a), part->type, &s->type);
    else if (kind == 4)
        error = datatype_hindexed(a->large, a->count, lengths_of(a), bytes, part->type, &s->type);
    else if (kind == 5)
        error =
            datatype_indexed_block(a->large, a->count, a->blocklength, displs_of(a), part->type, &s->type);
    else
        error = datatype_hindexed_block(a->large, a->count, a->blocklength, bytes, part->type, &s->type);
    assert_int_equal(error, 0);
    for (int i = 0; i < a->count && fits; i++)
        fits =
            add_block(s, part, a->displs[i] * (kind % 2 ? ex : 1), kind > 4 ? a->blocklength : a->lengths[i]);
    return fits;
}

static bool make_struct(int depth, struct subject *s, const struct arguments *a)
{
    struct subject parts[PARTS_MAX];
    struct datatype *types[PARTS_MAX];
    bool fits = true;

    for (int i = 0; i < a->count; i++) {
        parts[i] = random_subject(depth - 1);
        types[i] = parts[i].type;
    }
    assert_int_equal(datatype_struct(a->large, a->count, lengths_of(a), (struct counts){.wide = a->displs},
                                     types, &s->type),
                     0);
    for (int i = 0; i < a->count; i++) {
        fits = fits && add_block(s, &parts[i], a->displs[i], a->lengths[i]);
        free_subject(&parts[i]);
    }
    return fits;
}

/* The items of an array that one process owns, in memory order; owner < 0: those of the box. */
struct grid {
    int ndims, order;
    MPI_Count sizes[3], subsizes[3], starts[3];
    int distribs[3], dargs[3], psizes[3], coords[3];
    bool is_darray;
};

static bool owns(const struct grid *g, int dim, int64_t i)
{
    int64_t block = g->dargs[dim];

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
        int64_t rest = k;
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

static bool make_subarray(struct subject *s, const struct subject *part)
{
    struct grid g = {.ndims = (int)pick(1, 3), .order = pick(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN};

    for (int d = 0; d < g.ndims; d++) {
        g.sizes[d] = pick(1, 5);
        g.subsizes[d] = pick(1, g.sizes[d]);
        g.starts[d] = pick(0, g.sizes[d] - g.subsizes[d]);
    }
    assert_int_equal(datatype_subarray(true, g.ndims, (struct counts){.wide = g.sizes},
                                       (struct counts){.wide = g.subsizes}, (struct counts){.wide = g.starts},
                                       g.order, part->type, &s->type),
                     0);
    return add_owned(s, part, &g);
}

static bool make_darray(struct subject *s, const struct subject *part)
{
    static const int distribs[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    struct grid g = {
        .ndims = (int)pick(1, 3), .order = pick(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, .is_darray = true};
    struct darray a = {.ndims = g.ndims,
                       .size = 1,
                       .gsizes = {.wide = g.sizes},
                       .distribs = g.distribs,
                       .dargs = g.dargs,
                       .psizes = g.psizes,
                       .order = g.order};

    for (int d = 0; d < g.ndims; d++) {
        g.sizes[d] = pick(1, 7);
        g.distribs[d] = distribs[pick(0, 2)];
        g.psizes[d] = g.distribs[d] == MPI_DISTRIBUTE_NONE ? 1 : (int)pick(1, 3);
        g.dargs[d] = MPI_DISTRIBUTE_DFLT_DARG;
        if (g.distribs[d] == MPI_DISTRIBUTE_BLOCK && pick(0, 1))
            g.dargs[d] = (int)((g.sizes[d] + g.psizes[d] - 1) / g.psizes[d] + pick(0, 2));
        if (g.distribs[d] == MPI_DISTRIBUTE_CYCLIC && pick(0, 1))
            g.dargs[d] = (int)pick(1, 3);
        g.coords[d] = (int)pick(0, g.psizes[d] - 1);
        a.size *= g.psizes[d];
        a.rank = a.rank * g.psizes[d] + g.coords[d];
    }
    assert_int_equal(datatype_darray(pick(0, 1), &a, part->type, &s->type), 0);
    return add_owned(s, part, &g);
}

static bool make_resized(struct subject *s, const struct subject *part)
{
    struct subject bare = *part;

    bare.is_marked = false;
    s->lb = pick(-8, 8);
    s->ub = s->lb + pick(0, 3) * pick(0, 24);
    assert_int_equal(datatype_resized(pick(0, 1), part->type, s->lb, s->ub - s->lb, &s->type), 0);
    add(s, &bare, 0);
    s->is_marked = true;
    return true;
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
        fits = make_subarray(s, &part);
    else if (kind == 9)
        fits = make_darray(s, &part);
    else
        fits = make_resized(s, &part);
    free_subject(&part);
    return fits;
}

static struct subject random_subject(int depth)
{
    struct subject s;

    if (depth == 0 || pick(0, 9) == 0)
        return predefined();
    s = start_subject();
    if (make((int)pick(0, KINDS - 1), depth, &s) && highest(&s) - lowest(&s) < SPAN_MAX)
        return s;
    free_subject(&s); /* too large */
    return predefined();
}

static void check_sizes(const struct subject *s)
{
    int elements = 0;

    assert_int_equal(s->type->size, s->n);
    assert_int_equal(s->type->true_lb, lowest(s));
    assert_int_equal(s->type->true_extent, highest(s) - lowest(s));
    assert_int_equal(s->type->lb, lb_of(s));
    assert_int_equal(s->type->extent, extent_of(s));
    for (int i = 0; i < s->n; i++)
        elements += s->byte[i].is_first;
    assert_int_equal(s->type->elements, elements);
}

/* MPI_Get_elements after any number of bytes of two items. */
static void check_elements(const struct subject *s)
{
    int64_t bytes, whole = 0, back;

    for (bytes = 0; bytes <= 2 * s->n; bytes++) {
        bool is_cut = s->n && bytes % s->n && !s->byte[bytes % s->n].is_first;

        assert_int_equal(datatype_elements(s->type, bytes), is_cut ? MPI_UNDEFINED : whole);
        if (!is_cut) {
            assert_int_equal(datatype_element_bytes(s->type, whole, &back), 0);
            assert_int_equal(back, bytes);
        }
        whole += s->n && s->byte[bytes % s->n].is_first;
    }
}

/* Packs and unpacks [from, to) of `count` items. */
static void check_moves(const struct subject *s, int count)
{
    int64_t first = lowest(s), span = highest(s) - first, ex = extent_of(s), last = (count - 1) * ex, total,
            from, n;
    unsigned char *memory, *packed, *copy;

    if (last < 0) {
        first += last;
        span -= last;
    } else {
        span += last;
    }
    if (s->n == 0 || span > SPAN_MAX)
        return;
    total = (int64_t)count * s->n;
    memory = malloc((size_t)span);
    copy = malloc((size_t)span);
    from = pick(0, 2) ? pick(0, total) : 0;
    n = pick(0, 2) ? pick(0, total - from) : total - from;
    packed = malloc((size_t)n + 1);
    for (int64_t i = 0; i < span; i++)
        memory[i] = (unsigned char)pick(0, 255);
    datatype_pack(s->type, memory - first, (size_t)from, packed, (size_t)n);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = from + i;

        assert_int_equal(packed[i], memory[s->byte[k % s->n].at + k / s->n * ex - first]);
    }
    memset(copy, 0x55, (size_t)span);
    memset(memory, 0x55, (size_t)span);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = from + i, at = s->byte[k % s->n].at + k / s->n * ex - first;

        packed[i] = (unsigned char)(at * 31 + 7); /* the same where the type overlaps itself */
        copy[at] = packed[i];
    }
    datatype_unpack(s->type, memory - first, (size_t)from, packed, (size_t)n);
    assert_memory_equal(memory, copy, (size_t)span);
    free(memory);
    free(copy);
    free(packed);
}

static void check_dense(const struct subject *s)
{
    bool dense = s->n == 0 || extent_of(s) == s->n;

    for (int i = 0; i < s->n; i++)
        dense = dense && s->byte[i].at == i;
    assert_int_equal(s->type->dense, dense);
}

static void random_types(void **unused)
{
    const char *types = getenv("RANDOM_TYPES"), *first = getenv("RANDOM_TYPES_SEED");
    int count = first ? 1 : types ? atoi(types) : 3000;

    (void)unused;
    seed = first ? strtoull(first, NULL, 10) : 1;
    for (int i = 0; i < count; i++, seed++) {
        struct subject s;

        state = seed * 0x9e3779b97f4a7c15u + 1;
        s = random_subject((int)pick(1, 4));
        check_sizes(&s);
        check_dense(&s);
        check_elements(&s);
        for (int k = 0; k < 4; k++)
            check_moves(&s, (int)pick(1, 4));
        free_subject(&s);
    }
    assert_int_equal(pool_live(&datatype_pool), 0);
    seed = 0;
}

static int tell_seed(void **unused)
{
    (void)unused;
    if (seed)
        print_message("RANDOM_TYPES_SEED=%llu repeats it\n", (unsigned long long)seed);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(random_types, tell_seed)};

    datatype_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
