/* ranks: 1 2 3 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* MPI_Type_get_value_index (MPI-5.0, 6.9.4): each value type of MPI_MIN and MPI_MAX with each integer type as index has a
 * predefined pair, laid out as a C struct of the two. Reductions and accumulates by MPI_MINLOC and MPI_MAXLOC, external32. */
#include "win.h"

enum {
    ITEMS = 5,
    RANKS = 3,
    MOST = 48 /* bytes of a pair */
};

struct part {
    MPI_Datatype type;
    char kind; /* i: integer; h f d l q: half, float, double, long double, quad */
};

static const struct part parts[] = {
    {MPI_SIGNED_CHAR, 'i'},
    {MPI_UNSIGNED_CHAR, 'i'},
    {MPI_SHORT, 'i'},
    {MPI_UNSIGNED_SHORT, 'i'},
    {MPI_INT, 'i'},
    {MPI_UNSIGNED, 'i'},
    {MPI_LONG, 'i'},
    {MPI_UNSIGNED_LONG, 'i'},
    {MPI_LONG_LONG, 'i'},
    {MPI_INT8_T, 'i'},
    {MPI_INT16_T, 'i'},
    {MPI_INT32_T, 'i'},
    {MPI_INT64_T, 'i'},
    {MPI_UINT8_T, 'i'},
    {MPI_UINT16_T, 'i'},
    {MPI_UINT32_T, 'i'},
    {MPI_UINT64_T, 'i'},
    {MPI_INTEGER, 'i'},
    {MPI_INTEGER1, 'i'},
    {MPI_INTEGER2, 'i'},
    {MPI_INTEGER4, 'i'},
    {MPI_INTEGER8, 'i'},
    {MPI_AINT, 'i'},
    {MPI_OFFSET, 'i'},
    {MPI_COUNT, 'i'},
#ifdef __SIZEOF_INT128__
    {MPI_INTEGER16, 'i'},
#endif
#ifdef __FLT16_MANT_DIG__
    {MPI_REAL2, 'h'},
#endif
#ifdef __SIZEOF_FLOAT128__
    {MPI_REAL16, 'q'},
#endif
    {MPI_FLOAT, 'f'},
    {MPI_DOUBLE, 'd'},
    {MPI_LONG_DOUBLE, 'l'},
    {MPI_REAL, 'f'},
    {MPI_DOUBLE_PRECISION, 'd'},
    {MPI_REAL4, 'f'},
    {MPI_REAL8, 'd'},
};
enum {
    PARTS = sizeof parts / sizeof parts[0]
};

/* A small number in any of these. */
static void put_number(const struct part *p, void *at, int number)
{
    int bytes;

    OK(MPI_Type_size(p->type, &bytes));
    if (p->kind == 'i') {
        long long wide[2] = {number, 0};

        memcpy(at, wide, (size_t)bytes);
#ifdef __FLT16_MANT_DIG__
    } else if (p->kind == 'h') {
        memcpy(at, &(_Float16){(_Float16)number}, 2);
#endif
#ifdef __SIZEOF_FLOAT128__
    } else if (p->kind == 'q') {
        memcpy(at, &(__float128){number}, 16);
#endif
    } else if (p->kind == 'f') {
        memcpy(at, &(float){(float)number}, 4);
    } else if (p->kind == 'd') {
        memcpy(at, &(double){number}, 8);
    } else {
        memcpy(at, &(long double){number}, sizeof(long double));
    }
}

struct pair {
    const struct part *value, *index;
    MPI_Datatype type;
    MPI_Aint extent;
    int index_at, value_bytes, index_bytes;
};

/* Bytes that no number uses, in a long double for one, are zero. */
static void put_pair(const struct pair *p, unsigned char *at, int value, int index)
{
    memset(at, 0, (size_t)p->extent);
    put_number(p->value, at, value);
    put_number(p->index, at + p->index_at, index);
}

