/* ranks: 1 */
/* MPI_Type_get_envelope and _get_contents give back what each constructor took, in both count sizes: from the
 * contents the type is built again and packs the same bytes. Predefined unnamed types; bad arguments. */
#include "check.h"

#include <stdbool.h>

enum {
    MOST = 32
};

/* What MPI_Type_get_contents_c says. */
struct made {
    MPI_Count integers, addresses, larges, datatypes;
    int combiner, i[MOST];
    MPI_Aint a[MOST];
    MPI_Count c[MOST];
    MPI_Datatype d[MOST];
};

static struct made contents(MPI_Datatype type)
{
    struct made m;

    CHECK_EQ(MPI_Type_get_envelope_c(type, &m.integers, &m.addresses, &m.larges, &m.datatypes, &m.combiner),
             MPI_SUCCESS);
    CHECK(m.integers <= MOST && m.addresses <= MOST && m.larges <= MOST && m.datatypes <= MOST);
    CHECK_EQ(
        MPI_Type_get_contents_c(type, m.integers, m.addresses, m.larges, m.datatypes, m.i, m.a, m.c, m.d),
        MPI_SUCCESS);
    return m;
}

static void free_contents(struct made *m)
{
    for (int k = 0; k < m->datatypes; k++) {
        int integers, addresses, datatypes, combiner = MPI_COMBINER_DUP;

        if (MPI_Type_get_envelope(m->d[k], &integers, &addresses, &datatypes, &combiner) ||
            combiner != MPI_COMBINER_NAMED)
            MPI_Type_free(&m->d[k]);
    }
}

static MPI_Datatype rebuild_small(const struct made *m)
{
    const int *i = m->i, n = m->i[0];
    MPI_Datatype t = MPI_DATATYPE_NULL;

    switch (m->combiner) {
    case MPI_COMBINER_DUP:
        MPI_Type_dup(m->d[0], &t);
        break;
    case MPI_COMBINER_CONTIGUOUS:
        MPI_Type_contiguous(n, m->d[0], &t);
        break;
    case MPI_COMBINER_VECTOR:
        MPI_Type_vector(n, i[1], i[2], m->d[0], &t);
        break;
    case MPI_COMBINER_HVECTOR:
        MPI_Type_create_hvector(n, i[1], m->a[0], m->d[0], &t);
        break;
    case MPI_COMBINER_INDEXED:
        MPI_Type_indexed(n, i + 1, i + 1 + n, m->d[0], &t);
        break;
    case MPI_COMBINER_HINDEXED:
        MPI_Type_create_hindexed(n, i + 1, m->a, m->d[0], &t);
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        MPI_Type_create_indexed_block(n, i[1], i + 2, m->d[0], &t);
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        MPI_Type_create_hindexed_block(n, i[1], m->a, m->d[0], &t);
        break;
    case MPI_COMBINER_STRUCT:
        MPI_Type_create_struct(n, i + 1, m->a, m->d, &t);
        break;
    case MPI_COMBINER_SUBARRAY:
        MPI_Type_create_subarray(n, i + 1, i + 1 + n, i + 1 + 2 * n, i[3 * n + 1], m->d[0], &t);
        break;
    case MPI_COMBINER_DARRAY:
        MPI_Type_create_darray(i[0], i[1], i[2], i + 3, i + 3 + i[2], i + 3 + 2 * i[2], i + 3 + 3 * i[2],
                               i[4 * i[2] + 3], m->d[0], &t);
        break;
    case MPI_COMBINER_RESIZED:
        MPI_Type_create_resized(m->d[0], m->a[0], m->a[1], &t);
        break;
    default:
        CHECK(0);
    }
    return t;
}

