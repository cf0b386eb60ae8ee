#include "op/op.h"

#include "plain/fail.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int start(void **state)
{
    (void)state;
    datatype_init();
    op_init();
    return 0;
}

/* MPI-5.0 section 6.9.2, by name; every other predefined type is in no group. MPI_CHAR, and truth values of
 * multi-language types, are from docs/TOLERANCES.md. */
static const MPI_Datatype c_integers[] = {
    MPI_INT,           MPI_LONG,      MPI_SHORT,         MPI_UNSIGNED_SHORT, MPI_UNSIGNED,
    MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_LONG_LONG_INT, MPI_UINT64_T,       MPI_UNSIGNED_LONG_LONG,
    MPI_SIGNED_CHAR,   MPI_INT8_T,    MPI_INT16_T,       MPI_INT32_T,        MPI_INT64_T,
    MPI_UINT8_T,       MPI_UINT16_T,  MPI_UINT32_T,      MPI_UNSIGNED_CHAR};
static const MPI_Datatype fortran_integers[] = {MPI_INTEGER,  MPI_INTEGER1, MPI_INTEGER2,
                                                MPI_INTEGER4, MPI_INTEGER8, MPI_INTEGER16};
static const MPI_Datatype floating[] = {MPI_FLOAT,       MPI_DOUBLE, MPI_REAL,  MPI_DOUBLE_PRECISION,
                                        MPI_LONG_DOUBLE, MPI_REAL2,  MPI_REAL4, MPI_REAL8,
                                        MPI_REAL16};
static const MPI_Datatype logical[] = {MPI_LOGICAL,  MPI_C_BOOL,   MPI_CXX_BOOL, MPI_LOGICAL1,
                                       MPI_LOGICAL2, MPI_LOGICAL4, MPI_LOGICAL8, MPI_LOGICAL16};
static const MPI_Datatype complex_types[] = {MPI_COMPLEX,
                                             MPI_C_COMPLEX,
                                             MPI_C_FLOAT_COMPLEX,
                                             MPI_C_DOUBLE_COMPLEX,
                                             MPI_C_LONG_DOUBLE_COMPLEX,
                                             MPI_CXX_FLOAT_COMPLEX,
                                             MPI_CXX_DOUBLE_COMPLEX,
                                             MPI_CXX_LONG_DOUBLE_COMPLEX,
                                             MPI_DOUBLE_COMPLEX,
                                             MPI_COMPLEX4,
                                             MPI_COMPLEX8,
                                             MPI_COMPLEX16,
                                             MPI_COMPLEX32};
static const MPI_Datatype bytes[] = {MPI_BYTE};
static const MPI_Datatype characters[] = {MPI_CHAR};
static const MPI_Datatype multi_language[] = {MPI_AINT, MPI_OFFSET, MPI_COUNT};
static const MPI_Datatype pairs[] = {MPI_FLOAT_INT, MPI_DOUBLE_INT,        MPI_LONG_INT,
                                     MPI_2INT,      MPI_SHORT_INT,         MPI_LONG_DOUBLE_INT,
                                     MPI_2REAL,     MPI_2DOUBLE_PRECISION, MPI_2INTEGER};

static const struct {
    const MPI_Datatype *types;
    size_t count;
    const char *ops; /* the letters below of the operations that are allowed */
} groups[] = {
    {c_integers, sizeof c_integers / sizeof c_integers[0], "+*<>&|^ANX"},
    {fortran_integers, sizeof fortran_integers / sizeof fortran_integers[0], "+*<>&|^"},
    {floating, sizeof floating / sizeof floating[0], "+*<>"},
    {logical, sizeof logical / sizeof logical[0], "ANX"},
    {complex_types, sizeof complex_types / sizeof complex_types[0], "+*"},
    {bytes, 1, "&|^"},
    {multi_language, sizeof multi_language / sizeof multi_language[0], "+*<>&|^ANX"},
    {characters, 1, "+*<>&|^ANX"},
    {pairs, sizeof pairs / sizeof pairs[0], "lL"},
};
static const char letters[OP_PREDEFINED_COUNT + 1] = "+*<>&|^ANXlLR0";

