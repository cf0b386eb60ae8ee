#include "layout.h"

static uint64_t state;

void layout_seed(uint64_t seed)
{
    state = seed * 2862933555777941757u + 3037000493u;
}

int draw(int below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (unsigned)below);
}

/* Etypes */

static void add_leaf(struct etype *e, MPI_Datatype type, int size, int at)
{
    e->leaf[e->leaves++] = (struct leaf){type, size, at, size, at};
    e->bytes += size;
    e->file_bytes += size;
}

static struct etype plain(int which)
{
    static const struct {
        MPI_Datatype type;
        int size;
    } types[] = {{MPI_BYTE, 1},    {MPI_CHAR, 1},   {MPI_INT16_T, 2}, {MPI_INT32_T, 4},
                 {MPI_INT64_T, 8}, {MPI_DOUBLE, 8}, {MPI_FLOAT, 4}};
    struct etype e = {.is_plain = true};

    add_leaf(&e, types[which].type, types[which].size, 0);
    e.type = types[which].type;
    e.extent = e.file_extent = types[which].size;
    return e;
}

/* MPI_LONG has 8 bytes in memory and 4 in external32. */
static struct etype longs(int count)
{
    struct etype e = {.is_plain = true, .is_own = true};

    for (int i = 0; i < count; i++) {
        add_leaf(&e, MPI_LONG, 8, 8 * i);
        e.leaf[i].file_at = 4 * i;
        e.leaf[i].file_size = 4;
    }
    e.file_bytes = e.file_extent = 4 * count;
    e.extent = 8 * count;
    OK(MPI_Type_contiguous(count, MPI_LONG, &e.type));
    return e;
}

/* `count` values, `step` values from one to the next, and a hole at the end. */
static struct etype spread(int count, int step, int hole)
{
    struct etype e = {.is_plain = true, .is_own = true};
    MPI_Datatype inner;

    for (int i = 0; i < count; i++)
        add_leaf(&e, MPI_INT16_T, 2, 2 * step * i);
    e.extent = e.file_extent = 2 * step * (count - 1) + 2 + hole;
    OK(MPI_Type_vector(count, 1, step, MPI_INT16_T, &inner));
    OK(MPI_Type_create_resized(inner, 0, e.extent, &e.type));
    OK(MPI_Type_free(&inner));
    return e;
}

static struct etype mixed(void)
{
    struct etype e = {.is_own = true};
    int lengths[] = {1, 1, 2};
    MPI_Aint places[] = {0, 4 + 4 * draw(2), 20};
    MPI_Datatype types[] = {MPI_INT32_T, MPI_DOUBLE, MPI_BYTE}, inner;

    add_leaf(&e, MPI_INT32_T, 4, 0);
    add_leaf(&e, MPI_DOUBLE, 8, (int)places[1]);
    add_leaf(&e, MPI_BYTE, 1, 20);
    add_leaf(&e, MPI_BYTE, 1, 21);
    e.extent = e.file_extent = 22 + 2 * draw(3);
    OK(MPI_Type_create_struct(3, lengths, places, types, &inner));
    OK(MPI_Type_create_resized(inner, 0, e.extent, &e.type));
    OK(MPI_Type_free(&inner));
    return e;
}

struct etype etype_random(bool is_external)
{
    struct etype e;
    int which = draw(is_external ? 9 : 8);

    if (which < 4)
        e = plain(draw(7));
    else if (which < 6)
        e = spread(1 + draw(3), 1 + draw(2), 2 * draw(3));
    else if (which < 8)
        e = mixed();
    else
        e = longs(1 + draw(2));
    if (e.is_own)
        OK(MPI_Type_commit(&e.type));
    return e;
}

void etype_free(struct etype *e)
{
    if (e->is_own)
        OK(MPI_Type_free(&e->type));
    e->is_own = false;
}

/* Filetypes. Each constructor puts copies of the child where the standard says, and calls MPI. */

static int extent_of(const struct layout *l)
{
    return l->ub - l->lb;
}

static void put(struct layout *l, const struct layout *child, int at)
{
    if (l->n == 0 || at + child->lb < l->lb)
        l->lb = at + child->lb;
    if (l->n == 0 || at + child->ub > l->ub)
        l->ub = at + child->ub;
    l->is_marked = l->is_marked || child->is_marked;
    for (int i = 0; i < child->n; i++)
        l->slot[l->n++] = at + child->slot[i];
}

