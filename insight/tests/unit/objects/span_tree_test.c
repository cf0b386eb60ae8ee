/* A tree finds what a list does, whatever was put in and taken out before; and it looks at few of many. */
#include "insight/objects/span_tree.c"

#include "unit.h"

#include <stdlib.h>

enum {
    SPANS = 2000,
    ROUNDS = 20000,
    MANY = 100000
};

static int looks;

static bool is_wanted(const struct span *span, const void *with)
{
    looks++;
    return span != with;
}

static bool is_in_list(const struct span *spans, const bool *is_in, const struct span *wanted)
{
    for (int i = 0; i < SPANS; i++)
        if (is_in[i] && spans[i].low < wanted->high && wanted->low < spans[i].high && &spans[i] != wanted)
            return true;
    return false;
}

static void test_as_a_list(void **state)
{
    static struct span spans[SPANS];
    static bool is_in[SPANS];
    struct span *root = NULL;

    (void)state;
    srand(1);
    for (int round = 0; round < ROUNDS; round++) {
        int i = rand() % SPANS;
        const struct span *found;

        if (is_in[i]) {
            span_tree_remove(&root, &spans[i]);
        } else {
            spans[i].low = (uintptr_t)(rand() % 5000);
            spans[i].high = spans[i].low + 1 + (uintptr_t)(rand() % 7);
            span_tree_add(&root, &spans[i]);
        }
        is_in[i] = !is_in[i];
        i = rand() % SPANS;
        if (spans[i].high == 0)
            continue;
        found = span_tree_find(root, spans[i].low, spans[i].high, is_wanted, &spans[i]);
        assert_int_equal(found != NULL, is_in_list(spans, is_in, &spans[i]));
        assert_true(!found || (found->low < spans[i].high && spans[i].low < found->high));
    }
}

static void test_few_looks(void **state)
{
    struct span *spans = calloc(MANY, sizeof *spans), *root = NULL;

    (void)state;
    for (uintptr_t i = 0; i < MANY; i++) {
        spans[i] = (struct span){.low = 8 * i, .high = 8 * i + 8};
        span_tree_add(&root, &spans[i]);
    }
    looks = 0;
    for (uintptr_t i = 0; i < MANY; i++)
        assert_null(span_tree_find(root, 8 * i, 8 * i + 8, is_wanted, &spans[i]));
    assert_int_equal(looks, MANY);
    free(spans);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_a_list),
        cmocka_unit_test(test_few_looks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
