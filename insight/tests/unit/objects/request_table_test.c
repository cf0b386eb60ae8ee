/* Of 100,000 requests that have one handle each is found by its variable, and chains stay short; the newest is found by the handle alone. */
#include "insight/objects/request_table.c"

#include "unit.h"

enum {
    MANY = 100000,
    LONG = 16 /* a chain */
};

static struct request_record *newest;

void request_record_track_all(void)
{
}

void *tracked_find(enum tracked_kind kind, uint64_t handle)
{
    (void)kind;
    return newest && newest->base.handle == handle ? newest : NULL;
}

static void test_one_handle(void **state)
{
    struct request_record *all = calloc(MANY, sizeof *all);
    MPI_Request *variable = calloc(MANY, sizeof *variable);

    (void)state;
    for (int i = 0; i < MANY; i++) {
        all[i].base.handle = 7;
        all[i].variable = &variable[i];
        request_table_add(newest = &all[i]);
    }
    for (int i = 0; i < 1 << bits; i++) {
        int length = 0;

        for (const struct request_record *r = bucket[i]; r; r = r->alike)
            length++;
        assert_true(length <= LONG);
    }
    for (int i = 0; i < MANY; i++) {
        assert_ptr_equal(request_table_find(7, &variable[i]), &all[i]);
        request_table_remove(&all[i]);
        assert_ptr_equal(request_table_find(7, &variable[i]), newest);
    }
    assert_int_equal(records, 0);
    assert_null(request_table_find(8, &variable[0]));
    assert_null(request_table_find(0, &variable[0]));
    free(all);
    free(variable);
}

static void test_one_variable(void **state)
{
    MPI_Request variable;
    struct request_record older = {.base.handle = 7, .variable = &variable}, newer = older;

    (void)state;
    request_table_add(&older);
    request_table_add(&newer);
    assert_ptr_equal(request_table_find(7, &variable), &newer);
    request_table_remove(&newer);
    assert_ptr_equal(request_table_find(7, &variable), &older);
    request_table_remove(&older);
    request_table_remove(&older);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_handle),
                                              cmocka_unit_test(test_one_variable)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
