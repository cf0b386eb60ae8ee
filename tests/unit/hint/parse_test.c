/* parse: the values that each type of row takes, and how they are written. */
#include "hint/parse.h"

#include "unit.h"

static const struct hint_row row_bool = {.key = "b", .type = HINT_BOOL};
static const struct hint_row row_int = {.key = "i", .type = HINT_INT, .min = -5, .max = 1000};
static const struct hint_row row_wide = {.key = "w", .type = HINT_INT};
static const struct hint_row row_size = {.key = "s", .type = HINT_SIZE, .min = 0, .max = INT64_MAX};
static const struct hint_row row_time = {.key = "t", .type = HINT_DURATION};
static const struct hint_row row_choice = {.key = "c", .type = HINT_CHOICE, .choices = "auto,shm,ofi"};

static const struct hint_row row_set = {.key = "m", .type = HINT_SET, .choices = "rar,raw,war,waw"};

static void complain(const char *text, const char *what)
{
    print_error("\"%s\": %s\n", text, what);
    assert_true(false);
}

/* Parses to `expected` and formats back to `canonical`. */
static void accepts(const struct hint_row *row, const char *text, int64_t expected, const char *canonical)
{
    char buffer[64];
    int64_t value = 4711;

    if (!parse_value(row, text, &value))
        complain(text, "was refused");
    assert_int_equal(value, expected);
    hint_format_value(row, value, buffer, sizeof buffer);
    assert_string_equal(buffer, canonical);
    assert_true(parse_value(row, canonical, &value));
    assert_int_equal(value, expected);
}

static void refuses(const struct hint_row *row, const char *text)
{
    int64_t value = 4711;

    if (parse_value(row, text, &value))
        complain(text, "was accepted");
    assert_int_equal(value, 4711);
}

static void booleans(void **state)
{
    static const char *const bad[] = {"",    "TRUE",  "True", "1",          "0",        "yes",
                                      "tru", "true,", "t",    "true false", "false\vx", "maybe"};

    (void)state;
    accepts(&row_bool, "true", 1, "true");
    accepts(&row_bool, "false", 0, "false");
    accepts(&row_bool, "  true\t\n", 1, "true");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses(&row_bool, bad[i]);
}

static void integers(void **state)
{
    static const char *const bad[] = {
        "",    " ",   "+",    "-",  "+ 1", "- 1", "1 2", "0x10",
        "1.0", "1e3", "1001", "-6", "12a", "--1", "+-1", "99999999999999999999"};

    (void)state;
    accepts(&row_int, "0", 0, "0");
    accepts(&row_int, "-0", 0, "0");
    accepts(&row_int, "+7", 7, "7");
    accepts(&row_int, " -5 ", -5, "-5");
    accepts(&row_int, "0001000", 1000, "1000");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses(&row_int, bad[i]);
    accepts(&row_wide, "9223372036854775807", INT64_MAX, "9223372036854775807");
    refuses(&row_wide, "9223372036854775808");
}

static void sizes(void **state)
{
    static const char *const bad[] = {
        "", "K", "1 K", "1KB", "1T", "-1", "+1", "1.5K", "9223372036854775808", "9007199254740993K", "4k"};

    (void)state;
    accepts(&row_size, "0", 0, "0");
    accepts(&row_size, "0K", 0, "0");
    accepts(&row_size, " 4096 ", 4096, "4K");
    accepts(&row_size, "64K", 65536, "64K");
    accepts(&row_size, "1024K", 1 << 20, "1M");
    accepts(&row_size, "3G", 3LL << 30, "3G");
    accepts(&row_size, "1000", 1000, "1000");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses(&row_size, bad[i]);
}

static void durations(void **state)
{
    static const char *const bad[] = {"", "5", "us", "5 us", "5m", "-5us", "1.5ms", "10000000000s"};

    (void)state;
    accepts(&row_time, "0", 0, "0");
    accepts(&row_time, "20us", 20000, "20us");
    accepts(&row_time, "1500us", 1500000, "1500us");
    accepts(&row_time, "2000ms", 2000000000, "2s");
    accepts(&row_time, " 7ns ", 7, "7ns");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses(&row_time, bad[i]);
}

static void choices(void **state)
{
    (void)state;
    accepts(&row_choice, "auto", 0, "auto");
    accepts(&row_choice, " ofi ", 2, "ofi");
    refuses(&row_choice, "");
    refuses(&row_choice, "Auto");
    refuses(&row_choice, "aut");
    refuses(&row_choice, "auto,shm");
}

static void sets(void **state)
{
    static const char *const bad[] = {"",         "  ",       ",",         "rar,",    ",rar",
                                      "rar,,waw", "RAR",      "None",      "rar waw", "rar,rar",
                                      "rar,none", "none,rar", "none,none", "ra",      "rar;waw",
                                      "rarr",     "all",      "waw,x,rar", "true",    "rar,waw,rar"};

    (void)state;
    accepts(&row_set, "none", 0, "none");
    accepts(&row_set, "\tnone ", 0, "none");
    accepts(&row_set, "rar", 1, "rar");
    accepts(&row_set, "waw", 8, "waw");
    accepts(&row_set, "waw,rar", 9, "rar,waw");
    accepts(&row_set, " war ,\traw ", 6, "raw,war");
    accepts(&row_set, "waw,war,raw,rar", 15, "rar,raw,war,waw");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses(&row_set, bad[i]);
}

static void legal_is(const struct hint_row *row, const char *expected)
{
    char legal[128];

    hint_format_legal(row, legal, sizeof legal);
    assert_string_equal(legal, expected);
}

/* Never more than the buffer has room for. */
static void sets_are_cut(void **state)
{
    char buffer[16] = "###############";

    (void)state;
    hint_format_value(&row_set, 15, buffer, 6);
    assert_string_equal(buffer, "rar,r");
    assert_string_equal(buffer + 6, "#########");
    legal_is(&row_set, "none, or a list of some of rar,raw,war,waw");
}

static void lists(void **state)
{
    const char *rest = " a ,,b c";
    struct hint_span element;

    (void)state;
    assert_true(hint_list_next(&rest, &element));
    assert_true(hint_span_is(element, "a"));
    assert_true(hint_list_next(&rest, &element));
    assert_int_equal(element.length, 0);
    assert_true(hint_list_next(&rest, &element));
    assert_true(hint_span_is(element, "b c"));
    assert_false(hint_list_next(&rest, &element));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(booleans),     cmocka_unit_test(integers), cmocka_unit_test(sizes),
        cmocka_unit_test(durations),    cmocka_unit_test(choices),  cmocka_unit_test(sets),
        cmocka_unit_test(sets_are_cut), cmocka_unit_test(lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