static MPI_Datatype rebuild_large(const struct made *m)
{
    const MPI_Count *c = m->c, n = m->c[0];
    const int *i = m->i;
    MPI_Datatype t = MPI_DATATYPE_NULL;

    switch (m->combiner) {
    case MPI_COMBINER_CONTIGUOUS:
        MPI_Type_contiguous_c(n, m->d[0], &t);
        break;
    case MPI_COMBINER_VECTOR:
        MPI_Type_vector_c(n, c[1], c[2], m->d[0], &t);
        break;
    case MPI_COMBINER_HVECTOR:
        MPI_Type_create_hvector_c(n, c[1], c[2], m->d[0], &t);
        break;
    case MPI_COMBINER_INDEXED:
        MPI_Type_indexed_c(n, c + 1, c + 1 + n, m->d[0], &t);
        break;
    case MPI_COMBINER_HINDEXED:
        MPI_Type_create_hindexed_c(n, c + 1, c + 1 + n, m->d[0], &t);
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        MPI_Type_create_indexed_block_c(n, c[1], c + 2, m->d[0], &t);
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        MPI_Type_create_hindexed_block_c(n, c[1], c + 2, m->d[0], &t);
        break;
    case MPI_COMBINER_STRUCT:
        MPI_Type_create_struct_c(n, c + 1, c + 1 + n, m->d, &t);
        break;
    case MPI_COMBINER_SUBARRAY:
        MPI_Type_create_subarray_c(i[0], c, c + i[0], c + 2 * i[0], i[1], m->d[0], &t);
        break;
    case MPI_COMBINER_DARRAY:
        MPI_Type_create_darray_c(i[0], i[1], i[2], c, i + 3, i + 3 + i[2], i + 3 + 2 * i[2], i[3 * i[2] + 3],
                                 m->d[0], &t);
        break;
    case MPI_COMBINER_RESIZED:
        MPI_Type_create_resized_c(m->d[0], c[0], c[1], &t);
        break;
    default:
        CHECK(0);
    }
    return t;
}

static void check_equal_types(MPI_Datatype a, MPI_Datatype b)
{
    static unsigned char memory[8192], packed[2][4096];
    MPI_Count size[2], lb[2], extent[2];
    MPI_Datatype both[] = {a, b};

    for (size_t i = 0; i < sizeof memory; i++)
        memory[i] = (unsigned char)(i * 7 + (i >> 8));
    for (int i = 0; i < 2; i++) {
        int position = 0;

        MPI_Type_size_c(both[i], &size[i]);
        MPI_Type_get_extent_c(both[i], &lb[i], &extent[i]);
        MPI_Type_commit(&both[i]);
        CHECK_EQ(MPI_Pack(memory + 1024, 2, both[i], packed[i], sizeof packed[i], &position, MPI_COMM_SELF),
                 MPI_SUCCESS);
        CHECK_EQ(position, 2 * size[i]);
    }
    CHECK_EQ(size[0], size[1]);
    CHECK_EQ(lb[0], lb[1]);
    CHECK_EQ(extent[0], extent[1]);
    CHECK_EQ(memcmp(packed[0], packed[1], 2 * (size_t)size[0]), 0);
}

/* Frees the type. */
static void check_round_trip(MPI_Datatype type, int combiner, bool large, int integers, int addresses,
                             int larges)
{
    struct made m = contents(type);
    MPI_Datatype again = large ? rebuild_large(&m) : rebuild_small(&m);
    int n[3], found;

    CHECK_EQ(m.combiner, combiner);
    CHECK_EQ(m.integers, integers);
    CHECK_EQ(m.addresses, addresses);
    CHECK_EQ(m.larges, larges);
    check_equal_types(type, again);
    CHECK_EQ(class_of(MPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &found)),
             larges ? MPI_ERR_TYPE : MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_Type_get_contents(type, MOST, MOST, 0, m.i, m.a, m.d)),
             larges ? MPI_ERR_TYPE : MPI_ERR_ARG);
    free_contents(&m);
    MPI_Type_free(&again);
    MPI_Type_free(&type);
}

