/* choice: the tables fit to each other and to the rows of the hint table; each row's words do what they say.
 */
#include "coll/choice.h"

#include "hint/coll_rules.h"
#include "unit.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const unsigned all_traits = TRAIT_COMMUTATIVE | TRAIT_ITEMS | TRAIT_EQUAL | TRAIT_OUT_OF_PLACE |
                                   TRAIT_EVEN | TRAIT_HOSTS | TRAIT_IN_ORDER | TRAIT_SHM | TRAIT_TREE;

static struct choice_place of(int ranks)
{
    return (struct choice_place){.ranks = ranks};
}

/* The choices of the hint row are the collective's algorithms, in order. */
static void rows_name_algorithms(void **state)
{
    (void)state;
    for (int c = 0; c < COLL_COUNT; c++) {
        char choices[200] = "auto";

        for (int i = 0; i < choice_lists[c]->algorithms; i++) {
            strcat(choices, ",");
            strcat(choices, choice_lists[c]->algorithm[i].word);
        }
        assert_string_equal(hint_table[HINT_BARRIER + c].choices, choices);
        assert_string_equal(hint_table[HINT_BARRIER + c].key + strlen("inkling_"), choice_lists[c]->name);
        assert_int_equal(choice_lists[c]->collective, c);
    }
}

/* An algorithm has a builder, or a plan if it is one of shared memory; the first is that of mailboxes, the last needs nothing. */
static void rows_have_builders(void **state)
{
    (void)state;
    for (int c = 0; c < COLL_COUNT; c++) {
        const struct choice_algorithm *a = choice_lists[c]->algorithm;

        assert_int_equal(a[0].needs, TRAIT_MAILBOX);
        assert_int_equal(a[choice_lists[c]->algorithms - 1].needs, 0);
        for (int i = 0; i < choice_lists[c]->algorithms; i++) {
            assert_int_equal(!a[i].build, (a[i].needs & TRAIT_SHM) != 0);
            assert_int_equal(!a[i].plan, !(a[i].needs & TRAIT_SHM));
        }
        assert_int_equal(!choice_lists[c]->inter, c == COLL_BARRIER || c == COLL_SCAN);
    }
}

/* Whether the text has this setting. */
static bool has_setting(const char *text, const char *collective, const char *word)
{
    char setting[64] = "INKLING_";
    size_t length = strlen(setting);

    for (const char *c = collective; *c; c++)
        setting[length++] = (char)toupper((unsigned char)*c);
    snprintf(setting + length, sizeof setting - length, "=%s", word);
    length = strlen(setting);
    for (const char *at = strstr(text, setting); at; at = strstr(at + 1, setting))
        if (strchr(" \n)", at[length]))
            return true;
    return false;
}

/* tests/coll runs each algorithm in each form of its collective. */
static void rows_have_tests(void **state)
{
    static char text[8192];
    FILE *ways = fopen(ROOT "/tests/coll/ways.cmake", "r");
    int missing = 0;

    (void)state;
    assert_non_null(ways);
    assert_in_range(fread(text, 1, sizeof text - 1, ways), 1, sizeof text - 2);
    fclose(ways);
    for (int c = 0; c < COLL_COUNT; c++)
        for (int i = 0; i < choice_lists[c]->algorithms; i++)
            if (!has_setting(text, choice_lists[c]->name, choice_lists[c]->algorithm[i].word)) {
                print_error("no way of tests/coll/ways.cmake takes %s of %s\n",
                            choice_lists[c]->algorithm[i].word, choice_lists[c]->name);
                missing++;
            }
    assert_int_equal(missing, 0);
}

/* Whatever is asked for, something is found that can do it, also where nothing special is possible. */
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
                    assert_int_equal(
                        choice_make(&hint_process, choice_lists[c], bytes[b], of(ranks[r]), traits)->needs &
                            ~traits,
                        0);
    hints_fini(&hint_process);
}