static const char *allowed_ops(MPI_Datatype type)
{
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
        for (size_t i = 0; i < groups[g].count; i++)
            if (groups[g].types[i] == type)
                return groups[g].ops;
    return "";
}

static void the_table_decides(void **state)
{
    (void)state;
    for (int value = 513; value < 1024; value++) {
        struct datatype *t = (struct datatype *)(void *)object_predefined[value];

        for (int code = 0; t && code < OP_PREDEFINED_COUNT; code++) {
            bool allowed = strchr(allowed_ops((MPI_Datatype)(uintptr_t)value), letters[code]) != NULL;

            assert_int_equal(op_check(&op_predefined[code], t), allowed && t->supported ? 0 : MPI_ERR_OP);
        }
    }
}

static int64_t get(enum representation rep, const void *at)
{
    switch (rep) {
    case REP_I8:
        return *(const int8_t *)at;
    case REP_I16:
        return *(const int16_t *)at;
    case REP_I32:
        return *(const int32_t *)at;
    case REP_U8:
        return *(const uint8_t *)at;
    case REP_U16:
        return *(const uint16_t *)at;
    case REP_U32:
        return *(const uint32_t *)at;
    case REP_I64:
    case REP_U64:
        return *(const int64_t *)at;
    case REP_I128:
    case REP_U128:
        return (int64_t) * (const __int128 *)at;
#ifdef __FLT16_MANT_DIG__
    case REP_F16:
        return (int64_t)(float)*(const _Float16 *)at;
#endif
    case REP_F32:
        return (int64_t) * (const float *)at;
    case REP_F64:
        return (int64_t) * (const double *)at;
    case REP_LONG_DOUBLE:
        return (int64_t) * (const long double *)at;
#ifdef __SIZEOF_FLOAT128__
    case REP_F128:
        return (int64_t) * (const __float128 *)at;
#endif
    default:
        fail_msg("not a plain number: %d", rep);
        return 0;
    }
}

static void put(enum representation rep, void *at, int64_t value)
{
    switch (rep) {
#ifdef __FLT16_MANT_DIG__
    case REP_F16:
        *(_Float16 *)at = (_Float16)value;
        break;
#endif
    case REP_F32:
        *(float *)at = (float)value;
        break;
    case REP_F64:
        *(double *)at = (double)value;
        break;
    case REP_LONG_DOUBLE:
        *(long double *)at = (long double)value;
        break;
#ifdef __SIZEOF_FLOAT128__
    case REP_F128:
        *(__float128 *)at = value;
        break;
#endif
    case REP_I128:
    case REP_U128:
        *(__int128 *)at = value;
        break;
    default: /* integers of a little-endian machine */
        memcpy(at, &value,
               rep == REP_I8 || rep == REP_U8     ? 1
               : rep == REP_I16 || rep == REP_U16 ? 2
               : rep == REP_I32 || rep == REP_U32 ? 4
                                                  : 8);
    }
}

static int64_t expect(enum op_code code, int64_t a, int64_t b)
{
    switch (code) {
    case OP_SUM:
        return a + b;
    case OP_PROD:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case OP_MIN:
        return a < b ? a : b;
    case OP_MAX:
        return a > b ? a : b;
    case OP_BAND:
        return a & b;
    case OP_BOR:
        return a | b;
    case OP_BXOR:
        return a ^ b;
    case OP_LAND:
        return a && b;
    case OP_LOR:
        return a || b;
    default:
        return !a != !b;
    }
}

enum {
    LENGTH = 37 /* odd, so that vector loops have a remainder */
};