static void small_forms(MPI_Datatype of)
{
    int lengths[] = {2, 0, 1}, displs[] = {4, 0, -1}, order[] = {MPI_ORDER_C, MPI_ORDER_FORTRAN};
    int sizes[] = {3, 4}, subsizes[] = {2, 1}, starts[] = {1, 2}, psizes[] = {2, 1};
    int distribs[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
    int dargs[] = {1, MPI_DISTRIBUTE_DFLT_DARG};
    MPI_Aint bytes[] = {40, 8, -16};
    MPI_Datatype types[] = {MPI_CHAR, of, MPI_SHORT_INT}, t;

    MPI_Type_dup(of, &t);
    check_round_trip(t, MPI_COMBINER_DUP, false, 0, 0, 0);
    MPI_Type_contiguous(3, of, &t);
    check_round_trip(t, MPI_COMBINER_CONTIGUOUS, false, 1, 0, 0);
    MPI_Type_vector(3, 2, -4, of, &t);
    check_round_trip(t, MPI_COMBINER_VECTOR, false, 3, 0, 0);
    MPI_Type_create_hvector(3, 2, 52, of, &t);
    check_round_trip(t, MPI_COMBINER_HVECTOR, false, 2, 1, 0);
    MPI_Type_indexed(3, lengths, displs, of, &t);
    check_round_trip(t, MPI_COMBINER_INDEXED, false, 7, 0, 0);
    MPI_Type_create_hindexed(3, lengths, bytes, of, &t);
    check_round_trip(t, MPI_COMBINER_HINDEXED, false, 4, 3, 0);
    MPI_Type_create_indexed_block(3, 2, displs, of, &t);
    check_round_trip(t, MPI_COMBINER_INDEXED_BLOCK, false, 5, 0, 0);
    MPI_Type_create_hindexed_block(3, 2, bytes, of, &t);
    check_round_trip(t, MPI_COMBINER_HINDEXED_BLOCK, false, 2, 3, 0);
    MPI_Type_create_struct(3, lengths, bytes, types, &t);
    check_round_trip(t, MPI_COMBINER_STRUCT, false, 4, 3, 0);
    MPI_Type_create_resized(of, -8, 48, &t);
    check_round_trip(t, MPI_COMBINER_RESIZED, false, 0, 2, 0);
    for (int i = 0; i < 2; i++) {
        MPI_Type_create_subarray(2, sizes, subsizes, starts, order[i], of, &t);
        check_round_trip(t, MPI_COMBINER_SUBARRAY, false, 8, 0, 0);
        MPI_Type_create_darray(2, 1, 2, sizes, distribs, dargs, psizes, order[i], of, &t);
        check_round_trip(t, MPI_COMBINER_DARRAY, false, 12, 0, 0);
    }
}

static void large_forms(MPI_Datatype of)
{
    MPI_Count lengths[] = {2, 0, 1}, displs[] = {4, 0, -1}, bytes[] = {40, 8, -16};
    MPI_Count sizes[] = {3, 4}, subsizes[] = {2, 1}, starts[] = {1, 2};
    int psizes[] = {2, 1}, distribs[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, dargs[] = {1, 4};
    MPI_Datatype types[] = {MPI_CHAR, of, MPI_SHORT_INT}, t;

    MPI_Type_contiguous_c(3, of, &t);
    check_round_trip(t, MPI_COMBINER_CONTIGUOUS, true, 0, 0, 1);
    MPI_Type_vector_c(3, 2, -4, of, &t);
    check_round_trip(t, MPI_COMBINER_VECTOR, true, 0, 0, 3);
    MPI_Type_create_hvector_c(3, 2, 52, of, &t);
    check_round_trip(t, MPI_COMBINER_HVECTOR, true, 0, 0, 3);
    MPI_Type_indexed_c(3, lengths, displs, of, &t);
    check_round_trip(t, MPI_COMBINER_INDEXED, true, 0, 0, 7);
    MPI_Type_create_hindexed_c(3, lengths, bytes, of, &t);
    check_round_trip(t, MPI_COMBINER_HINDEXED, true, 0, 0, 7);
    MPI_Type_create_indexed_block_c(3, 2, displs, of, &t);
    check_round_trip(t, MPI_COMBINER_INDEXED_BLOCK, true, 0, 0, 5);
    MPI_Type_create_hindexed_block_c(3, 2, bytes, of, &t);
    check_round_trip(t, MPI_COMBINER_HINDEXED_BLOCK, true, 0, 0, 5);
    MPI_Type_create_struct_c(3, lengths, bytes, types, &t);
    check_round_trip(t, MPI_COMBINER_STRUCT, true, 0, 0, 7);
    MPI_Type_create_resized_c(of, -8, 48, &t);
    check_round_trip(t, MPI_COMBINER_RESIZED, true, 0, 0, 2);
    MPI_Type_create_subarray_c(2, sizes, subsizes, starts, MPI_ORDER_C, of, &t);
    check_round_trip(t, MPI_COMBINER_SUBARRAY, true, 2, 0, 6);
    MPI_Type_create_darray_c(2, 0, 2, sizes, distribs, dargs, psizes, MPI_ORDER_C, of, &t);
    check_round_trip(t, MPI_COMBINER_DARRAY, true, 10, 0, 2);
}

static void unnamed_types(void)
{
    static const MPI_Datatype integers[] = {MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8};
    MPI_Datatype a, b, pair;
    struct made m;
    int size;

    CHECK_EQ(MPI_Type_create_f90_real(10, MPI_UNDEFINED, &a), MPI_SUCCESS);
    MPI_Type_create_f90_real(10, MPI_UNDEFINED, &b);
    CHECK_EQ(a, b);
    CHECK(MPI_Type_toint(a) > 4095); /* above those that the ABI reserves */
    CHECK_EQ(MPI_Type_fromint(MPI_Type_toint(a)), a);
    MPI_Type_size(a, &size);
    CHECK_EQ(size, 8);
    m = contents(a);
    CHECK(m.combiner == MPI_COMBINER_F90_REAL && m.integers == 2 && m.i[0] == 10 && m.i[1] == MPI_UNDEFINED);
    CHECK_EQ(class_of(MPI_Type_free(&a)), MPI_ERR_TYPE);
    MPI_Type_create_f90_complex(6, 30, &a);
    MPI_Type_size(a, &size);
    CHECK_EQ(size, 8);
    MPI_Type_create_f90_integer(5, &a);
    MPI_Type_size(a, &size);
    CHECK_EQ(size, 4);
    m = contents(a);
    CHECK(m.combiner == MPI_COMBINER_F90_INTEGER && m.integers == 1 && m.i[0] == 5);
    CHECK_EQ(class_of(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &a)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Type_create_f90_integer(60, &a)), MPI_ERR_ARG);
    MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 16, &a);
    CHECK_EQ(a, MPI_COMPLEX16);
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 4, &a);
    CHECK_EQ(a, MPI_REAL4);
    for (int k = 0; k < 4; k++) {
        MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 1 << k, &a);
        CHECK_EQ(a, integers[k]);
    }
    CHECK_EQ(class_of(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &a)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 3, &a)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 3, &a)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Type_match_size(-1, 4, &a)), MPI_ERR_ARG);
    MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair);
    CHECK_EQ(pair, MPI_DOUBLE_INT);
}

