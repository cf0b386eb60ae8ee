#include "hint/outside.h"

#include "unit.h"

#include <string.h>

static struct hint_span span(const char *text)
{
    return (struct hint_span){text, strlen(text)};
}

static bool matches(const char *file, int number, const char *function, const char *text)
{
    struct source_place place = {.number = number};

    strcpy(place.file, file);
    strcpy(place.function, function);
    return call_site_matches(&place, span(text));
}

static void places_are_told_from_names(void **state)
{
    (void)state;
    assert_true(call_site_is_place(span("halo.c:12")));
    assert_true(call_site_is_place(span("exchange()")));
    assert_false(call_site_is_place(span("MPI_Comm_dup")));
    assert_false(call_site_is_place(span("halo.c")));
    assert_false(call_site_is_place(span("halo.c:")));
    assert_false(call_site_is_place(span(":12")));
    assert_false(call_site_is_place(span("12")));
    assert_false(call_site_is_place(span("()")));
}

static void lines_match_with_and_without_folders(void **state)
{
    (void)state;
    assert_true(matches("/home/me/src/halo.c", 12, "main", "halo.c:12"));
    assert_true(matches("/home/me/src/halo.c", 12, "main", "src/halo.c:12"));
    assert_true(matches("/home/me/src/halo.c", 12, "main", "/home/me/src/halo.c:12"));
    assert_false(matches("/home/me/src/halo.c", 12, "main", "alo.c:12"));
    assert_false(matches("/home/me/src/halo.c", 12, "main", "halo.c:1"));
    assert_false(matches("/home/me/src/halo.c", 12, "main", "halo.c:112"));
    assert_false(matches("", 0, "main", "halo.c:12"));
}

static void functions_match_with_and_without_classes(void **state)
{
    (void)state;
    assert_true(matches("", 0, "exchange", "exchange()"));
    assert_true(matches("", 0, "grid::halo::exchange(int, double*)", "exchange()"));
    assert_true(matches("", 0, "grid::halo::exchange(int, double*)", "halo::exchange()"));
    assert_false(matches("", 0, "exchange_all", "exchange()"));
    assert_false(matches("", 0, "my_exchange", "exchange()"));
    assert_false(matches("", 0, "exchange", "exchange"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_told_from_names),
        cmocka_unit_test(lines_match_with_and_without_folders),
        cmocka_unit_test(functions_match_with_and_without_classes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