/* How many copies of the child, `step` of its extents from one to the next, there may be, at most `wanted`. */
static int copies_of(const struct layout *child, int step, int wanted)
{
    int by_slots = SLOTS / child->n, by_reach = (SLOT_LIMIT - child->ub) / (extent_of(child) * step) + 1;
    int most = by_slots < by_reach ? by_slots : by_reach;

    most = most < 1 ? 1 : most;
    return wanted < most ? wanted : most;
}

static struct layout single(const struct etype *e)
{
    struct layout l = {.n = 1, .ub = 1};

    OK(MPI_Type_dup(e->type, &l.type));
    return l;
}

static struct layout contiguous(const struct layout *child)
{
    struct layout l = {0};
    int count = copies_of(child, 1, 1 + draw(9));

    for (int i = 0; i < count; i++)
        put(&l, child, i * extent_of(child));
    OK(MPI_Type_contiguous(count, child->type, &l.type));
    return l;
}

static struct layout vector(const struct layout *child, int unit)
{
    struct layout l = {0};
    int length = copies_of(child, 1, 1 + draw(4)), step = length + draw(5);
    int count = copies_of(child, length + step, 1 + draw(8)) / length;

    count = count < 1 ? 1 : count;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < length; j++)
            put(&l, child, (i * step + j) * extent_of(child));
    if (unit && draw(2))
        OK(MPI_Type_create_hvector(count, length, (MPI_Aint)step * extent_of(child) * unit, child->type,
                                   &l.type));
    else
        OK(MPI_Type_vector(count, length, step, child->type, &l.type));
    return l;
}

static struct layout indexed(const struct layout *child, int unit)
{
    struct layout l = {0};
    int lengths[8], places[8], at = draw(4), count = 1 + draw(8), blocks = 0, left = copies_of(child, 6, 40);
    bool is_regular = draw(2);
    MPI_Aint bytes[8];

    for (; blocks < count && left > 0; blocks++) {
        lengths[blocks] = is_regular && blocks ? lengths[0] : 1 + draw(left < 4 ? left : 4);
        if (lengths[blocks] > left)
            break;
        places[blocks] = at;
        bytes[blocks] = (MPI_Aint)at * extent_of(child) * unit;
        for (int j = 0; j < lengths[blocks]; j++)
            put(&l, child, (at + j) * extent_of(child));
        left -= lengths[blocks];
        at += lengths[blocks] + draw(5);
    }
    if (is_regular && unit && draw(2))
        OK(MPI_Type_create_hindexed_block(blocks, lengths[0], bytes, child->type, &l.type));
    else if (is_regular)
        OK(MPI_Type_create_indexed_block(blocks, lengths[0], places, child->type, &l.type));
    else if (unit && draw(2))
        OK(MPI_Type_create_hindexed(blocks, lengths, bytes, child->type, &l.type));
    else
        OK(MPI_Type_indexed(blocks, lengths, places, child->type, &l.type));
    return l;
}

static struct layout structure(const struct layout *a, const struct layout *b, int unit)
{
    struct layout l = {0};
    int gap = draw(6), lengths[] = {1, 1};
    MPI_Aint bytes[] = {(MPI_Aint)gap * unit, 0};
    MPI_Datatype types[] = {a->type, b->type};

    put(&l, a, gap);
    if (a->n + b->n > SLOTS || l.ub + b->ub + 6 > SLOT_LIMIT) {
        OK(MPI_Type_create_struct(1, lengths, bytes, types, &l.type));
        return l;
    }
    gap = l.ub + draw(6);
    bytes[1] = (MPI_Aint)gap * unit;
    put(&l, b, gap);
    OK(MPI_Type_create_struct(2, lengths, bytes, types, &l.type));
    return l;
}

static struct layout resized(const struct layout *child, int unit)
{
    struct layout l = {.n = 0};

    put(&l, child, 0);
    l.is_marked = true;
    l.lb = 0;
    l.ub = child->slot[child->n - 1] + 1 + (draw(4) ? draw(12) : 500 + draw(1000));
    OK(MPI_Type_create_resized(child->type, 0, (MPI_Aint)l.ub * unit, &l.type));
    return l;
}

