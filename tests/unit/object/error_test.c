#include "object/error.h"

#include "plain/fail.h"
#include "unit.h"

#include <mpi.h>
#include <string.h>

static const char *string_of(int code)
{
    static char text[MPI_MAX_ERROR_STRING];
    int length;

    assert_int_equal(error_get_string(code, text, &length), MPI_SUCCESS);
    assert_int_equal(length, strlen(text));
    return text;
}

static void check_predefined(int code)
{
    int error_class = -1;

    assert_non_null(error_name(code));
    assert_true(strlen(string_of(code)) > strlen(error_name(code)) + strlen(": "));
    assert_null(strchr(string_of(code), '\n'));
    assert_int_equal(error_get_class(code, &error_class), MPI_SUCCESS);
    assert_int_equal(error_class, code);
    assert_true(strncmp(string_of(code), error_name(code), strlen(error_name(code))) == 0);
}

static void every_predefined_class_has_a_text(void **state)
{
    (void)state;
    for (int code = MPI_SUCCESS; code <= MPI_ERR_ABI; code++)
        check_predefined(code);
    for (int code = MPI_T_ERR_CANNOT_INIT; code <= MPI_T_ERR_PVAR_NO_ATOMIC; code++)
        check_predefined(code);
    check_predefined(MPI_ERR_LASTCODE);
    assert_string_equal(string_of(MPI_SUCCESS), "MPI_SUCCESS: no error");
}

static void what_is_no_code_is_refused(void **state)
{
    static const int bad[] = {-1,     MPI_ERR_ABI + 1, 1000, 1019, MPI_ERR_LASTCODE - 1, MPI_ERR_LASTCODE + 1,
                              1 << 30};
    char text[MPI_MAX_ERROR_STRING] = "untouched";
    int n = -7;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(error_get_class(bad[i], &n), MPI_ERR_ARG);
        assert_int_equal(error_get_string(bad[i], text, &n), MPI_ERR_ARG);
        assert_int_equal(error_add_code(bad[i], &n), MPI_ERR_ARG);
        assert_int_equal(error_remove_class(bad[i]), MPI_ERR_ARG);
        assert_int_equal(error_remove_code(bad[i]), MPI_ERR_ARG);
        assert_int_equal(error_remove_string(bad[i]), MPI_ERR_ARG);
        assert_int_equal(error_add_string(bad[i], "x"), MPI_ERR_ARG);
    }
    assert_int_equal(error_add_string(MPI_ERR_RANK, "x"), MPI_ERR_ARG);
    assert_int_equal(error_remove_class(MPI_ERR_RANK), MPI_ERR_ARG);
    assert_string_equal(text, "untouched");
    assert_int_equal(n, -7);
}

static void note_of_the_last_failure_is_appended_to_its_class(void **state)
{
    (void)state;
    fail(MPI_ERR_TAG, "tag %d is negative", -5);
    assert_string_equal(string_of(MPI_ERR_TAG), "MPI_ERR_TAG: invalid tag: tag -5 is negative");
    assert_string_equal(string_of(MPI_ERR_RANK), "MPI_ERR_RANK: invalid rank");
}

static void long_note_is_cut(void **state)
{
    char note[FAIL_NOTE_SIZE];

    (void)state;
    memset(note, 'x', sizeof note - 1);
    note[sizeof note - 1] = '\0';
    fail(MPI_ERR_ARG, "%s", note);
    assert_true(strlen(string_of(MPI_ERR_ARG)) < MPI_MAX_ERROR_STRING);
}

static void added_numbers_follow_the_last_used(void **state)
{
    int error_class, code[3], found;

    (void)state;
    assert_int_equal(error_last_used, MPI_ERR_LASTCODE);
    assert_int_equal(error_add_class(&error_class), MPI_SUCCESS);
    assert_int_equal(error_class, error_last_used);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(error_add_code(error_class, &code[i]), MPI_SUCCESS);
        assert_int_equal(error_get_class(code[i], &found), MPI_SUCCESS);
        assert_int_equal(found, error_class);
        assert_int_equal(code[i], error_last_used);
    }
    assert_int_equal(error_remove_class(error_class), MPI_ERR_ARG); /* it has codes */
    assert_int_equal(error_remove_code(error_class), MPI_ERR_ARG);
    assert_int_equal(error_remove_class(code[0]), MPI_ERR_ARG);
    assert_int_equal(error_remove_code(code[1]), MPI_SUCCESS);
    assert_int_equal(error_remove_code(code[1]), MPI_ERR_ARG);
    assert_int_equal(error_last_used, code[2]);
    assert_int_equal(error_add_code(MPI_ERR_RANK, &found), MPI_SUCCESS);
    assert_int_equal(found, code[1]); /* numbers are used again */
    assert_int_equal(error_get_class(found, &found), MPI_SUCCESS);
    assert_int_equal(found, MPI_ERR_RANK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(error_remove_code(code[i]), MPI_SUCCESS);
    assert_int_equal(error_last_used, error_class);
    assert_int_equal(error_remove_class(error_class), MPI_SUCCESS);
    assert_int_equal(error_last_used, MPI_ERR_LASTCODE);
}

static void strings_come_and_go(void **state)
{
    char longest[MPI_MAX_ERROR_STRING + 1];
    int error_class, code;

    (void)state;
    error_add_class(&error_class);
    error_add_code(error_class, &code);
    assert_string_equal(string_of(code), "");
    assert_int_equal(error_remove_string(code), MPI_ERR_ARG);
    assert_int_equal(error_add_string(code, "first"), MPI_SUCCESS);
    assert_int_equal(error_add_string(code, "second"), MPI_SUCCESS);
    assert_string_equal(string_of(code), "second");
    assert_string_equal(string_of(error_class), "");
    assert_int_equal(error_remove_code(code), MPI_ERR_ARG); /* it has a string */
    memset(longest, 'y', sizeof longest);
    longest[MPI_MAX_ERROR_STRING] = '\0';
    assert_int_equal(error_add_string(code, longest), MPI_ERR_ARG);
    longest[MPI_MAX_ERROR_STRING - 1] = '\0';
    assert_int_equal(error_add_string(code, longest), MPI_SUCCESS);
    assert_string_equal(string_of(code), longest);
    assert_int_equal(error_remove_string(code), MPI_SUCCESS);
    assert_int_equal(error_remove_code(code), MPI_SUCCESS);
    assert_int_equal(error_remove_class(error_class), MPI_SUCCESS);
}

static void numbers_are_not_used_up(void **state)
{
    int error_class[32], code[32][5];

    (void)state;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 32; i++) {
            error_add_class(&error_class[i]);
            for (int j = 0; j < 5; j++)
                error_add_code(error_class[i], &code[i][j]);
        }
        for (int i = 0; i < 32; i++) {
            for (int j = 0; j < 5; j++)
                assert_int_equal(error_remove_code(code[i][j]), MPI_SUCCESS);
            assert_int_equal(error_remove_class(error_class[i]), MPI_SUCCESS);
        }
    }
    assert_true(code[31][4] <= MPI_ERR_LASTCODE + 32 * 6);
    assert_int_equal(error_last_used, MPI_ERR_LASTCODE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_predefined_class_has_a_text),
        cmocka_unit_test(what_is_no_code_is_refused),
        cmocka_unit_test(note_of_the_last_failure_is_appended_to_its_class),
        cmocka_unit_test(long_note_is_cut),
        cmocka_unit_test(added_numbers_follow_the_last_used),
        cmocka_unit_test(strings_come_and_go),
        cmocka_unit_test(numbers_are_not_used_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
