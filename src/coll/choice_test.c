/* choice: the tables fit to each other and to the rows of the hint table; each row's words do what they say.
 */
#include "coll/choice.h"
#include "hint/hint.h"
#include "unit.h"

#include <limits.h>
#include <string.h>

static const unsigned all_traits =
    TRAIT_COMMUTATIVE | TRAIT_ITEMS | TRAIT_EQUAL | TRAIT_OUT_OF_PLACE | TRAIT_EVEN | TRAIT_HOSTS | TRAIT_SHM;

/* The choices of the hint row are the collective's algorithms, in order. */
static void rows_name_algorithms(void **state)
{
    (void)state;
    for (int c = 0; c < COLL_COUNT; c++) {
        const struct choice_list *list = &choice_lists[c];
        char choices[200] = "auto";

        for (int i = 0; i < list->algorithms; i++) {
            strcat(choices, ",");
            strcat(choices, choice_algorithm_name(list->algorithm[i].algorithm));
        }
        assert_string_equal(hint_table[HINT_BARRIER + c].choices, choices);
        assert_string_equal(hint_table[HINT_BARRIER + c].key + strlen("inkling_"), list->name);
    }
}

/* Whether the algorithm is one of the collective's, with what it needs there. */
static bool is_possible(enum collective collective, enum algorithm algorithm, unsigned traits)
{
    const struct choice_list *list = &choice_lists[collective];

    for (int i = 0; i < list->algorithms; i++)
        if (list->algorithm[i].algorithm == algorithm)
            return (list->algorithm[i].needs & ~traits) == 0;
    return false;
}

/* Whatever is asked for, something is found, also where nothing special is possible: an algorithm that can do
 * it. */
static void something_is_always_possible(void **state)
{
    static const size_t bytes[] = {0, 8, 4096, 1 << 20, SIZE_MAX};
    static const int ranks[] = {1, 2, 3, 16, 17, 33, INT_MAX};

    (void)state;
    hints_init(&hint_process, ON_PROCESS | ON_COMMAND);
    for (int c = 0; c < COLL_COUNT; c++)
        for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++)
            for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
                for (unsigned traits = 0; traits <= all_traits; traits++)
                    assert_true(is_possible(
                        (enum collective)c,
                        choice_make(&hint_process, (enum collective)c, bytes[b], ranks[r], traits), traits));
    hints_fini(&hint_process);
}

/* What choice_bytes_below() says of mailboxes is what the table answers to every call of one host, whatever its other
 * traits are; so a communicator may keep it. */
static void mailboxes_are_chosen_whatever_else(void **state)
{
    static const size_t bytes[] = {0,    1,    8,     63,    64,    65,    1000, 4096,
                                   4097, 8192, 16384, 16385, 32768, 32769, 65536};
    int chosen = 0;

    (void)state;
    hints_init(&hint_process, ON_PROCESS | ON_COMMAND);
    for (int c = 0; c < COLL_COUNT; c++)
        for (int ranks = 2; ranks <= 65; ranks++) {
            size_t below =
                choice_bytes_below(&hint_process, (enum collective)c, ALGORITHM_SHM, ranks, TRAIT_SHM);

            for (unsigned traits = 0; traits < TRAIT_HOSTS; traits++) {
                for (size_t b = 0; b < sizeof bytes / sizeof *bytes && bytes[b] < below; b++, chosen++)
                    assert_int_equal(
                        choice_make(&hint_process, (enum collective)c, bytes[b], ranks, traits | TRAIT_SHM),
                        ALGORITHM_SHM);
                if (below)
                    assert_int_equal(
                        choice_make(&hint_process, (enum collective)c, below - 1, ranks, traits | TRAIT_SHM),
                        ALGORITHM_SHM);
            }
        }
    assert_true(chosen > 1000);
    hints_fini(&hint_process);
}

