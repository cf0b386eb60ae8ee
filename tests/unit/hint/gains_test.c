#include "hint/gains.h"

#include "plain/fail.h"
#include "unit.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads a file with this text. */
static int read_text(const char *text, struct gains *g)
{
    char path[] = "/tmp/inkling_gains_XXXXXX";
    int fd = mkstemp(path), error;

    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    error = gains_read(path, g);
    unlink(path);
    return error;
}

static void a_file_is_read(void **state)
{
    struct gains g;

    (void)state;
    assert_int_equal(read_text("{\n \"machine\": \"M, 2 cores\", \"date\": \"2026-01-02\",\n \"gains\": [\n"
                               "  {\"key\": \"no_locks\", \"ratio\": 1.02, \"off\": 5e1, \"on\": 49, "
                               "\"text\": \"a \\\"b\\\"\"},\n"
                               "  {\"key\": \"of_another_version\", \"ratio\": 9, \"text\": \"c\"},\n"
                               "  {\"key\": \"same_size\", \"ratio\": 1.5, \"text\": \"d\"}\n ]\n}\n",
                               &g),
                     MPI_SUCCESS);
    assert_string_equal(g.machine, "M, 2 cores");
    assert_string_equal(g.date, "2026-01-02");
    assert_string_equal(gains_find(&g, HINT_NO_LOCKS)->text, "a \"b\"");
    assert_true(gains_find(&g, HINT_NO_LOCKS)->off == 50 && gains_find(&g, HINT_NO_LOCKS)->on == 49);
    assert_true(gains_are_none(gains_find(&g, HINT_NO_LOCKS)));
    assert_false(gains_are_none(gains_find(&g, HINT_SAME_SIZE)));
    assert_null(gains_find(&g, HINT_NO_ANY_TAG));
    gains_fini(&g);
    assert_null(gains_find(&g, HINT_NO_LOCKS));
}

/* The committed file is what bench/hints.py writes. */
static void the_last_measurement_is_read(void **state)
{
    struct gains g;

    (void)state;
    assert_int_equal(gains_read(ROOT "/bench/results/gains.json", &g), MPI_SUCCESS);
    assert_non_null(gains_find(&g, HINT_NO_ANY_TAG));
    assert_true(gains_find(&g, HINT_MEMORY_KINDS)->on > 0);
    gains_fini(&g);
}

/* The note names the file; nothing of it is kept. */
static void what_is_malformed_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "{}",
        "no JSON",
        "{\"machine\": \"M\"}",
        "{\"machine\": \"M\", \"date\": \"D",
        "{\"machine\": \"M\", \"date\": \"D\", \"gains\": [{\"key\": \"no_locks\", \"ratio\": }]}",
        "{\"machine\": \"M\", \"date\": \"D\\u0041\"}",
        "{\"machine\": \"M\", \"date\" \"D\"}",
        "{\"machine\": \"M\", \"date\": \"D\", \"gains\": [{\"key\"",
    };
    struct gains g;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_not_equal(read_text(texts[i], &g), MPI_SUCCESS);
        assert_non_null(strstr(fail_note(), "/tmp/inkling_gains_"));
        assert_null(g.machine);
        assert_null(gains_find(&g, HINT_NO_LOCKS));
    }
    assert_int_equal(gains_read("/nowhere/gains.json", &g), MPI_ERR_NO_SUCH_FILE);
    assert_non_null(strstr(fail_note(), "/nowhere/gains.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(the_last_measurement_is_read),
        cmocka_unit_test(what_is_malformed_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