/* One operation on one type, on values from both ends of the range that the type holds exactly. */
static void compare_kernel(enum op_code code, struct datatype *t)
{
    _Alignas(32) char in[LENGTH * 16], inout[LENGTH * 16];
    char one[16];

    for (int i = 0; i < LENGTH; i++) {
        put(t->representation, in + i * t->extent, i % 7 - 3);
        put(t->representation, inout + i * t->extent, i % 5 - 2);
    }
    op_apply(&op_predefined[code], in, inout, LENGTH, t);
    for (int i = 0; i < LENGTH; i++) {
        int64_t a, b;

        put(t->representation, one, i % 7 - 3); /* the value that the type gives for a negative number */
        a = get(t->representation, one);
        put(t->representation, one, i % 5 - 2);
        b = get(t->representation, one);
        if (t->representation == REP_U64 && (code == OP_MIN || code == OP_MAX)) {
            bool below = (uint64_t)a < (uint64_t)b;

            put(t->representation, one, below == (code == OP_MIN) ? a : b);
        } else {
            put(t->representation, one, expect(code, a, b));
        }
        assert_int_equal(get(t->representation, inout + i * t->extent), get(t->representation, one));
    }
}

static void every_kernel_of_plain_numbers_computes(void **state)
{
    int kernels = 0;

    (void)state;
    for (int value = 513; value < 1024; value++) {
        struct datatype *t = (struct datatype *)(void *)object_predefined[value];

        if (!t || t->category == CATEGORY_COMPLEX || t->category == CATEGORY_PAIR)
            continue;
        for (int code = 0; code <= OP_LXOR; code++)
            if (op_check(&op_predefined[code], t) == 0) {
                compare_kernel((enum op_code)code, t);
                kernels++;
            }
    }
    assert_int_equal(kernels, 18 * 10 + 6 * 7 + (8 + datatype_predefined(MPI_REAL2)->supported) * 4 + 8 * 3 +
                                  3 + 3 * 10 + 10);
}

static void sums_of_integers_wrap(void **state)
{
    int a[3] = {INT_MAX, INT_MIN, INT_MAX}, b[3] = {1, -1, 2};
    uint16_t c[2] = {65535, 65535}, d[2] = {65535, 2};

    (void)state;
    op_apply(&op_predefined[OP_SUM], a, b, 2, datatype_predefined(MPI_INT));
    assert_int_equal(b[0], INT_MIN);
    assert_int_equal(b[1], INT_MAX);
    assert_int_equal(b[2], 2);
    op_apply(&op_predefined[OP_PROD], c, d, 2, datatype_predefined(MPI_UINT16_T));
    assert_int_equal(d[0], 1);
    assert_int_equal(d[1], 65534);
}

#ifdef __SIZEOF_FLOAT128__
typedef __float128 real16;
#else
typedef long double real16; /* of 16 bytes where there is no __float128: aarch64 and riscv64 */
#endif

static void complex_numbers_add_and_multiply(void **state)
{
    float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, -8};
    double c[2] = {1, 2}, d[2] = {5, 6};
    long double e[2] = {1, 2}, f[2] = {5, 6};
    real16 g[2] = {1, 2}, h[2] = {5, 6};

    (void)state;
    op_apply(&op_predefined[OP_PROD], a, b, 2, datatype_predefined(MPI_C_FLOAT_COMPLEX));
    assert_true(b[0] == -7 && b[1] == 16 && b[2] == 53 && b[3] == 4);
    op_apply(&op_predefined[OP_SUM], a, b, 2, datatype_predefined(MPI_COMPLEX8));
    assert_true(b[0] == -6 && b[1] == 18 && b[2] == 56 && b[3] == 8);
    op_apply(&op_predefined[OP_PROD], c, d, 1, datatype_predefined(MPI_DOUBLE_COMPLEX));
    assert_true(d[0] == -7 && d[1] == 16);
    op_apply(&op_predefined[OP_PROD], e, f, 1, datatype_predefined(MPI_CXX_LONG_DOUBLE_COMPLEX));
    assert_true(f[0] == -7 && f[1] == 16);
    op_apply(&op_predefined[OP_PROD], g, h, 1, datatype_predefined(MPI_COMPLEX32));
    assert_true(h[0] == -7 && h[1] == 16);
    op_apply(&op_predefined[OP_SUM], g, h, 1, datatype_predefined(MPI_COMPLEX32));
    assert_true(h[0] == -6 && h[1] == 18);
}