/* Arrays: `owns` says whether an element is taken. */
struct grid {
    int dims, order;
    int sizes[3];
    int starts[3], subsizes[3]; /* subarray */
    int distribution[3], block[3], procs[3],
        me[3]; /* darray; block: what the standard makes of the argument */
};

static bool takes(const struct grid *g, bool is_darray, int d, int i)
{
    if (!is_darray)
        return i >= g->starts[d] && i < g->starts[d] + g->subsizes[d];
    return i / g->block[d] % g->procs[d] == g->me[d];
}

static struct layout array(const struct layout *child, const struct grid *g, bool is_darray)
{
    struct layout l = {0};
    int total = 1, index[3];

    for (int d = 0; d < g->dims; d++)
        total *= g->sizes[d];
    for (int i = 0; i < total; i++) {
        bool is_taken = true;
        int rest = i;

        for (int k = 0; k < g->dims; k++) {
            int d = g->order == MPI_ORDER_C ? g->dims - 1 - k : k;

            index[d] = rest % g->sizes[d];
            rest /= g->sizes[d];
            is_taken = is_taken && takes(g, is_darray, d, index[d]);
        }
        if (is_taken)
            put(&l, child, i * extent_of(child));
    }
    l.is_marked = true;
    l.lb = 0;
    l.ub = total * extent_of(child);
    return l;
}

/* Sizes of an array of children that fits. */
static struct grid grid_of(const struct layout *child, int least)
{
    struct grid g = {.dims = 1 + draw(3), .order = draw(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN};
    int left = copies_of(child, 1, 200);

    for (int d = 0; d < g.dims; d++) {
        int most = left < 12 ? left : 12;

        g.sizes[d] = most < least ? 1 : least + draw(most - least + 1);
        left /= g.sizes[d];
    }
    return g;
}

static struct layout subarray(const struct layout *child)
{
    struct grid g = grid_of(child, 1);
    struct layout l;

    for (int d = 0; d < g.dims; d++) {
        g.subsizes[d] = 1 + draw(g.sizes[d]);
        g.starts[d] = draw(g.sizes[d] - g.subsizes[d] + 1);
    }
    l = array(child, &g, false);
    OK(MPI_Type_create_subarray(g.dims, g.sizes, g.subsizes, g.starts, g.order, child->type, &l.type));
    return l;
}

/* Rank's part of an array over all ranks; nothing (n is 0) where the distribution leaves it none. */
static struct layout darray(const struct layout *child, int size, int rank)
{
    struct grid g = grid_of(child, 2);
    int arguments[3], rest = rank;
    struct layout l;

    memset(g.procs, 0, sizeof g.procs);
    OK(MPI_Dims_create(size, g.dims, g.procs));
    for (int d = g.dims - 1; d >= 0; rest /= g.procs[d--])
        g.me[d] = rest % g.procs[d];
    for (int d = 0; d < g.dims; d++) {
        int whole = (g.sizes[d] + g.procs[d] - 1) / g.procs[d];

        g.distribution[d] = g.procs[d] == 1 && draw(2) ? MPI_DISTRIBUTE_NONE
                            : draw(2)                  ? MPI_DISTRIBUTE_BLOCK
                                                       : MPI_DISTRIBUTE_CYCLIC;
        g.block[d] = g.distribution[d] == MPI_DISTRIBUTE_CYCLIC ? 1 + draw(3) : whole;
        arguments[d] = g.distribution[d] == MPI_DISTRIBUTE_CYCLIC ? g.block[d] : MPI_DISTRIBUTE_DFLT_DARG;
    }
    l = array(child, &g, true);
    if (l.n)
        OK(MPI_Type_create_darray(size, rank, g.dims, g.sizes, g.distribution, arguments, g.procs, g.order,
                                  child->type, &l.type));
    return l;
}

static struct layout outer(const struct etype *e, const struct layout *child, int depth, int unit)
{
    struct layout other, l;

    switch (draw(unit ? 8 : 5)) {
    case 0:
        return contiguous(child);
    case 1:
        return vector(child, unit);
    case 2:
        return indexed(child, unit);
    case 3: /* an array begins at 0: children that begin later would lie beyond its end */
        return child->lb ? contiguous(child) : subarray(child);
    case 4:
        if (child->lb)
            return contiguous(child);
        l = darray(child, 2, draw(2));
        return l.n ? l : contiguous(child);
    case 5:
        return resized(child, unit);
    case 6:
        return vector(child, unit);
    default:
        other = layout_random(e, depth - 1);
        l = child->is_marked == other.is_marked ? structure(child, &other, unit) : contiguous(child);
        OK(MPI_Type_free(&other.type));
        return l;
    }
}

struct layout layout_random(const struct etype *e, int depth)
{
    struct layout child = single(e), l;
    int unit = e->extent == e->file_extent ? e->extent : 0; /* 0: no displacements in bytes */