/* Of `size` ints dealt in blocks to `procs` processes, those from `first` on are this one's. */
static void check_block(int size, int procs, int rank, int darg, int first, int count)
{
    int distrib = MPI_DISTRIBUTE_BLOCK, all[16], mine[16], bytes, position = 0;
    MPI_Datatype t;

    for (int i = 0; i < 16; i++)
        all[i] = i;
    CHECK_EQ(MPI_Type_create_darray(procs, rank, 1, &size, &distrib, &darg, &procs, MPI_ORDER_C, MPI_INT, &t),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&t), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_size(t, &bytes), MPI_SUCCESS);
    CHECK_EQ(bytes, count * (int)sizeof(int));
    CHECK_EQ(MPI_Pack(all, 1, t, mine, sizeof mine, &position, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK_EQ(position, bytes);
    CHECK_EQ(memcmp(mine, all + first, (size_t)bytes), 0);
    CHECK_EQ(MPI_Type_free(&t), MPI_SUCCESS);
}

/* Blocks are rounded up, so that the processes cover the array; the last may get less, or nothing. */
static void distributed_blocks(void)
{
    int distrib = MPI_DISTRIBUTE_BLOCK, procs = 3, dflt = MPI_DISTRIBUTE_DFLT_DARG;
    MPI_Datatype t = MPI_DATATYPE_NULL;

    check_block(7, 3, 0, dflt, 0, 3);
    check_block(7, 3, 1, dflt, 3, 3);
    check_block(7, 3, 2, dflt, 6, 1);
    check_block(6, 3, 2, dflt, 4, 2);
    check_block(4, 3, 1, dflt, 2, 2);
    check_block(4, 3, 2, dflt, 0, 0);
    check_block(7, 3, 1, 3, 3, 3);
    check_block(7, 3, 1, 4, 4, 3);
    for (int size = 5; size <= 7; size += 2) /* one block less than what covers it */
        CHECK_EQ(class_of(MPI_Type_create_darray(3, 0, 1, &size, &distrib, &(int){(size - 1) / 3}, &procs,
                                                 MPI_ORDER_C, MPI_INT, &t)),
                 MPI_ERR_ARG);
    CHECK(t == MPI_DATATYPE_NULL);
}

static void bad_arguments(void)
{
    int lengths[] = {1, -1}, displs[] = {0, 1}, sizes[] = {4}, subsizes[] = {3}, starts[] = {2}, one[] = {1};
    int distribs[] = {MPI_DISTRIBUTE_BLOCK}, dargs[] = {1};
    MPI_Aint bytes[] = {0, 8};
    MPI_Datatype types[] = {MPI_INT, MPI_DATATYPE_NULL}, t = MPI_DATATYPE_NULL;

    CHECK_EQ(class_of(MPI_Type_vector(-1, 1, 1, MPI_INT, &t)), MPI_ERR_COUNT);
    CHECK_EQ(class_of(MPI_Type_vector(1, 1, 1, MPI_DATATYPE_NULL, &t)), MPI_ERR_TYPE);
    CHECK_EQ(class_of(MPI_Type_indexed(2, lengths, displs, MPI_INT, &t)), MPI_ERR_COUNT);
    CHECK_EQ(class_of(MPI_Type_indexed(2, NULL, displs, MPI_INT, &t)), MPI_ERR_ARG);
    lengths[1] = 1;
    CHECK_EQ(class_of(MPI_Type_create_struct(2, lengths, bytes, types, &t)), MPI_ERR_TYPE);
    CHECK_EQ(class_of(MPI_Type_create_subarray(1, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &t)),
             MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Type_create_subarray(1, sizes, subsizes, displs, 7, MPI_INT, &t)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Type_create_subarray(0, sizes, subsizes, displs, MPI_ORDER_C, MPI_INT, &t)),
             MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Type_create_darray(2, 0, 1, sizes, distribs, dargs, one, MPI_ORDER_C, MPI_INT, &t)),
             MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Type_create_darray(1, 0, 1, sizes, distribs, dargs, one, MPI_ORDER_C, MPI_INT, &t)),
             MPI_ERR_ARG);
    for (int wrong = -1; wrong < 2; wrong++) {
        int darg = MPI_DISTRIBUTE_DFLT_DARG, rank_of[] = {-1, 0, 1}, psizes[] = {1, 0, 1};
        int code = MPI_Type_create_darray(1, rank_of[wrong + 1], 1, sizes, distribs, &darg,
                                          &psizes[wrong + 1], MPI_ORDER_C, MPI_INT, &t);

        CHECK_CODE(code, MPI_ERR_ARG, wrong ? "rank" : "psizes[0] is 0");
    }
    CHECK_EQ(class_of(MPI_Type_vector_c(3, 1, (MPI_Count)1 << 61, MPI_DOUBLE, &t)), MPI_ERR_COUNT);
    CHECK_EQ(class_of(MPI_Type_contiguous_c((MPI_Count)1 << 62, MPI_DOUBLE, &t)), MPI_ERR_COUNT);
    CHECK_EQ(t, MPI_DATATYPE_NULL);
}