static int is_pair(const struct pair *p, const unsigned char *at, int value, int index)
{
    unsigned char want[MOST];
    int bytes = p->value->kind == 'l' && __LDBL_MANT_DIG__ == 64 ? 10 : p->value_bytes;

    put_pair(p, want, value, index);
    return memcmp(at, want, (size_t)bytes) == 0 &&
           memcmp(at + p->index_at, want + p->index_at, (size_t)p->index_bytes) == 0;
}

/* The layout is that of the struct type, which rounds its extent up likewise. */
static void learn(struct pair *p)
{
    int shift = 0, bytes;
    MPI_Aint lb, extent;
    MPI_Datatype like;

    OK(MPI_Type_size(p->value->type, &p->value_bytes));
    OK(MPI_Type_size(p->index->type, &p->index_bytes));
    while ((p->value_bytes + shift) % p->index_bytes)
        shift++;
    p->index_at = p->value_bytes + shift;
    OK(MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, p->index_at},
                              (MPI_Datatype[]){p->value->type, p->index->type}, &like));
    OK(MPI_Type_get_extent(like, &lb, &extent));
    OK(MPI_Type_get_extent(p->type, &lb, &p->extent));
    CHECK(lb == 0 && p->extent == extent && extent <= MOST);
    OK(MPI_Type_size(p->type, &bytes));
    CHECK_EQ(bytes, p->value_bytes + p->index_bytes);
    OK(MPI_Type_free(&like));
}

static void is_predefined(const struct pair *p)
{
    int integers, addresses, types, combiner, length;
    MPI_Datatype again, of[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}, freed = p->type;
    char name[MPI_MAX_OBJECT_NAME];

    OK(MPI_Type_get_value_index(p->value->type, p->index->type, &again));
    CHECK(again == p->type);
    CHECK_EQ(class_of(MPI_Type_free(&freed)), MPI_ERR_TYPE);
    CHECK(freed == p->type);
    OK(MPI_Type_get_envelope(p->type, &integers, &addresses, &types, &combiner));
    if (combiner == MPI_COMBINER_NAMED) {
        OK(MPI_Type_get_name(p->type, name, &length));
        CHECK(length > 0);
        return;
    }
    CHECK(combiner == MPI_COMBINER_VALUE_INDEX && integers == 0 && addresses == 0 && types == 2);
    OK(MPI_Type_get_contents(p->type, 0, 0, 2, NULL, NULL, of));
    CHECK(of[0] == p->value->type && of[1] == p->index->type);
}

/* What a rank has in item i: equal values, so that indices decide, and others. */
static int value_of(int of, int i)
{
    return (2 * of + i) % 3;
}

static int index_of(int of, int i)
{
    return 20 + (of + i) % 3;
}

static void fill_pairs(const struct pair *p, unsigned char *at, int of)
{
    for (int i = 0; i < ITEMS; i++)
        put_pair(p, at + i * p->extent, value_of(of, i), index_of(of, i));
}

/* Whether item i is the extreme one of the first ranks. */
static int is_extreme(const struct pair *p, const unsigned char *at, int i, int ranks, int is_max)
{
    int value = value_of(0, i), index = index_of(0, i);

    for (int r = 1; r < ranks; r++) {
        int v = value_of(r, i), k = index_of(r, i);

        if ((is_max ? v > value : v < value) || (v == value && k < index))
            value = v, index = k;
    }
    return is_pair(p, at + i * p->extent, value, index);
}

