#include "datatype/datatype.h"
#include "memory/kind.h"

#include "unit.h"

#include <string.h>

enum {
    ITEMS = 2,
    MEMORY = 16384,
    RUNS = 48 /* enough to be listed one by one */
};

static unsigned char memory[MEMORY], wanted[MEMORY];
static size_t total; /* bytes of data in wanted */

static int start(void **state)
{
    (void)state;
    datatype_init();
    for (int i = 0; i < MEMORY; i++)
        memory[i] = (unsigned char)(1 + i % 251);
    return 0;
}

/* What packing must give: `length` bytes at each of these places, of each item. */
static void expect_runs(const int64_t *place, int places, int length, MPI_Count extent)
{
    total = 0;
    for (int item = 0; item < ITEMS; item++)
        for (int i = 0; i < places; i++) {
            memcpy(wanted + total, memory + item * extent + place[i], (size_t)length);
            total += (size_t)length;
        }
}

/* Packs in three parts, cut anywhere. Bytes that are not data stay as they are. */
static void check_parts(const struct datatype *t, size_t first)
{
    static unsigned char packed[MEMORY], back[MEMORY];
    size_t cut[] = {0, first, (first + total) / 2, total};

    memset(back, 0, sizeof back);
    for (int part = 0; part < 3; part++)
        datatype_pack(t, memory, cut[part], packed + cut[part], cut[part + 1] - cut[part]);
    assert_memory_equal(packed, wanted, total);
    for (int part = 0; part < 3; part++)
        datatype_unpack(t, back, cut[part], packed + cut[part], cut[part + 1] - cut[part]);
    for (size_t at = 0; at < MEMORY; at++)
        assert_true(back[at] == 0 || back[at] == memory[at]);
    memset(packed, 0, sizeof packed);
    datatype_pack(t, back, 0, packed, total);
    assert_memory_equal(packed, wanted, total);
}

static size_t by_device; /* bytes */

static int copy_as_device(void *to, const void *from, size_t bytes)
{
    by_device += bytes;
    memcpy(to, from, bytes);
    return 0;
}

/* The host touches no byte of a device's memory. */
static void check_device(const struct datatype *t)
{
    static const struct device device = {.copy = copy_as_device};
    static unsigned char packed[MEMORY], back[MEMORY];

    by_device = 0;
    assert_int_equal(layout_pack_device(&t->items, &device, memory, 0, packed, (MPI_Count)total), 0);
    assert_int_equal(by_device, total);
    assert_memory_equal(packed, wanted, total);
    assert_int_equal(layout_unpack_device(&t->items, &device, back, 1, packed + 1, (MPI_Count)total - 1), 0);
    assert_int_equal(by_device, 2 * total - 1);
}

static void check(struct datatype *t)
{
    assert_int_equal(t->size * ITEMS, total);
    for (size_t first = 0; first <= total; first += 1 + total / 256)
        check_parts(t, first);
    check_device(t);
    datatype_free(t);
}

/* The lengths that have copy loops of their own, and some that do not. */
static const int lengths[] = {1, 2, 3, 4, 5, 8, 12, 16, 20, 24, 32, 40, 64};

static void runs_at_places(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        int64_t place[RUNS];
        struct datatype *t;

        for (int i = 0; i < RUNS; i++)
            place[i] = 8 + i * (lengths[k] + 7) + i * i % 7;
        assert_int_equal(datatype_hindexed_block(true, RUNS, lengths[k], (struct counts){.wide = place},
                                                 datatype_predefined(MPI_BYTE), &t),
                         0);
        assert_non_null(t->plain->place);
        expect_runs(place, RUNS, lengths[k], t->extent);
        check(t);
    }
}

static void runs_of_a_loop(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        int64_t place[RUNS];
        struct datatype *t;

        for (int i = 0; i < RUNS; i++)
            place[i] = i * (lengths[k] + 3);
        assert_int_equal(
            datatype_hvector(true, RUNS, lengths[k], lengths[k] + 3, datatype_predefined(MPI_BYTE), &t), 0);
        assert_int_equal(t->plain->pieces, 1);
        expect_runs(place, RUNS, lengths[k], t->extent);
        check(t);
    }
}

/* Few runs of different lengths: pieces, taken one by one. */
static void runs_of_pieces(void **state)
{
    int64_t place[] = {100, 0, 40}, length[] = {8, 8, 8}, more[] = {100, 0, 40, 60}, other[] = {8, 8, 8, 5};
    struct counts at = {.wide = more}, of = {.wide = other};
    struct datatype *t;

    (void)state;
    assert_int_equal(datatype_hindexed(true, 3, (struct counts){.wide = length},
                                       (struct counts){.wide = place}, datatype_predefined(MPI_BYTE), &t),
                     0);
    expect_runs(place, 3, 8, t->extent);
    check(t);
    assert_int_equal(datatype_hindexed(true, 4, of, at, datatype_predefined(MPI_BYTE), &t), 0);
    total = 0;
    for (int item = 0; item < ITEMS; item++)
        for (int i = 0; i < 4; i++) {
            memcpy(wanted + total, memory + item * t->extent + more[i], (size_t)other[i]);
            total += (size_t)other[i];
        }
    check(t);
}

