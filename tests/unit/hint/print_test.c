#include "hint/print.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

/* Two measured hints, of which one gained nothing. */
static const struct gains measured = {
    .machine = "a machine",
    .date = "2026-01-02",
    .of = {[HINT_NO_ANY_TAG] = {1.5, 3, 2, "1.50 x for \"waiting\" messages"},
           [HINT_NO_LOCKS] = {1.04, 104, 100, "1.04 x for puts"}}};
static const struct gains unmeasured;

/* What `print` writes; the caller frees it. */
static char *text_of(void (*print)(FILE *))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    print(out);
    fclose(out);
    return text;
}

/* How often the page has a section of this key. */
static int count_sections(const char *page, const char *key)
{
    char heading[128];
    int count = 0;

    snprintf(heading, sizeof heading, "\n### `%s`\n", key);
    for (const char *at = strcasestr(page, heading); at; at = strcasestr(at + 1, heading))
        count++;
    return count;
}

static void print_page(FILE *out)
{
    hint_print_markdown(out, &measured);
}

static void the_page_has_every_key(void **state)
{
    char *page = text_of(print_page);

    (void)state;
    for (int id = 0; id < HINT_COUNT; id++) {
        const struct hint_row *row = &hint_table[id];

        assert_true(count_sections(page, row->key) >= 1);
        assert_non_null(strstr(page, row->text));
        assert_non_null(strstr(page, row->effect));
    }
    for (const struct other_key *k = other_key_table; k->key; k++)
        assert_true(count_sections(page, k->key) >= 1);
    assert_int_equal(count_sections(page, "no_locks"), 1);
    assert_int_equal(count_sections(page, "no_lock"), 0);
    free(page);
}

static void summary_of_all(FILE *out)
{
    int others = 0;

    while (other_key_table[others].key)
        others++;
    assert_int_equal(hint_print_summary(out, &measured, NULL),
                     HINT_COUNT + 6 + others); /* five rows are of several kinds of object */
}

static void summary_of_locks(FILE *out)
{
    assert_true(hint_print_summary(out, &measured, "Lock") > 1);
}

static void json_of_one(FILE *out)
{
    assert_int_equal(hint_print_json(out, &measured, "mpi_assert_no_any_source"), 1);
}

static void a_word_chooses_rows(void **state)
{
    char *summary = text_of(summary_of_locks), *json = text_of(json_of_one);

    (void)state;
    assert_non_null(strstr(summary, "  no_locks "));
    assert_null(strstr(summary, "mpi_assert_no_any_tag"));
    assert_non_null(strstr(json, "{\"key\": \"mpi_assert_no_any_source\", \"default\": \"false\""));
    assert_non_null(strstr(json, "\"of\": [\"Communicators\"]"));
    free(summary);
    free(json);
}

static void the_summary_has_every_row(void **state)
{
    char *summary = text_of(summary_of_all);

    (void)state;
    assert_non_null(strstr(summary, "\n  mpi_assert_no_any_tag "));
    assert_non_null(strstr(summary, "INKLING_EAGER_LIMIT "));
    for (int id = 0; id < HINT_COUNT; id++)
        assert_non_null(strcasestr(summary, hint_table[id].key));
    for (char *line = strtok(summary, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= 100);
    free(summary);
}

static void print_ordering(FILE *out)
{
    hint_print_row(out, &measured, &hint_table[HINT_STRICT_PERSISTENT_ORDERING]);
}

static void a_row_tells_all(void **state)
{
    char *text = text_of(print_ordering);

    (void)state;
    assert_non_null(strstr(text, "mpi_assert_strict_persistent_collective_ordering\n"));
    assert_non_null(strstr(text, "true or false; default: false\n"));
    assert_non_null(strstr(text, "  of       Communicators\n"));
    assert_non_null(strstr(text, "at creation, and later by set_info; all ranks must give the same value"));
    assert_non_null(strstr(text, "  since    MPI-4.1\n"));
    assert_non_null(strstr(text, "  broken   if the promise is broken: the collectives"));
    free(text);
}

static void print_wdir(FILE *out)
{
    assert_true(hint_print_other(out, "wdir"));
    assert_false(hint_print_other(out, "wdirs"));
}

static void other_keys_have_a_page(void **state)
{
    char *text = text_of(print_wdir);

    (void)state;
    assert_non_null(strstr(text, "wdir\n  meaning  The processes work in this folder"));
    assert_non_null(strstr(text, "  of       MPI_Comm_spawn, MPI_Comm_spawn_multiple\n"));
    free(text);
}

/* A hint that says something about the program says what happens if that is not true. */
static void every_assertion_says_what_breaks(void **state)
{
    (void)state;
    for (int id = 0; id < HINT_COUNT; id++)
        if (strncmp(hint_table[id].key, "mpi_assert_", strlen("mpi_assert_")) == 0 ||
            strncmp(hint_table[id].key, "same_", strlen("same_")) == 0)
            assert_non_null(hint_table[id].broken);
}

static void print_measured(FILE *out)
{
    hint_print_row(out, &measured, &hint_table[HINT_NO_ANY_TAG]);
    hint_print_row(out, &measured, &hint_table[HINT_NO_LOCKS]);
    hint_print_row(out, &measured, &hint_table[HINT_SAME_SIZE]);
    hint_print_json(out, &measured, "mpi_assert_no_any_tag");
}

static void print_unmeasured(FILE *out)
{
    hint_print_row(out, &unmeasured, &hint_table[HINT_NO_ANY_TAG]);
    hint_print_markdown(out, &unmeasured);
}

/* Figures have their machine and date; what gained nothing, or was not measured, is called so. */
static void gains_are_figures_of_a_machine(void **state)
{
    char *text = text_of(print_measured), *page = text_of(print_page), *summary = text_of(summary_of_locks),
         *bare = text_of(print_unmeasured);

    (void)state;
    assert_non_null(strstr(text, "  gain     1.50 x for \"waiting\" messages (a machine, 2026-01-02)\n"));
    assert_non_null(strstr(text, "  gain     no measured effect: 1.04 x for puts (a machine, 2026-01-02)\n"));
    assert_non_null(strstr(text, "  gain     not measured here\n"));
    assert_non_null(strstr(text,
                           "\"gain\": \"1.50 x for \\\"waiting\\\" messages\", \"machine\": \"a machine\", "
                           "\"date\": \"2026-01-02\"}"));
    assert_non_null(strstr(page, "They were measured on a machine, on 2026-01-02."));
    assert_non_null(strstr(page, "\n- **Gain**: no measured effect: 1.04 x for puts.\n"));
    assert_non_null(strstr(summary, "MPI-2.0 no measured effect\n"));
    assert_non_null(strstr(bare, "  gain     not measured here\n"));
    assert_non_null(strstr(bare, "Here it has measured none.\n"));
    assert_null(strstr(bare, "(null)"));
    free(text);
    free(page);
    free(summary);
    free(bare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_every_key),
        cmocka_unit_test(the_summary_has_every_row),
        cmocka_unit_test(a_word_chooses_rows),
        cmocka_unit_test(a_row_tells_all),
        cmocka_unit_test(other_keys_have_a_page),
        cmocka_unit_test(every_assertion_says_what_breaks),
        cmocka_unit_test(gains_are_figures_of_a_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