/* A row that names an algorithm, even where that is impossible, rules out shared memory for any other one. */
static void rows_rule_out_shared_memory(void **state)
{
    (void)state;
    for (int c = 0; c < COLL_COUNT; c++)
        for (int i = 0; i < choice_lists[c].algorithms; i++) {
            const struct choice_algorithm *a = &choice_lists[c].algorithm[i];
            enum algorithm small, large;

            hints_init(&hint_process, ON_PROCESS | ON_COMMAND);
            hint_process.value[HINT_BARRIER + c] = i + 1;
            small = choice_make(&hint_process, (enum collective)c, 8, 4, TRAIT_SHM);
            large = choice_make(&hint_process, (enum collective)c, 1 << 24, 4, TRAIT_DIRECT);
            assert_int_equal(small == ALGORITHM_SHM, a->algorithm == ALGORITHM_SHM);
            assert_int_equal(small == ALGORITHM_SINGLE_COPY, a->algorithm == ALGORITHM_SINGLE_COPY);
            assert_int_equal(large == ALGORITHM_SINGLE_COPY, a->algorithm == ALGORITHM_SINGLE_COPY);
            hints_fini(&hint_process);
        }
}

static void rows_force(void **state)
{
    (void)state;
    for (int c = 0; c < COLL_COUNT; c++)
        for (int i = 0; i < choice_lists[c].algorithms; i++) {
            const struct choice_algorithm *a = &choice_lists[c].algorithm[i];

            hints_init(&hint_process, ON_PROCESS | ON_COMMAND);
            hint_process.value[HINT_BARRIER + c] = i + 1;
            assert_int_equal(choice_make(&hint_process, (enum collective)c, 64, 4, all_traits), a->algorithm);
            if (a->needs)
                assert_int_not_equal(
                    choice_make(&hint_process, (enum collective)c, 64, 4, all_traits & ~a->needs),
                    a->algorithm);
            hints_fini(&hint_process);
        }
}

/* A communicator's own row comes before the process's; without one it has the process's, also if that changes. */
static void communicators_have_rows_of_their_own(void **state)
{
    struct hints h;

    (void)state;
    hints_init(&hint_process, ON_PROCESS | ON_COMMAND);
    hints_init(&h, ON_COMM);
    assert_int_equal(choice_make(&h, COLL_ALLREDUCE, 8, 4, all_traits), ALGORITHM_SHM);
    hint_offer(&hint_process, AT_START, "inkling_allreduce", "tree");
    assert_int_equal(choice_make(&h, COLL_ALLREDUCE, 8, 4, all_traits), ALGORITHM_TREE);
    assert_int_equal(choice_bytes_below(&h, COLL_ALLREDUCE, ALGORITHM_SHM, 4, TRAIT_SHM), 0);
    assert_int_equal(hint_offer(&h, AT_SET, "inkling_allreduce", "doubling"), HINT_ACCEPTED);
    assert_int_equal(choice_make(&h, COLL_ALLREDUCE, 8, 4, all_traits), ALGORITHM_DOUBLING);
    assert_int_equal(choice_make(&hint_process, COLL_ALLREDUCE, 8, 4, all_traits), ALGORITHM_TREE);
    assert_int_equal(hint_offer(&h, AT_SET, "inkling_allreduce", "auto"), HINT_ACCEPTED);
    assert_int_equal(choice_make(&h, COLL_ALLREDUCE, 8, 4, all_traits), ALGORITHM_SHM);
    assert_true(choice_bytes_below(&h, COLL_ALLREDUCE, ALGORITHM_SHM, 4, TRAIT_SHM) > 0);
    hints_fini(&h);
    hints_fini(&hint_process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_name_algorithms),
        cmocka_unit_test(something_is_always_possible),
        cmocka_unit_test(mailboxes_are_chosen_whatever_else),
        cmocka_unit_test(rows_rule_out_shared_memory),
        cmocka_unit_test(communicators_have_rows_of_their_own),
        cmocka_unit_test(rows_force),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