static void reductions(const struct pair *p)
{
    unsigned char in[ITEMS * MOST], out[ITEMS * MOST], wide[RANKS * ITEMS * MOST];
    int items[RANKS];

    for (int r = 0; r < size; r++)
        items[r] = ITEMS;
    for (int is_max = 0; is_max < 2; is_max++) {
        MPI_Op op = is_max ? MPI_MAXLOC : MPI_MINLOC;

        fill_pairs(p, in, rank);
        OK(MPI_Allreduce(in, out, ITEMS, p->type, op, MPI_COMM_WORLD));
        for (int i = 0; i < ITEMS; i++)
            CHECK(is_extreme(p, out, i, size, is_max));
        OK(MPI_Scan(in, out, ITEMS, p->type, op, MPI_COMM_WORLD));
        for (int i = 0; i < ITEMS; i++)
            CHECK(is_extreme(p, out, i, rank + 1, is_max));
        OK(MPI_Exscan(in, out, ITEMS, p->type, op, MPI_COMM_WORLD));
        for (int i = 0; i < ITEMS && rank; i++)
            CHECK(is_extreme(p, out, i, rank, is_max));
        for (int r = 0; r < size; r++)
            fill_pairs(p, wide + r * ITEMS * p->extent, rank);
        OK(MPI_Reduce_scatter_block(wide, out, ITEMS, p->type, op, MPI_COMM_WORLD));
        for (int i = 0; i < ITEMS; i++)
            CHECK(is_extreme(p, out, i, size, is_max));
        OK(MPI_Reduce_scatter(wide, out, items, p->type, op, MPI_COMM_WORLD));
        for (int i = 0; i < ITEMS; i++)
            CHECK(is_extreme(p, out, i, size, is_max));
        fill_pairs(p, out, (rank + 1) % size);
        OK(MPI_Reduce_local(in, out, ITEMS, p->type, op));
        OK(MPI_Reduce(in, out, ITEMS, p->type, op, size - 1, MPI_COMM_WORLD));
        for (int i = 0; i < ITEMS && rank == size - 1; i++)
            CHECK(is_extreme(p, out, i, size, is_max));
    }
    CHECK_EQ(class_of(MPI_Reduce_local(in, out, 1, p->type, MPI_SUM)), MPI_ERR_OP);
}

/* Runs a nonblocking collective once, a persistent one twice, and says of how many ranks the items must be extreme. */
static void finishes(const struct pair *p, MPI_Request *r, int is_persistent, const unsigned char *out,
                     int ranks)
{
    for (int round = 0; round <= is_persistent; round++) {
        if (is_persistent)
            OK(MPI_Start(r));
        OK(MPI_Wait(r, MPI_STATUS_IGNORE));
        for (int i = 0; i < ITEMS && ranks; i++)
            CHECK(is_extreme(p, out, i, ranks, 1));
    }
    if (is_persistent)
        OK(MPI_Request_free(r));
}