/* What choice_mailbox_below() says of mailboxes is what the table answers to every call of one host, whatever its other
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
            size_t below = choice_mailbox_below(&hint_process, choice_lists[c], of(ranks), TRAIT_SHM);

            for (unsigned traits = 0; traits < TRAIT_HOSTS; traits++) {
                for (size_t b = 0; b < sizeof bytes / sizeof *bytes && bytes[b] < below; b++, chosen++)
                    assert_ptr_equal(
                        choice_make(&hint_process, choice_lists[c], bytes[b], of(ranks), traits | TRAIT_SHM),
                        choice_lists[c]->algorithm);
                if (below)
                    assert_ptr_equal(
                        choice_make(&hint_process, choice_lists[c], below - 1, of(ranks), traits | TRAIT_SHM),
                        choice_lists[c]->algorithm);
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
        for (int i = 0; i < choice_lists[c]->algorithms; i++) {
            const struct choice_algorithm *a = &choice_lists[c]->algorithm[i];
            const struct choice_algorithm *small, *large;

            hints_init(&hint_process, ON_PROCESS | ON_COMMAND);
            hint_process.value[HINT_BARRIER + c] = i + 1;
            small = choice_make(&hint_process, choice_lists[c], 8, of(4), TRAIT_SHM);
            large = choice_make(&hint_process, choice_lists[c], 1 << 24, of(4), TRAIT_SINGLE_COPY);
            assert_int_equal(small->needs & TRAIT_SHM, a->needs & TRAIT_SHM);
            assert_int_equal(large->needs & TRAIT_SHM, a->needs & TRAIT_SINGLE_COPY);
            hints_fini(&hint_process);
        }
}

static void rows_force(void **state)
{
    (void)state;
    for (int c = 0; c < COLL_COUNT; c++)
        for (int i = 0; i < choice_lists[c]->algorithms; i++) {
            const struct choice_algorithm *a = &choice_lists[c]->algorithm[i];

            hints_init(&hint_process, ON_PROCESS | ON_COMMAND);
            hint_process.value[HINT_BARRIER + c] = i + 1;
            assert_ptr_equal(choice_make(&hint_process, choice_lists[c], 64, of(4), all_traits), a);
            if (a->needs)
                assert_ptr_not_equal(
                    choice_make(&hint_process, choice_lists[c], 64, of(4), all_traits & ~a->needs), a);
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
    assert_string_equal(choice_make(&h, &allreduce_list, 8, of(4), all_traits)->word, "mailbox");
    hint_offer(&hint_process, AT_START, "inkling_allreduce", "tree");
    assert_string_equal(choice_make(&h, &allreduce_list, 8, of(4), all_traits)->word, "tree");
    assert_int_equal(choice_mailbox_below(&h, &allreduce_list, of(4), TRAIT_SHM), 0);
    assert_int_equal(hint_offer(&h, AT_SET, "inkling_allreduce", "doubling"), HINT_ACCEPTED);
    assert_string_equal(choice_make(&h, &allreduce_list, 8, of(4), all_traits)->word, "doubling");
    assert_string_equal(choice_make(&hint_process, &allreduce_list, 8, of(4), all_traits)->word, "tree");
    assert_int_equal(hint_offer(&h, AT_SET, "inkling_allreduce", "auto"), HINT_ACCEPTED);
    assert_string_equal(choice_make(&h, &allreduce_list, 8, of(4), all_traits)->word, "mailbox");
    assert_true(choice_mailbox_below(&h, &allreduce_list, of(4), TRAIT_SHM) > 0);
    hints_fini(&h);
    hints_fini(&hint_process);
}

/* The rules of a file come first, where they speak of the call and are possible; mailboxes are known to be chosen only below the first
 * of them that names another algorithm. */
static void files_come_first(void **state)
{
    struct {
        struct rules rules;
        struct rule rule[3];
    } file = {.rules = {.count = 3},
              .rule = {{.collective = COLL_ALLREDUCE,
                        .algorithm = 2,
                        .from_bytes = 100,
                        .to_bytes = 200,
                        .from_ranks = 4,
                        .to_ranks = 4,
                        .to_hosts = 1},
                       {.collective = COLL_ALLREDUCE,
                        .algorithm = 4,
                        .from_bytes = 64,
                        .to_bytes = 80,
                        .to_ranks = 8,
                        .from_hosts = 2,
                        .to_hosts = 9},
                       {.collective = COLL_ALLREDUCE,
                        .algorithm = 4,
                        .from_bytes = 1000,
                        .to_bytes = SIZE_MAX,
                        .to_ranks = 8,
                        .to_hosts = 9}}};
    struct choice_place one = {.ranks = 4, .hosts = 1, .rules = &file.rules}, other = one;

    (void)state;
    hints_init(&hint_process, ON_PROCESS | ON_COMMAND);
    other.ranks = 5;
    assert_string_equal(choice_make(&hint_process, &allreduce_list, 100, one, all_traits)->word, "star");
    assert_string_equal(choice_make(&hint_process, &allreduce_list, 100, other, all_traits)->word, "mailbox");
    assert_string_equal(choice_make(&hint_process, &allreduce_list, 99, one, all_traits)->word, "mailbox");
    assert_string_equal(choice_make(&hint_process, &bcast_list, 100, one, all_traits)->word, "mailbox");
    assert_string_equal(choice_make(&hint_process, &allreduce_list, 1000, one, all_traits)->word, "pieces");
    assert_string_equal(choice_make(&hint_process, &allreduce_list, 1000, one, TRAIT_SHM)->word, "mailbox");
    assert_int_equal(choice_mailbox_below(&hint_process, &allreduce_list, one, TRAIT_SHM), 100);
    assert_int_equal(choice_mailbox_below(&hint_process, &allreduce_list, other, TRAIT_SHM), 1000);
    other.hosts = 2;
    assert_string_equal(choice_make(&hint_process, &allreduce_list, 70, other, all_traits)->word, "pieces");
    assert_int_equal(choice_mailbox_below(&hint_process, &allreduce_list, other, TRAIT_SHM), 64);
    hint_process.value[HINT_ALLREDUCE] = 4; /* a row comes before the file */
    assert_string_equal(choice_make(&hint_process, &allreduce_list, 100, one, all_traits)->word, "tree");
    hints_fini(&hint_process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_name_algorithms),
        cmocka_unit_test(rows_have_builders),
        cmocka_unit_test(rows_have_tests),
        cmocka_unit_test(something_is_always_possible),
        cmocka_unit_test(mailboxes_are_chosen_whatever_else),
        cmocka_unit_test(rows_rule_out_shared_memory),
        cmocka_unit_test(communicators_have_rows_of_their_own),
        cmocka_unit_test(files_come_first),
        cmocka_unit_test(rows_force),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