#ifdef __FLT16_MANT_DIG__
static void half_precision_rounds(void **state)
{
    _Float16 a[4] = {1, 2048, 65504, (_Float16)0.5f}, b[4] = {2, 1, 65504, (_Float16)0.25f};
    _Float16 c[2] = {1, 2}, d[2] = {5, 6};

    (void)state;
    op_apply(&op_predefined[OP_SUM], a, b, 4, datatype_predefined(MPI_REAL2));
    assert_true(b[0] == 3 && b[1] == 2048 && b[2] == (_Float16)__builtin_inff() && b[3] == (_Float16)0.75f);
    op_apply(&op_predefined[OP_PROD], c, d, 1, datatype_predefined(MPI_COMPLEX4));
    assert_true(d[0] == -7 && d[1] == 16);
}
#endif

/* Three pairs each: the left wins, the right wins, a tie. */
#define LOCATION_TEST(type, value_type, index_type)                                                          \
    do {                                                                                                     \
        struct {                                                                                             \
            value_type value;                                                                                \
            index_type index;                                                                                \
        } in[3] = {{1, 7}, {9, 7}, {4, 7}}, low[3] = {{2, 3}, {8, 3}, {4, 9}}, high[3];                      \
        memcpy(high, low, sizeof low);                                                                       \
        op_apply(&op_predefined[OP_MINLOC], in, low, 3, datatype_predefined(type));                          \
        op_apply(&op_predefined[OP_MAXLOC], in, high, 3, datatype_predefined(type));                         \
        assert_true(low[0].value == 1 && low[0].index == 7);                                                 \
        assert_true(low[1].value == 8 && low[1].index == 3);                                                 \
        assert_true(low[2].value == 4 && low[2].index == 7);                                                 \
        assert_true(high[0].value == 2 && high[0].index == 3);                                               \
        assert_true(high[1].value == 9 && high[1].index == 7);                                               \
        assert_true(high[2].value == 4 && high[2].index == 7);                                               \
    } while (0)

static void locations_break_ties_by_the_lower_index(void **state)
{
    (void)state;
    LOCATION_TEST(MPI_FLOAT_INT, float, int);
    LOCATION_TEST(MPI_DOUBLE_INT, double, int);
    LOCATION_TEST(MPI_LONG_INT, long, int);
    LOCATION_TEST(MPI_2INT, int, int);
    LOCATION_TEST(MPI_SHORT_INT, short, int);
    LOCATION_TEST(MPI_LONG_DOUBLE_INT, long double, int);
    LOCATION_TEST(MPI_2REAL, float, float);
    LOCATION_TEST(MPI_2DOUBLE_PRECISION, double, double);
    LOCATION_TEST(MPI_2INTEGER, int, int);
}

static int64_t seen_items, seen_calls;
static MPI_Datatype seen_type;

static void take_note(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    seen_items += *length;
    seen_calls++;
    seen_type = *type;
    *length = -5; /* must not matter */
    *type = MPI_DATATYPE_NULL;
}

static void subtract_large(void *in, void *inout, MPI_Count *length, MPI_Datatype *type)
{
    (void)type;
    for (MPI_Count i = 0; i < *length; i++)
        ((int *)inout)[i] = ((int *)in)[i] - ((int *)inout)[i];
}

