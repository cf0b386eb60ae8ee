#include "boot/launcher.h"

#include "unit.h"

static void expect_nodes(const char *text, int size, const uint64_t *node)
{
    uint64_t found[16];

    assert_true(pmi_find_mapping(text, size, found));
    assert_memory_equal(found, node, (size_t)size * sizeof *node);
}

static void ranks_are_placed_block_by_block(void **state)
{
    (void)state;
    expect_nodes("(vector,(0,2,2))", 4, (uint64_t[]){0, 0, 1, 1});
    expect_nodes("(vector,(0,2,1))", 5, (uint64_t[]){0, 1, 0, 1, 0});
    expect_nodes("(vector,(0,1,3),(1,2,1))", 7, (uint64_t[]){0, 0, 0, 1, 2, 0, 0});
    expect_nodes("(vector,(0,1,1),(0,1,1),(7,1,1))", 4, (uint64_t[]){0, 0, 7, 0});
}

static void nonsense_is_refused(void **state)
{
    static const char *const texts[] = {"",
                                        "(vector",
                                        "(vector)",
                                        "(vector,)",
                                        "(vector,(0,1))",
                                        "(vector,(0,0,1))",
                                        "(vector,(0,1,0))",
                                        "(vector,(-1,1,1))",
                                        "(vector,(0,1,1)",
                                        "(vector,(0,1,1))x",
                                        "(matrix,(0,1,1))"};
    uint64_t found[4] = {5, 5, 5, 5};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(pmi_find_mapping(texts[i], 4, found));
    assert_memory_equal(found, ((uint64_t[]){5, 5, 5, 5}), sizeof found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_are_placed_block_by_block),
                                       cmocka_unit_test(nonsense_is_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
