#include "plain/log.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child that calls `act` writes to its standard error; *status as of waitpid. */
static void said_by(void (*act)(void), char *text, size_t size, int *status)
{
    int ends[2];
    ssize_t length, used = 0;
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[1]);
        act();
        _exit(7);
    }
    close(ends[1]);
    while ((length = read(ends[0], text + used, size - 1 - (size_t)used)) > 0)
        used += length;
    text[used] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(pid, status, 0), pid);
}

static void die(void)
{
    log_die("no more %s", "room");
}

static void warn(void)
{
    log_warn("little %s", "room");
}

static void warn_at_length(void)
{
    char *words = calloc(1, 10000);

    memset(words, 'x', 9999);
    log_warn("%s", words);
    free(words);
}

static void who_dies_has_said_why(void **state)
{
    char text[8192];
    int status;

    (void)state;
    said_by(die, text, sizeof text, &status);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_string_equal(text, "inkling: error: no more room\n");
}

static void who_is_warned_goes_on(void **state)
{
    char text[8192];
    int status;

    (void)state;
    said_by(warn, text, sizeof text, &status);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    assert_string_equal(text, "inkling: warning: little room\n");
}

/* Cut, but still one line. */
static void long_lines_end(void **state)
{
    char text[8192];
    int status;

    (void)state;
    said_by(warn_at_length, text, sizeof text, &status);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    assert_int_equal(text[strlen(text) - 2], 'x');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_dies_has_said_why),
        cmocka_unit_test(who_is_warned_goes_on),
        cmocka_unit_test(long_lines_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
