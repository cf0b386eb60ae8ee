/* json: what is JSON is read, and what is not is refused with its place. */
#include "plain/json.h"

#include "plain/fail.h"
#include "unit.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void values_are_found(void **state)
{
    static const char text[] =
        "{\"a\": [1, -2.5e1, true, null], \"b\": {\"c\": \"x\\u00e9\\n\\\"\"}, \"d\": []}";
    struct json_tree tree;
    const struct json_value *v;
    unsigned long long whole;
    double number;
    char copy[16];

    (void)state;
    assert_int_equal(json_read(&tree, text, strlen(text)), MPI_SUCCESS);
    v = json_first(&tree, json_member(&tree, tree.value, "a"));
    assert_true(json_whole(v, &whole));
    assert_int_equal(whole, 1);
    v = json_next(&tree, v);
    assert_true(json_number(v, &number) && number == -25);
    assert_false(json_whole(v, &whole));
    v = json_next(&tree, v);
    assert_int_equal(v->kind, JSON_TRUE);
    v = json_next(&tree, v);
    assert_int_equal(v->kind, JSON_NULL);
    assert_null(json_next(&tree, v));
    json_copy(json_member(&tree, json_member(&tree, tree.value, "b"), "c"), copy, sizeof copy);
    assert_string_equal(copy, "x\xc3\xa9\n\"");
    json_copy(json_member(&tree, json_member(&tree, tree.value, "b"), "c"), copy, 3);
    assert_string_equal(copy, "x");
    assert_null(json_first(&tree, json_member(&tree, tree.value, "d")));
    assert_null(json_member(&tree, tree.value, "e"));
    json_free(&tree);
}

static void refuse(const char *text, const char *note)
{
    struct json_tree tree;

    assert_int_equal(json_read(&tree, text, strlen(text)), MPI_ERR_OTHER);
    assert_string_equal(fail_note(), note);
}

static void what_is_not_json_is_refused(void **state)
{
    char deep[64] = "";

    (void)state;
    refuse("", "line 1, column 1: the text ends where there should be a value");
    refuse("{\"a\": 1,\n \"b\" 2}", "line 2, column 6: '2' stands where there should be a colon");
    refuse("[1 2]", "line 1, column 4: '2' stands where there should be a comma or ]");
    refuse("[1,]", "line 1, column 4: ']' stands where there should be a value");
    refuse("{\"a\": 1,}",
           "line 1, column 9: '}' stands where there should be the name of a member, in quotes");
    refuse("01", "line 1, column 1: '0' stands where there should be a number without zeros before it");
    refuse("1.", "line 1, column 3: the text ends where there should be a digit");
    refuse("-", "line 1, column 2: the text ends where there should be a digit");
    refuse("1e+", "line 1, column 4: the text ends where there should be a digit");
    refuse("tru", "line 1, column 1: 't' stands where there should be a value");
    refuse("\"a", "line 1, column 3: the text ends where there should be the quote that ends a text");
    refuse("\"\\x\"",
           "line 1, column 2: '\\' stands where there should be a character of a text, or its quote");
    refuse("\"\\u12g4\"",
           "line 1, column 2: '\\' stands where there should be a character of a text, or its quote");
    refuse("{} x", "line 1, column 4: 'x' stands where there should be the end");
    memset(deep, '[', 40);
    refuse(deep,
           "line 1, column 18: '[' stands where there should be no further level of objects and arrays");
}

/* Quotes, backslashes and control characters have escapes; a < does not end a script of a page. */
static void what_is_written_is_read_again(void **state)
{
    static const char text[] = "C:\\dir \"x\"\t</p>\x01\xc3\xa9";
    char *written = NULL, copy[64];
    size_t length = 0;
    FILE *out = open_memstream(&written, &length);
    struct json_tree tree;

    (void)state;
    json_write_member(out, "{", "a", text);
    json_write_member(out, ", ", "b", NULL);
    fputc('}', out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(written,
                        "{\"a\": \"C:\\\\dir \\\"x\\\"\\u0009\\u003c/p>\\u0001\xc3\xa9\", \"b\": null}");
    assert_int_equal(json_read(&tree, written, length), MPI_SUCCESS);
    json_copy(json_member(&tree, tree.value, "a"), copy, sizeof copy);
    assert_string_equal(copy, text);
    json_free(&tree);
    free(written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(what_is_not_json_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