    for (int levels = draw(depth + 1); levels > 0; levels--) {
        l = outer(e, &child, levels, unit);
        OK(MPI_Type_free(&child.type));
        child = l;
    }
    OK(MPI_Type_commit(&child.type));
    return child;
}

void layout_free(struct layout *l)
{
    if (l->n)
        OK(MPI_Type_free(&l->type));
    l->n = 0;
}

/* Parts. All ranks draw the same numbers, so that their parts fit together. */

static struct layout part_of_array(const struct etype *e, int size, int rank)
{
    struct layout child = single(e), l;
    struct grid g = {.dims = 2, .order = draw(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN};
    int procs[2] = {0, 0};

    OK(MPI_Dims_create(size, 2, procs));
    for (int d = 0; d < 2; d++) {
        int width = 1 + draw(6), me = d ? rank % procs[1] : rank / procs[1], ghost = draw(3);

        g.sizes[d] = width * procs[d] + ghost;
        g.starts[d] = me * width;
        g.subsizes[d] = width + (me == procs[d] - 1 ? ghost : 0);
    }
    l = array(&child, &g, false);
    OK(MPI_Type_create_subarray(2, g.sizes, g.subsizes, g.starts, g.order, child.type, &l.type));
    OK(MPI_Type_free(&child.type));
    return l;
}

/* Blocks of a tile, each somebody's or nobody's. */
static struct layout part_of_blocks(const struct etype *e, int size, int rank, int unit)
{
    struct layout child = single(e), l = {0};
    int lengths[64], places[64], mine = 0, at = 0, count = 1 + draw(60);
    MPI_Datatype inner;

    for (int i = 0; i < count; i++) {
        int length = 1 + draw(draw(8) ? 6 : 12), owner = draw(size + 1);

        if (owner == rank) {
            lengths[mine] = length;
            places[mine++] = at;
            for (int j = 0; j < length; j++)
                put(&l, &child, at + j);
        }
        at += length;
    }
    if (l.n) {
        OK(MPI_Type_indexed(mine, lengths, places, child.type, &inner));
        OK(MPI_Type_create_resized(inner, 0, (MPI_Aint)at * unit, &l.type));
        OK(MPI_Type_free(&inner));
        l.lb = 0;
        l.ub = at;
    }
    OK(MPI_Type_free(&child.type));
    return l;
}

static struct layout part_by_turns(const struct etype *e, int size, int rank, int unit, int *begin)
{
    struct layout child = single(e), l = {0};
    int length = 1 + draw(draw(3) ? 20 : 300);
    MPI_Datatype inner;

    for (int i = 0; i < length; i++)
        put(&l, &child, i);
    l.ub = length * size;
    OK(MPI_Type_contiguous(length, child.type, &inner));
    OK(MPI_Type_create_resized(inner, 0, (MPI_Aint)l.ub * unit, &l.type));
    OK(MPI_Type_free(&inner));
    OK(MPI_Type_free(&child.type));
    *begin = rank * length;
    return l;
}

struct layout layout_part(const struct etype *e, int size, int rank, uint64_t seed, int *begin)
{
    int unit = e->extent == e->file_extent ? e->extent : 0;
    uint64_t before = state;
    struct layout child, l;

    layout_seed(seed);
    *begin = 0;
    switch (draw(unit ? 4 : 2)) {
    case 0:
        l = part_of_array(e, size, rank);
        break;
    case 1:
        child = single(e);
        l = darray(&child, size, rank);
        OK(MPI_Type_free(&child.type));
        break;
    case 2:
        l = part_of_blocks(e, size, rank, unit);
        break;
    default:
        l = part_by_turns(e, size, rank, unit, begin);
    }
    state = before;
    if (l.n == 0)
        l = single(e); /* the test's model finds out that it is not this rank's alone */
    OK(MPI_Type_commit(&l.type));
    return l;
}
