/* A set finds what a list does, of spans of all sizes, whatever was put in and taken out before; and it looks at few of many. */
#include "insight/objects/span_tree.c"

#include "unit.h"

#include <stdlib.h>

enum {
    SPANS = 1000,
    ROUNDS = 20000,
    MANY = 100000
};

static struct span_set set;
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

/* Lengths of 1 byte to some 2 MiB, which is more than all cells of 64 bytes. */
static void choose(struct span *span)
{
    span->low = 1 + (uintptr_t)rand() % (1u << (rand() % 24));
    span->high = span->low + 1 + (uintptr_t)rand() % (1u << (rand() % 21));
}

static void test_as_a_list(void **state)
{
    static struct span spans[SPANS];
    static bool is_in[SPANS];
    int found_some = 0, found_none = 0;

    (void)state;
    srand(1);
    for (int round = 0; round < ROUNDS; round++) {
        int i = rand() % SPANS;
        bool is_few = round % 2000 < 1000; /* and then again many */
        const struct span *found;

        if (is_in[i]) {
            span_set_remove(&set, &spans[i]);
            is_in[i] = false;
        } else if (!is_few || rand() % 100 == 0) {
            choose(&spans[i]);
            span_set_add(&set, &spans[i]);
            is_in[i] = true;
        }
        i = rand() % SPANS;
        if (spans[i].high == 0)
            continue;
        found = span_set_find(&set, spans[i].low, spans[i].high, is_wanted, &spans[i]);
        assert_int_equal(found != NULL, is_in_list(spans, is_in, &spans[i]));
        assert_true(!found || (found->low < spans[i].high && spans[i].low < found->high));
        found_some += found != NULL;
        found_none += found == NULL;
    }
    assert_true(found_some > 100 && found_none > 100);
    for (int i = 0; i < SPANS; i++)
        if (is_in[i])
            span_set_remove(&set, &spans[i]);
}

static void test_few_looks(void **state)
{
    struct span *spans = calloc(MANY, sizeof *spans);

    (void)state;
    for (uintptr_t i = 0; i < MANY; i++) {
        spans[i] = (struct span){.low = 8 * i, .high = 8 * i + 8};
        span_set_add(&set, &spans[i]);
    }
    assert_null(set.tree); /* small ones never need it */
    looks = 0;
    for (uintptr_t i = 0; i < MANY; i++)
        assert_null(span_set_find(&set, 8 * i, 8 * i + 8, is_wanted, &spans[i]));
    assert_int_equal(looks, MANY);
    for (uintptr_t i = 0; i < MANY; i++)
        span_set_remove(&set, &spans[i]);
    for (int level = 0; level < SPAN_LEVELS; level++)
        assert_int_equal(set.count[level], 0);
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
