#include "insight/board/suppression.c"

#include "insight/board/finding_list.c"

#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char why[256];

static struct suppression *suppression_of(const char *text)
{
    char path[] = "/tmp/inkling-suppression-XXXXXX";
    int fd = mkstemp(path);
    struct suppression *list;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    list = suppression_read(path, why, sizeof why);
    unlink(path);
    return list;
}

static bool suppresses(const char *text, enum finding_class class)
{
    static const struct source_place place = {
        .file = "/home/me/src/halo.c", .function = "grid::exchange(int)", .number = 12};
    struct suppression *list = suppression_of(text);
    bool is_suppressed = suppression_matches(list, class, "/usr/lib/python3/MPI.cpython-311.so", &place);

    assert_string_equal(why, "");
    suppression_free(list);
    return is_suppressed;
}

static void lines_say_which_class_and_where(void **state)
{
    static const char *const places[] = {"halo.c",       "src/halo.c:12",   "/home/me/src/halo.c",
                                         "halo.c:*",     "exchange()",      "MPI.*.so",
                                         "python3/MPI*", "grid::exchange()"};
    static const char *const others[] = {"alo.c", "halo.c:1",   "exchange", "change()",
                                         "MPI",   "halo.c:112", "/halo.c"};
    char line[128];

    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(line, sizeof line, "# why\n\nleak@nowhere\n leak @ %s \n", places[i]);
        assert_true(suppresses(line, FINDING_LEAK));
        assert_false(suppresses(line, FINDING_BUFFER));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(line, sizeof line, "leak@%s", others[i]);
        assert_false(suppresses(line, FINDING_LEAK));
    }
    assert_true(suppresses("leak", FINDING_LEAK));
    assert_true(suppresses("*-mismatch", FINDING_ROOT));
    assert_false(suppresses("*-mismatch", FINDING_LEAK));
    assert_false(suppresses("", FINDING_LEAK));
}

static void an_unknown_place_is_nowhere(void **state)
{
    struct suppression *list = suppression_of("leak@?*\nrequest");
    const struct source_place unknown = {.number = 0};

    (void)state;
    assert_false(suppression_matches(list, FINDING_LEAK, "", &unknown));
    assert_true(suppression_matches(list, FINDING_REQUEST, "", &unknown));
    suppression_free(list);
}

static void malformed_lines_are_named(void **state)
{
    (void)state;
    assert_null(suppression_of("leak\nleaks@halo.c\n"));
    assert_non_null(strstr(why, "line 2: there is no class \"leaks\""));
    assert_null(suppression_of("leak@\n"));
    assert_string_equal(why, "line 1: a line is CLASS or CLASS@WHERE");
    assert_null(suppression_of("@halo.c\n"));
    assert_string_equal(why, "line 1: a line is CLASS or CLASS@WHERE");
    assert_null(suppression_read("/no/such/file", why, sizeof why));
    assert_string_equal(why, "No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_say_which_class_and_where),
        cmocka_unit_test(an_unknown_place_is_nowhere),
        cmocka_unit_test(malformed_lines_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