enum {
    COPIED = 64 * 200, /* bytes: enough to be copied run by run */
    SPREAD = 64 * 1024
};

/* Copies the data of one type, from byte 1 of memory on, to that of another; packed, both are the same. */
static void check_copy(const struct datatype *from, const struct datatype *to)
{
    static unsigned char source[SPREAD], target[SPREAD], packed[2][COPIED];

    for (int i = 0; i < SPREAD; i++) {
        source[i] = (unsigned char)(1 + (i + i / 251) % 255);
        target[i] = 0;
    }
    assert_int_equal(
        datatype_copy_kinds(source + 1, COPIED / from->size, from, target + 1, COPIED / to->size, to, 0), 0);
    datatype_pack(from, source + 1, 0, packed[0], COPIED);
    datatype_pack(to, target + 1, 0, packed[1], COPIED);
    assert_memory_equal(packed[0], packed[1], COPIED);
    memset(packed[1], 0, COPIED);
    datatype_unpack(to, target + 1, 0, packed[1], COPIED);
    for (int i = 0; i < SPREAD; i++)
        assert_int_equal(target[i], 0);
}

/* `count` runs of `bytes` bytes, COPIED together, at irregular places or not. */
static struct datatype *copied_type(int count, int bytes, bool is_regular)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE), *t;
    int64_t place[COPIED / 4];

    for (int i = 0; i < count; i++)
        place[i] = (int64_t)i * (bytes + 5) + i * i % 5;
    assert_int_equal(
        is_regular ? datatype_hvector(true, count, bytes, bytes + 3, byte, &t)
                   : datatype_hindexed_block(true, count, bytes, (struct counts){.wide = place}, byte, &t),
        0);
    return t;
}

/* 25 bodies of 512 bytes in three runs. */
static struct datatype *nested_type(void)
{
    int64_t place[] = {0, 250, 600}, length[] = {200, 300, 12};
    struct datatype *body, *t;

    assert_int_equal(datatype_hindexed(true, 3, (struct counts){.wide = length},
                                       (struct counts){.wide = place}, datatype_predefined(MPI_BYTE), &body),
                     0);
    assert_int_equal(datatype_hvector(true, 25, 1, 700, body, &t), 0);
    datatype_free(body);
    return t;
}

/* 10 columns of 10 loops of 128 bytes in 16 runs. */
static struct datatype *columns_type(void)
{
    struct datatype *run, *column, *t;

    assert_int_equal(datatype_hvector(true, 16, 8, 24, datatype_predefined(MPI_BYTE), &run), 0);
    assert_int_equal(datatype_hvector(true, 10, 1, 401, run, &column), 0);
    assert_int_equal(datatype_hvector(true, 10, 1, 5003, column, &t), 0);
    datatype_free(run);
    datatype_free(column);
    return t;
}

static void copies_between_layouts(void **state)
{
    struct datatype *type[] = {
        nested_type(),
        columns_type(),
        copied_type(64, 200, true),
        copied_type(100, 128, true),
        copied_type(1, COPIED, true),
        copied_type(2, 6400, true),
        copied_type(3200, 4, true),
        copied_type(64, 200, false),
        copied_type(1600, 8, false),
        copied_type(3200, 4, false),
        copied_type(800, 16, false),
        copied_type(400, 32, false),
        copied_type(1, 12800, false),
        copied_type(100, 64, true),
        copied_type(50, 64, false),
    };
    size_t count = sizeof type / sizeof type[0];

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            check_copy(type[i], type[j]);
    for (size_t i = 0; i < count; i++)
        datatype_free(type[i]);
}

/* What is too short to be looked for is left to the caller; also from inside a run. */
static void copies_are_partial(void **state)
{
    struct datatype *t = copied_type(64, 200, true), *places = copied_type(1600, 8, false);
    static char from[SPREAD], to[SPREAD];

    (void)state;
    assert_int_equal(layout_copy(&t->items, to, &t->items, from, 0, 4199), 0);
    assert_int_equal(layout_copy(&t->items, to, &t->items, from, 0, 4399), 4200);
    assert_int_equal(layout_copy(&t->items, to, &t->items, from, 0, COPIED), COPIED);
    assert_int_equal(layout_copy(&t->items, to, &t->items, from, 100, COPIED - 100), 0); /* 100 bytes */
    assert_int_equal(layout_copy(&places->items, to, &places->items, from, COPIED, COPIED), COPIED);
    assert_int_equal(layout_copy(&places->items, to, &places->items, from, 8, COPIED - 8),
                     0); /* no whole item */
    datatype_free(t);
    datatype_free(places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_between_layouts), cmocka_unit_test(copies_are_partial),
        cmocka_unit_test(runs_at_places),         cmocka_unit_test(runs_of_a_loop),
        cmocka_unit_test(runs_of_pieces),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