/* A thousand types deep, on the way out, in use and on the way back. */
static void deep(void)
{
    MPI_Datatype t, outer;
    double in[2] = {1, 2}, out = 0;
    int position = 0, one = 1;
    MPI_Aint at = 0;

    MPI_Type_dup(MPI_DOUBLE, &t);
    for (int i = 0; i < 1000; i++) {
        if (i % 3 == 0)
            MPI_Type_contiguous(1, t, &outer);
        else if (i % 3 == 1)
            MPI_Type_create_struct(1, &one, &at, &t, &outer);
        else
            MPI_Type_create_resized(t, 0, 16, &outer);
        MPI_Type_free(&t);
        t = outer;
    }
    MPI_Type_commit(&t);
    CHECK_EQ(MPI_Pack(in, 1, t, &out, sizeof out, &position, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK(out == 1);
    MPI_Type_free(&t);
}

/* An array may be NULL where it takes nothing, and must not where it takes something: each of each kind of type. */
static void null_arrays(MPI_Datatype type)
{
    int integers[MOST], combiner;
    MPI_Aint addresses[MOST];
    MPI_Count larges[MOST], count[4];
    MPI_Datatype types[MOST];

    CHECK_EQ(MPI_Type_get_envelope_c(type, &count[0], &count[1], &count[2], &count[3], &combiner),
             MPI_SUCCESS);
    for (int none = 0; none < 4; none++) {
        int code = MPI_Type_get_contents_c(type, MOST, MOST, MOST, MOST, none == 0 ? NULL : integers,
                                           none == 1 ? NULL : addresses, none == 2 ? NULL : larges,
                                           none == 3 ? NULL : types);

        CHECK_EQ(class_of(code), count[none] ? MPI_ERR_ARG : MPI_SUCCESS);
    }
    MPI_Type_free(&type);
}

static void arrays_that_take_nothing(void)
{
    MPI_Datatype type;

    MPI_Type_contiguous(3, MPI_INT, &type);
    null_arrays(type);
    MPI_Type_create_hvector(2, 1, 8, MPI_INT, &type);
    null_arrays(type);
    MPI_Type_contiguous_c(3, MPI_INT, &type);
    null_arrays(type);
    MPI_Type_create_f90_integer(9, &type);
    CHECK_EQ(MPI_Type_get_contents(type, 1, 0, 0, (int[1]){0}, NULL, NULL), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Datatype item;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_vector(2, 1, 2, MPI_INT, &item);
    small_forms(MPI_DOUBLE);
    small_forms(item);
    large_forms(MPI_SHORT);
    large_forms(item);
    MPI_Type_free(&item);
    unnamed_types();
    distributed_blocks();
    bad_arguments();
    arrays_that_take_nothing();
    deep();
    MPI_Finalize();
    return 0;
}
