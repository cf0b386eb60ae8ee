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

/* What packing gives: `length` bytes at each of these places, of each item. */
static void expect_runs(const int64_t *place, int places, int length, MPI_Count extent)
{
    total = 0;
    for (int item = 0; item < ITEMS; item++)
        for (int i = 0; i < places; i++) {
            memcpy(wanted + total, memory + item * extent + place[i], (size_t)length);
            total += (size_t)length;
        }
}

/* In three parts, cut anywhere; what is no data stays as it is. */
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

/* No byte of a device's memory is touched by the host. */
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

/* The lengths that have copies of their own, and some that have not. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_at_places),
        cmocka_unit_test(runs_of_a_loop),
        cmocka_unit_test(runs_of_pieces),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
