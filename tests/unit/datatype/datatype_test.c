#include "datatype/datatype.h"

#include "datatype/construct.h"

#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int start(void **state)
{
    (void)state;
    datatype_init();
    return 0;
}

enum {
#ifdef __FLT16_MANT_DIG__
    HALF_BYTES = 2
#else
    HALF_BYTES = 0
#endif
};

static const struct {
    MPI_Datatype handle;
    const char *name;
    size_t size;
} expected[] = {
    {MPI_AINT, "MPI_AINT", sizeof(intptr_t)},
    {MPI_COUNT, "MPI_COUNT", 8},
    {MPI_OFFSET, "MPI_OFFSET", 8},
    {MPI_PACKED, "MPI_PACKED", 1},
    {MPI_BYTE, "MPI_BYTE", 1},
    {MPI_SHORT, "MPI_SHORT", sizeof(short)},
    {MPI_INT, "MPI_INT", sizeof(int)},
    {MPI_LONG, "MPI_LONG", sizeof(long)},
    {MPI_LONG_LONG, "MPI_LONG_LONG_INT", sizeof(long long)},
    {MPI_UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT", sizeof(short)},
    {MPI_UNSIGNED, "MPI_UNSIGNED", sizeof(int)},
    {MPI_UNSIGNED_LONG, "MPI_UNSIGNED_LONG", sizeof(long)},
    {MPI_UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG", sizeof(long long)},
    {MPI_FLOAT, "MPI_FLOAT", sizeof(float)},
    {MPI_C_FLOAT_COMPLEX, "MPI_C_COMPLEX", sizeof(float complex)},
    {MPI_CXX_FLOAT_COMPLEX, "MPI_CXX_FLOAT_COMPLEX", sizeof(float complex)},
    {MPI_DOUBLE, "MPI_DOUBLE", sizeof(double)},
    {MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", sizeof(double complex)},
    {MPI_CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX", sizeof(double complex)},
    {MPI_LOGICAL, "MPI_LOGICAL", 4},
    {MPI_INTEGER, "MPI_INTEGER", 4},
    {MPI_REAL, "MPI_REAL", 4},
    {MPI_COMPLEX, "MPI_COMPLEX", 8},
    {MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", 8},
    {MPI_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX", 16},
    {MPI_CHARACTER, "MPI_CHARACTER", 1},
    {MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", sizeof(long double)},
    {MPI_C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX", sizeof(long double complex)},
    {MPI_CXX_LONG_DOUBLE_COMPLEX, "MPI_CXX_LONG_DOUBLE_COMPLEX", sizeof(long double complex)},
    {MPI_FLOAT_INT, "MPI_FLOAT_INT", 8},
    {MPI_DOUBLE_INT, "MPI_DOUBLE_INT", 12},
    {MPI_LONG_INT, "MPI_LONG_INT", sizeof(long) + 4},
    {MPI_2INT, "MPI_2INT", 8},
    {MPI_SHORT_INT, "MPI_SHORT_INT", 6},
    {MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", sizeof(long double) + 4},
    {MPI_2REAL, "MPI_2REAL", 8},
    {MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", 16},
    {MPI_2INTEGER, "MPI_2INTEGER", 8},
    {MPI_C_BOOL, "MPI_C_BOOL", sizeof(_Bool)},
    {MPI_CXX_BOOL, "MPI_CXX_BOOL", 1},
    {MPI_WCHAR, "MPI_WCHAR", sizeof(wchar_t)},
    {MPI_INT8_T, "MPI_INT8_T", 1},
    {MPI_UINT8_T, "MPI_UINT8_T", 1},
    {MPI_CHAR, "MPI_CHAR", 1},
    {MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR", 1},
    {MPI_UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR", 1},
    {MPI_INT16_T, "MPI_INT16_T", 2},
    {MPI_UINT16_T, "MPI_UINT16_T", 2},
    {MPI_INT32_T, "MPI_INT32_T", 4},
    {MPI_UINT32_T, "MPI_UINT32_T", 4},
    {MPI_INT64_T, "MPI_INT64_T", 8},
    {MPI_UINT64_T, "MPI_UINT64_T", 8},
    {MPI_LOGICAL1, "MPI_LOGICAL1", 1},
    {MPI_LOGICAL2, "MPI_LOGICAL2", 2},
    {MPI_LOGICAL4, "MPI_LOGICAL4", 4},
    {MPI_LOGICAL8, "MPI_LOGICAL8", 8},
    {MPI_LOGICAL16, "MPI_LOGICAL16", 16},
    {MPI_INTEGER1, "MPI_INTEGER1", 1},
    {MPI_INTEGER2, "MPI_INTEGER2", 2},
    {MPI_INTEGER4, "MPI_INTEGER4", 4},
    {MPI_INTEGER8, "MPI_INTEGER8", 8},
    {MPI_INTEGER16, "MPI_INTEGER16", 16},
    {MPI_REAL2, "MPI_REAL2", HALF_BYTES},
    {MPI_REAL4, "MPI_REAL4", 4},
    {MPI_REAL8, "MPI_REAL8", 8},
    {MPI_REAL16, "MPI_REAL16", 16},
    {MPI_COMPLEX4, "MPI_COMPLEX4", 2 * HALF_BYTES},
    {MPI_COMPLEX8, "MPI_COMPLEX8", 8},
    {MPI_COMPLEX16, "MPI_COMPLEX16", 16},
    {MPI_COMPLEX32, "MPI_COMPLEX32", 32},
};

/* Every predefined handle of the ABI is in the list above, and none is missing from the library. */
static void every_predefined_type_has_its_name_and_size(void **state)
{
    int found = 0, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Count size;

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct datatype *t = datatype_predefined(expected[i].handle);

        assert_non_null(t);
        assert_int_equal(object_handle(&t->object), (uintptr_t)expected[i].handle);
        assert_int_equal(datatype_get_name(t, name, &length), 0);
        assert_string_equal(name, expected[i].name);
        assert_int_equal(length, strlen(name));
        assert_int_equal(datatype_get_size(t, &size), 0);
        assert_int_equal(size, expected[i].size ? (MPI_Count)expected[i].size : MPI_UNDEFINED);
        assert_int_equal(t->supported, expected[i].size != 0);
        assert_int_equal(t->committed, t->supported);
        assert_ptr_equal(t->basic, t);
    }
    for (int value = 512; value < 1024; value++)
        found += object_predefined[value] != NULL;
    assert_int_equal(found, sizeof expected / sizeof expected[0]);
}

static void pairs_with_padding_have_gaps(void **state)
{
    struct datatype *t = datatype_predefined(MPI_DOUBLE_INT);
    MPI_Count size, lb, extent;
    size_t bytes;

    (void)state;
    datatype_get_size(t, &size);
    assert_int_equal(size, 12);
    datatype_get_extent(t, &lb, &extent);
    assert_int_equal(lb, 0);
    assert_int_equal(extent, 16);
    datatype_get_true_extent(t, &lb, &extent);
    assert_int_equal(lb, 0);
    assert_int_equal(extent, 12);
    assert_int_equal(datatype_bytes(t, 3, &bytes), 0);
    assert_int_equal(bytes, 36);
    assert_int_equal(datatype_count(t, 36), 3);
    assert_int_equal(datatype_count(t, 32), MPI_UNDEFINED);
    assert_int_equal(datatype_elements(t, 36), 6);
    assert_int_equal(datatype_elements(t, 32), 5);
    assert_int_equal(datatype_elements(t, 28), MPI_UNDEFINED);
    assert_false(t->dense);
    assert_true(datatype_predefined(MPI_2INT)->dense);
    t = datatype_predefined(MPI_SHORT_INT);
    datatype_get_true_extent(t, &lb, &extent);
    assert_int_equal(extent, 8);
    t = datatype_predefined(MPI_2DOUBLE_PRECISION);
    assert_int_equal(datatype_elements(t, 24), 3);
}

static void set_supported(MPI_Datatype type, bool is_supported)
{
    datatype_predefined(type)->supported = is_supported;
    datatype_predefined(type)->committed = is_supported;
}

/* As on a platform that lacks them. */
static void unsupported_types_say_undefined(void **state)
{
    MPI_Count lb, extent;
    struct datatype *t;

    (void)state;
    set_supported(MPI_REAL2, false);
    set_supported(MPI_COMPLEX4, false);
    datatype_get_extent(datatype_predefined(MPI_REAL2), &lb, &extent);
    assert_int_equal(extent, MPI_UNDEFINED);
    assert_int_equal(datatype_contiguous(false, 2, datatype_predefined(MPI_COMPLEX4), &t), MPI_ERR_TYPE);
    assert_int_equal(datatype_dup(datatype_predefined(MPI_COMPLEX4), &t), MPI_ERR_TYPE);
    assert_int_equal(datatype_commit(datatype_predefined(MPI_REAL2)), MPI_ERR_TYPE);
    set_supported(MPI_REAL2, HALF_BYTES);
    set_supported(MPI_COMPLEX4, HALF_BYTES);
}

static void contiguous_multiplies_its_type(void **state)
{
    struct datatype *row, *plane;
    MPI_Count size, lb, extent;

    (void)state;
    assert_int_equal(datatype_contiguous(false, 5, datatype_predefined(MPI_DOUBLE), &row), 0);
    assert_false(row->committed);
    datatype_commit(row);
    assert_true(row->committed);
    assert_int_equal(datatype_contiguous(true, 3, row, &plane), 0);
    datatype_free(row); /* lives on inside plane */
    datatype_get_size(plane, &size);
    assert_int_equal(size, 120);
    datatype_get_extent(plane, &lb, &extent);
    assert_int_equal(extent, 120);
    assert_ptr_equal(plane->basic, datatype_predefined(MPI_DOUBLE));
    assert_int_equal(datatype_count(plane, 240), 2);
    assert_int_equal(datatype_count(plane, 160), MPI_UNDEFINED);
    assert_int_equal(datatype_elements(plane, 160), 20);
    assert_true(plane->dense);
    assert_int_equal(plane->plain->pieces, 1);
    assert_int_equal(plane->combiner, MPI_COMBINER_CONTIGUOUS);
    assert_int_equal(plane->contents->integers, 0);
    assert_int_equal(plane->contents->large_counts, 1);
    assert_int_equal(plane->contents->datatypes, 1);
    assert_int_equal(plane->contents->datatype[0]->contents->integers, 1);
    assert_int_equal(plane->contents->datatype[0]->contents->large_counts, 0);
    datatype_free(plane);
    assert_int_equal(pool_live(&datatype_pool), 0);
}

static void empty_and_huge_types(void **state)
{
    struct datatype *t, *u;
    size_t bytes;

    (void)state;
    assert_int_equal(datatype_contiguous(false, 0, datatype_predefined(MPI_INT), &t), 0);
    assert_int_equal(t->extent, 0);
    assert_int_equal(t->true_extent, 0);
    assert_int_equal(datatype_count(t, 0), 0);
    assert_int_equal(datatype_count(t, 4), MPI_UNDEFINED);
    datatype_free(t);
    assert_int_equal(datatype_contiguous(false, (MPI_Count)1 << 61, datatype_predefined(MPI_INT), &t),
                     MPI_ERR_COUNT);
    assert_int_equal(datatype_contiguous(false, (MPI_Count)1 << 40, datatype_predefined(MPI_INT), &t), 0);
    assert_int_equal(datatype_bytes(t, 4, &bytes), 0);
    assert_int_equal(bytes, (size_t)1 << 44);
    assert_int_equal(datatype_bytes(t, (MPI_Count)1 << 30, &bytes), MPI_ERR_COUNT);
    assert_int_equal(datatype_contiguous(false, (MPI_Count)1 << 30, t, &u), MPI_ERR_COUNT);
    datatype_free(t);
}

static void dup_keeps_all_but_the_handle(void **state)
{
    struct datatype *t;
    uint64_t handle;

    (void)state;
    assert_int_equal(datatype_dup(datatype_predefined(MPI_SHORT_INT), &t), 0);
    assert_true(t->committed);
    assert_int_equal(t->size, 6);
    assert_int_equal(t->extent, 8);
    assert_int_equal(t->category, CATEGORY_PAIR);
    assert_string_equal(t->name, "");
    assert_int_equal(t->combiner, MPI_COMBINER_DUP);
    assert_int_equal(t->contents->datatypes, 1);
    handle = object_handle(&t->object);
    assert_ptr_equal(pool_find(&datatype_pool, handle), t);
    assert_int_equal(datatype_free(t), 0);
    assert_null(pool_find(&datatype_pool, handle));
    assert_int_equal(datatype_free(datatype_predefined(MPI_INT)), MPI_ERR_TYPE);
}

static void names_are_truncated(void **state)
{
    struct datatype *t;
    char longer[2 * MPI_MAX_OBJECT_NAME], name[MPI_MAX_OBJECT_NAME];
    int length;

    (void)state;
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    datatype_contiguous(false, 1, datatype_predefined(MPI_INT), &t);
    datatype_set_name(t, longer);
    datatype_get_name(t, name, &length);
    assert_int_equal(length, MPI_MAX_OBJECT_NAME - 1);
    assert_int_equal(strlen(name), MPI_MAX_OBJECT_NAME - 1);
    datatype_free(t);
}

static void copy_truncates_with_an_error(void **state)
{
    int from[4] = {1, 2, 3, 4}, to[4] = {0};
    struct datatype *integer = datatype_predefined(MPI_INT), *byte = datatype_predefined(MPI_BYTE);

    (void)state;
    assert_int_equal(datatype_copy_kinds(from, 2, integer, to, 16, byte, 0), 0);
    assert_int_equal(to[1], 2);
    assert_int_equal(to[2], 0);
    assert_int_equal(datatype_copy_kinds(from, 4, integer, to, 3, integer, 0), MPI_ERR_TRUNCATE);
    assert_int_equal(to[2], 3);
    assert_int_equal(to[3], 0);
    assert_int_equal(datatype_copy_kinds(NULL, 0, integer, NULL, 0, integer, 0), 0);
}

enum {
    MAP_SIZE = 4096,
    COUNT_MAX = 40
};

/* The expected answer, found byte by byte; 0: up to COUNT_MAX items share nothing. */
static MPI_Count first_overlap(const struct datatype *t)
{
    static unsigned char ones[512], map[MAP_SIZE];
    unsigned char item[512];
    MPI_Count extent = t->extent < 0 ? -t->extent : t->extent;

    memset(ones, 1, sizeof ones);
    memset(map, 0, sizeof map);
    for (MPI_Count byte = 0; byte < t->size; byte++) {
        memset(item, 0, sizeof item);
        datatype_unpack(t, item + 100, (size_t)byte, ones, 1);
        for (int at = 0; at < 512; at++)
            map[at] += item[at];
    }
    for (int at = 0; at < 512; at++)
        if (map[at] > 1)
            return 1;
    for (MPI_Count d = 1; d < COUNT_MAX; d++)
        for (MPI_Count at = 0; at < 512; at++)
            if (at + d * extent < 512 && map[at] && map[at + d * extent])
                return d + 1;
    return 0;
}

static void check_overlap(struct datatype *of, MPI_Count extent)
{
    struct datatype *t;
    MPI_Count wanted;

    assert_int_equal(datatype_resized(true, of, 0, extent, &t), 0);
    assert_int_equal(datatype_commit(t), 0);
    wanted = first_overlap(t);
    for (MPI_Count count = 0; count <= COUNT_MAX; count++)
        assert_int_equal(datatype_check_receive(t, count),
                         wanted && count >= wanted ? MPI_ERR_TYPE : MPI_SUCCESS);
    datatype_free(t);
}

static void vectors_overlap_from_the_right_count_on(void **state)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE), *t;

    (void)state;
    for (int n = 1; n <= 4; n++)
        for (int length = 1; length <= 3; length++)
            for (int stride = -6; stride <= 12; stride++) {
                assert_int_equal(datatype_vector(false, n, length, stride, byte, &t), 0);
                for (MPI_Count extent = -13; extent <= 14; extent++)
                    check_overlap(t, extent);
                datatype_free(t);
            }
}

static void scattered_runs_overlap_from_the_right_count_on(void **state)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE), *t;
    unsigned seed = 1;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        int length[12], at[12], n = 1 + i % 12, room = 10 + i % 97;

        for (int k = 0; k < n; k++) {
            seed = seed * 1103515245 + 12345;
            length[k] = 1 + (int)(seed >> 16) % (i % 5 + 1);
            at[k] = (int)(seed >> 20) % room;
        }
        assert_int_equal(datatype_indexed(false, n, (struct counts){.narrow = length},
                                          (struct counts){.narrow = at}, byte, &t),
                         0);
        check_overlap(t, (int)(seed >> 18) % 40 - 10);
        datatype_free(t);
    }
}

/* Arrays that are not there, in both forms, are errors; of no parts they may be. */
static void arrays_have_to_be_there(void **state)
{
    int one[] = {1};
    struct counts there = {.narrow = one}, none = {.narrow = NULL};
    struct datatype *byte = datatype_predefined(MPI_BYTE), *t = NULL;

    (void)state;
    assert_int_equal(datatype_indexed(false, 1, none, there, byte, &t), MPI_ERR_ARG);
    assert_int_equal(datatype_indexed(false, 1, there, none, byte, &t), MPI_ERR_ARG);
    assert_int_equal(datatype_hindexed(false, 1, none, there, byte, &t), MPI_ERR_ARG);
    assert_int_equal(datatype_hindexed(false, 1, there, none, byte, &t), MPI_ERR_ARG);
    assert_int_equal(datatype_indexed_block(false, 1, 1, none, byte, &t), MPI_ERR_ARG);
    assert_int_equal(datatype_hindexed_block(false, 1, 1, none, byte, &t), MPI_ERR_ARG);
    assert_null(t);
    assert_int_equal(datatype_hindexed(false, 0, none, none, byte, &t), MPI_SUCCESS);
    datatype_free(t);
}

/* The columns of a matrix of more rows than runs are looked at. */
static void long_columns_overlap_from_the_next_row_on(void **state)
{
    struct datatype *column, *t;

    (void)state;
    assert_int_equal(datatype_vector(true, 1000 * 1000, 1, 50, datatype_predefined(MPI_DOUBLE), &column), 0);
    assert_int_equal(datatype_resized(true, column, 0, sizeof(double), &t), 0);
    assert_int_equal(datatype_commit(t), 0);
    assert_int_equal(datatype_check_receive(t, 50), MPI_SUCCESS);
    assert_int_equal(datatype_check_receive(t, 51), MPI_ERR_TYPE);
    datatype_free(t);
    datatype_free(column);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_predefined_type_has_its_name_and_size),
        cmocka_unit_test(arrays_have_to_be_there),
        cmocka_unit_test(pairs_with_padding_have_gaps),
        cmocka_unit_test(unsupported_types_say_undefined),
        cmocka_unit_test(contiguous_multiplies_its_type),
        cmocka_unit_test(empty_and_huge_types),
        cmocka_unit_test(dup_keeps_all_but_the_handle),
        cmocka_unit_test(names_are_truncated),
        cmocka_unit_test(copy_truncates_with_an_error),
        cmocka_unit_test(vectors_overlap_from_the_right_count_on),
        cmocka_unit_test(scattered_runs_overlap_from_the_right_count_on),
        cmocka_unit_test(long_columns_overlap_from_the_next_row_on),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