static void other_forms(const struct pair *p)
{
    unsigned char in[ITEMS * MOST], out[ITEMS * MOST], wide[RANKS * ITEMS * MOST];
    int items[RANKS], root = size - 1;
    MPI_Request r;

    fill_pairs(p, in, rank);
    for (int i = 0; i < size; i++) {
        items[i] = ITEMS;
        fill_pairs(p, wide + i * ITEMS * p->extent, rank);
    }
    OK(MPI_Iallreduce(in, out, ITEMS, p->type, MPI_MAXLOC, MPI_COMM_WORLD, &r));
    finishes(p, &r, 0, out, size);
    OK(MPI_Allreduce_init(in, out, ITEMS, p->type, MPI_MAXLOC, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
    finishes(p, &r, 1, out, size);
    OK(MPI_Ireduce(in, out, ITEMS, p->type, MPI_MAXLOC, root, MPI_COMM_WORLD, &r));
    finishes(p, &r, 0, out, rank == root ? size : 0);
    OK(MPI_Reduce_init(in, out, ITEMS, p->type, MPI_MAXLOC, root, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
    finishes(p, &r, 1, out, rank == root ? size : 0);
    OK(MPI_Iscan(in, out, ITEMS, p->type, MPI_MAXLOC, MPI_COMM_WORLD, &r));
    finishes(p, &r, 0, out, rank + 1);
    OK(MPI_Scan_init(in, out, ITEMS, p->type, MPI_MAXLOC, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
    finishes(p, &r, 1, out, rank + 1);
    OK(MPI_Iexscan(in, out, ITEMS, p->type, MPI_MAXLOC, MPI_COMM_WORLD, &r));
    finishes(p, &r, 0, out, rank);
    OK(MPI_Exscan_init(in, out, ITEMS, p->type, MPI_MAXLOC, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
    finishes(p, &r, 1, out, rank);
    OK(MPI_Ireduce_scatter(wide, out, items, p->type, MPI_MAXLOC, MPI_COMM_WORLD, &r));
    finishes(p, &r, 0, out, size);
    OK(MPI_Reduce_scatter_init(wide, out, items, p->type, MPI_MAXLOC, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
    finishes(p, &r, 1, out, size);
    OK(MPI_Ireduce_scatter_block(wide, out, ITEMS, p->type, MPI_MAXLOC, MPI_COMM_WORLD, &r));
    finishes(p, &r, 0, out, size);
    OK(MPI_Reduce_scatter_block_init(wide, out, ITEMS, p->type, MPI_MAXLOC, MPI_COMM_WORLD, MPI_INFO_NULL,
                                     &r));
    finishes(p, &r, 1, out, size);
}

static void large_reduction(const struct pair *p)
{
    enum {
        MANY = 30000
    };
    unsigned char *in = malloc(2 * MANY * (size_t)p->extent), *out = in + MANY * (size_t)p->extent;
    MPI_Request r;

    for (int i = 0; i < MANY; i++)
        put_pair(p, in + i * p->extent, value_of(rank, i), index_of(rank, i));
    OK(MPI_Iallreduce(in, out, MANY, p->type, MPI_MINLOC, MPI_COMM_WORLD, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    for (int i = 0; i < MANY; i += 7)
        CHECK(is_extreme(p, out, i, size, 0));
    free(in);
}

static void external(const struct pair *p)
{
    unsigned char in[ITEMS * MOST], out[ITEMS * MOST] = {0}, packed[ITEMS * MOST];
    MPI_Aint bytes, value, index, at = 0;

    fill_pairs(p, in, rank);
    OK(MPI_Pack_external_size("external32", ITEMS, p->type, &bytes));
    OK(MPI_Pack_external_size("external32", ITEMS, p->value->type, &value));
    OK(MPI_Pack_external_size("external32", ITEMS, p->index->type, &index));
    CHECK_EQ(bytes, value + index);
    OK(MPI_Pack_external("external32", in, ITEMS, p->type, packed, sizeof packed, &at));
    CHECK_EQ(at, bytes);
    at = 0;
    OK(MPI_Unpack_external("external32", packed, bytes, &at, out, ITEMS, p->type));
    for (int i = 0; i < ITEMS; i++)
        CHECK(is_pair(p, out + i * p->extent, value_of(rank, i), index_of(rank, i)));
}

/* All ranks combine with rank 0's memory: the first items, every other one of those behind, and one between these. */
static void accumulates(const struct pair *p, const struct window *w, MPI_Datatype spread)
{
    unsigned char in[ITEMS * MOST], old[ITEMS * MOST];
    MPI_Aint behind = ITEMS * p->extent;

    for (int i = 0; i < ITEMS; i++) {
        put_pair(p, w->base + i * p->extent, value_of(0, i), index_of(0, i));
        put_pair(p, w->base + behind + 2 * i * p->extent, value_of(0, i), index_of(0, i));
    }
    put_pair(p, w->base + behind + p->extent, 9, 9);
    fill_pairs(p, in, rank);
    OK(MPI_Win_fence(0, w->win));
    OK(MPI_Accumulate(in, ITEMS, p->type, 0, window_at(w, 0, 0), ITEMS, p->type, MPI_MINLOC, w->win));
    OK(MPI_Get_accumulate(in, ITEMS, p->type, old, ITEMS, p->type, 0, window_at(w, 0, behind), 1, spread,
                          MPI_MAXLOC, w->win));
    OK(MPI_Win_fence(0, w->win));
    OK(MPI_Fetch_and_op(in, old, p->type, 0, window_at(w, 0, behind + p->extent), MPI_MAXLOC, w->win));
    OK(MPI_Win_fence(0, w->win));
    CHECK(is_pair(p, old, 9, 9));
    CHECK(rank || is_pair(p, w->base + behind + p->extent, 9, 9));
    for (int i = 0; i < ITEMS && rank == 0; i++) {
        CHECK(is_extreme(p, w->base, i, size, 0));
        CHECK(is_extreme(p, w->base + behind + i * p->extent, i, size, 1)); /* that is item 2 * i there */
    }
    OK(MPI_Win_fence(0, w->win));
}

static void in_windows(const struct pair *p)
{
    struct window w;
    MPI_Datatype spread;

    OK(MPI_Type_vector(ITEMS, 1, 2, p->type, &spread));
    OK(MPI_Type_commit(&spread));
    for (enum way way = 0; way < WAYS; way++) {
        if (!window_open(&w, way, 3 * ITEMS * p->extent, 1, MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        accumulates(p, &w, spread);
        window_close(&w);
    }
    OK(MPI_Type_free(&spread));
}

/* No pair: types that MPI_MIN does not take, indices that are no integers, and what is derived. */
static void are_none(void)
{
    static const MPI_Datatype none[] = {MPI_CHAR,    MPI_BYTE, MPI_C_BOOL, MPI_LOGICAL,
                                        MPI_COMPLEX, MPI_2INT, MPI_PACKED};
    MPI_Datatype pair, dup;

    OK(MPI_Type_dup(MPI_INT, &dup));
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        OK(MPI_Type_get_value_index(none[i], MPI_INT, &pair));
        CHECK(pair == MPI_DATATYPE_NULL);
        OK(MPI_Type_get_value_index(MPI_DOUBLE, none[i], &pair));
        CHECK(pair == MPI_DATATYPE_NULL);
    }
    OK(MPI_Type_get_value_index(MPI_INT, MPI_DOUBLE, &pair));
    CHECK(pair == MPI_DATATYPE_NULL);
    OK(MPI_Type_get_value_index(dup, MPI_INT, &pair));
    CHECK(pair == MPI_DATATYPE_NULL);
    OK(MPI_Type_get_value_index(MPI_REAL, MPI_REAL, &pair));
    CHECK(pair == MPI_2REAL);
    OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair));
    CHECK(pair == MPI_DOUBLE_INT);
    OK(MPI_Type_free(&dup));
}

/* The same pair in a session, before, beside and after the World Model. */
static MPI_Datatype in_a_session(void)
{
    MPI_Session session;
    MPI_Datatype pair;

    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Type_get_value_index(MPI_FLOAT, MPI_INT64_T, &pair));
    CHECK(pair != MPI_DATATYPE_NULL);
    OK(MPI_Session_finalize(&session));
    return pair;
}

int main(int argc, char **argv)
{
    MPI_Datatype before = in_a_session();

    set_up(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    are_none();
    CHECK(in_a_session() == before);
    for (int v = 0; v < PARTS; v++)
        for (int k = 0; k < PARTS; k++) {
            struct pair p = {.value = &parts[v], .index = &parts[k]};

            if (parts[k].kind != 'i')
                continue;
            OK(MPI_Type_get_value_index(parts[v].type, parts[k].type, &p.type));
            CHECK(p.type != MPI_DATATYPE_NULL);
            learn(&p);
            is_predefined(&p);
            external(&p);
            if ((v + k) % 4 == 0)
                reductions(&p);
            if ((v + k) % 8 == 3)
                other_forms(&p);
            if ((v + k) % 31 == 0)
                in_windows(&p);
            if ((v + k) % 60 == 40)
                large_reduction(&p);
        }
    MPI_Finalize();
    CHECK(in_a_session() == before);
    return 0;
}