/* More items than an int counts, of a type without bytes. The pieces add up. */
static void long_vectors_reach_narrow_functions_in_pieces(void **state)
{
    struct datatype *empty;
    struct op *op;
    MPI_Count count = 2 * (MPI_Count)INT_MAX + 5;
    char in[1], inout[1];

    (void)state;
    assert_int_equal(datatype_contiguous(false, 0, datatype_predefined(MPI_INT), &empty), 0);
    assert_int_equal(op_create(take_note, NULL, 1, &op), 0);
    assert_int_equal(op_reduce_local(in, inout, count, empty, op), 0);
    assert_true(seen_items == count);
    assert_int_equal(seen_calls, 3);
    assert_int_equal((uintptr_t)seen_type, object_handle(&empty->object));
    assert_int_equal(empty->object.shown, 0); /* to nobody any more */
    assert_int_equal(op_reduce_local(in, inout, 0, empty, op), 0);
    assert_int_equal(seen_calls, 3);
    op_free(op);
    datatype_free(empty);
}

static void user_operations_are_objects(void **state)
{
    int in[2] = {10, 20}, inout[2] = {1, 2}, commute;
    struct datatype *derived;
    struct op *op;
    uint64_t handle;

    (void)state;
    assert_int_equal(op_create(NULL, subtract_large, 0, &op), 0);
    assert_int_equal(op_create(NULL, NULL, 0, &op), MPI_ERR_ARG);
    assert_int_equal(op_commutative(op, &commute), 0);
    assert_int_equal(commute, 0);
    assert_int_equal(op_reduce_local(in, inout, 2, datatype_predefined(MPI_INT), op), 0);
    assert_int_equal(inout[0], 9);
    assert_int_equal(inout[1], 18);
    assert_int_equal(datatype_contiguous(false, 1, datatype_predefined(MPI_INT), &derived), 0);
    assert_int_equal(op_reduce_local(in, inout, 2, derived, op), 0);
    assert_int_equal(derived->object.shown, 0); /* the function's name for it is gone */
    datatype_free(derived);
    handle = object_handle(&op->object);
    assert_ptr_equal(pool_find(&op_pool, handle), op);
    assert_int_equal(op_free(op), 0);
    assert_null(pool_find(&op_pool, handle));
    assert_int_equal(op_free(&op_predefined[OP_SUM]), MPI_ERR_OP);
    op_commutative(&op_predefined[OP_MAXLOC], &commute);
    assert_int_equal(commute, 1);
}

static void derived_types_need_user_operations(void **state)
{
    struct datatype *dup, *two;
    int in[2] = {1, 2}, inout[2] = {3, 4};

    (void)state;
    datatype_contiguous(false, 2, datatype_predefined(MPI_INT), &two);
    assert_int_equal(op_reduce_local(in, inout, 1, two, &op_predefined[OP_SUM]), MPI_ERR_OP);
    assert_non_null(strstr(fail_note(), "MPI_SUM"));
    assert_int_equal(inout[0], 3);
    datatype_dup(datatype_predefined(MPI_INT), &dup);
    assert_int_equal(op_reduce_local(in, inout, 2, dup, &op_predefined[OP_SUM]), 0);
    assert_int_equal(inout[1], 6);
    datatype_free(two);
    datatype_free(dup);
}

static void accumulate_operations_apply(void **state)
{
    int in[2] = {1, 2}, inout[2] = {3, 4};

    (void)state;
    op_apply(&op_predefined[OP_NO_OP], in, inout, 2, datatype_predefined(MPI_INT));
    assert_int_equal(inout[0], 3);
    op_apply(&op_predefined[OP_REPLACE], in, inout, 2, datatype_predefined(MPI_INT));
    assert_int_equal(inout[1], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_decides),
        cmocka_unit_test(every_kernel_of_plain_numbers_computes),
        cmocka_unit_test(sums_of_integers_wrap),
        cmocka_unit_test(complex_numbers_add_and_multiply),
#ifdef __FLT16_MANT_DIG__
        cmocka_unit_test(half_precision_rounds),
#endif
        cmocka_unit_test(locations_break_ties_by_the_lower_index),
        cmocka_unit_test(long_vectors_reach_narrow_functions_in_pieces),
        cmocka_unit_test(user_operations_are_objects),
        cmocka_unit_test(derived_types_need_user_operations),
        cmocka_unit_test(accumulate_operations_apply),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
