#include "plain/pmi_line.h"

#include "plain/fail.h"
#include "unit.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pmi_line line;

/* Parses a copy, which the line points into. */
static int parse(const char *text)
{
    static char copy[PMI_LINE_SIZE];

    snprintf(copy, sizeof copy, "%s", text);
    return pmi_line_parse(copy, &line);
}

static void test_words(void **state)
{
    (void)state;
    assert_int_equal(parse("cmd=put kvsname=k key=a value=x=y;z"), 0);
    assert_int_equal(line.count, 4);
    assert_true(pmi_line_is(&line, "put"));
    assert_false(pmi_line_is(&line, "pu"));
    assert_string_equal(pmi_line_find(&line, "key"), "a");
    assert_string_equal(pmi_line_find(&line, "value"), "x=y;z");
    assert_null(pmi_line_find(&line, "val"));
    assert_int_equal(parse("cmd=get_result  rc=0 value= "), 0); /* spaces too many, a value empty */
    assert_string_equal(pmi_line_find(&line, "value"), "");
}

static void test_malformed(void **state)
{
    static const char *const lines[] = {"",      " ",       "cmd",         "cmd=a b", "=cmd",
                                        "a=cmd", "cmd=a =", "kvsname=cmd", "\x01\xff"};
    char many[256] = "cmd=x";

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_int_equal(parse(lines[i]), MPI_ERR_OTHER);
    assert_null(strpbrk(fail_note(), "\x01\xff"));
    for (int i = 1; i < PMI_WORDS; i++)
        strcat(many, " a=b");
    assert_int_equal(parse(many), 0);
    strcat(many, " a=b");
    assert_int_equal(parse(many), MPI_ERR_OTHER);
}

static void test_integers(void **state)
{
    int value = 5;

    (void)state;
    assert_int_equal(parse("cmd=x a=7 b=-1 c=1x d= e=99999999999 f=2147483647"), 0);
    assert_int_equal(pmi_line_int(&line, "a", &value), 0);
    assert_int_equal(value, 7);
    assert_int_equal(pmi_line_int(&line, "b", &value), 0);
    assert_int_equal(value, -1);
    for (const char *bad = "cdez"; *bad; bad++) {
        char name[2] = {*bad, 0};

        assert_int_equal(pmi_line_int(&line, name, &value), MPI_ERR_OTHER);
        assert_int_equal(value, -1); /* outputs only on success */
    }
    assert_int_equal(pmi_line_int(&line, "f", &value), 0);
    assert_int_equal(value, 2147483647);
}

static void test_escapes(void **state)
{
    static const char text[] = "two lines,\n100 % of \"a=b\" \xc3\xa9\t";
    char word[256], back[256];

    (void)state;
    pmi_line_escape(text, word, sizeof word);
    assert_null(strpbrk(word, " \n=\t"));
    pmi_line_unescape(word, back, sizeof back);
    assert_string_equal(back, text);
    pmi_line_escape("abc def", word, 8); /* cut, but never within an escape */
    assert_string_equal(word, "abc%20");
    pmi_line_unescape("a%2", back, sizeof back);
    assert_string_equal(back, "a%2");
    pmi_line_unescape("a%00b%zz", back, sizeof back);
    assert_string_equal(back, "a%00b%zz");
    pmi_line_unescape("abcdef", back, 4);
    assert_string_equal(back, "abc");
}

static void test_wire(void **state)
{
    struct pmi_inbox inbox = {0};
    bool open;
    int ends[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(pmi_inbox_fill(&inbox, ends[1], MSG_DONTWAIT, &open), 0);
    assert_true(open);
    assert_null(pmi_inbox_next(&inbox));
    assert_int_equal(pmi_line_send(ends[0], "cmd=%s rc=%d", "a", 0), 0);
    assert_int_equal(pmi_line_send(ends[0], "cmd=b"), 0);
    assert_int_equal(write(ends[0], "cmd", 3), 3);
    assert_int_equal(pmi_inbox_fill(&inbox, ends[1], 0, &open), 0);
    assert_string_equal(pmi_inbox_next(&inbox), "cmd=a rc=0");
    assert_string_equal(pmi_inbox_next(&inbox), "cmd=b");
    assert_null(pmi_inbox_next(&inbox));
    assert_int_equal(write(ends[0], "=c\n", 3), 3);
    assert_int_equal(pmi_inbox_fill(&inbox, ends[1], 0, &open), 0);
    assert_string_equal(pmi_inbox_next(&inbox), "cmd=c");
    close(ends[0]);
    assert_int_equal(pmi_inbox_fill(&inbox, ends[1], 0, &open), 0);
    assert_false(open);
    close(ends[1]);
}

static void test_too_long(void **state)
{
    static struct pmi_inbox inbox;
    static char noise[PMI_LINE_SIZE];
    bool open;
    int ends[2], error = 0;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    memset(noise, 'a', sizeof noise);
    noise[sizeof noise - 1] = 0;
    assert_int_equal(pmi_line_send(ends[0], "cmd=%s", noise), MPI_ERR_OTHER); /* not sent in part */
    assert_int_equal(pmi_inbox_fill(&inbox, ends[1], MSG_DONTWAIT, &open), 0);
    assert_int_equal(inbox.end, 0);
    assert_int_equal(write(ends[0], noise, sizeof noise), sizeof noise);
    for (int i = 0; i < 3 && !error; i++) {
        error = pmi_inbox_fill(&inbox, ends[1], MSG_DONTWAIT, &open);
        assert_null(pmi_inbox_next(&inbox));
    }
    assert_int_equal(error, MPI_ERR_OTHER);
    close(ends[0]);
    assert_int_equal(pmi_line_send(ends[1], "cmd=x"), MPI_ERR_OTHER); /* nobody there: no SIGPIPE */
    close(ends[1]);
}

/* Whether it is another number of this socket; closes it. */
static bool is_other_of(int fd, int socket)
{
    struct stat one, other;
    bool is = fstat(fd, &one) == 0 && fstat(socket, &other) == 0 && one.st_ino == other.st_ino;

    close(fd);
    return is;
}

static void test_descriptors(void **state)
{
    static struct pmi_inbox inbox;
    int ends[2], others[3][2], lowest;
    bool open;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, others[i]), 0);
    lowest = dup(ends[0]);
    close(lowest);
    assert_int_equal(pmi_inbox_take(&inbox), -1);
    for (int i = 0; i < 3; i++) { /* six descriptors: two more than an inbox keeps */
        assert_int_equal(pmi_line_pass(ends[0], "cmd=spawn", others[i], 2), 0);
        assert_int_equal(pmi_inbox_fill(&inbox, ends[1], 0, &open), 0);
        assert_string_equal(pmi_inbox_next(&inbox), "cmd=spawn");
    }
    assert_int_equal(fcntl(lowest + PMI_PASSED - 1, F_GETFD), FD_CLOEXEC);
    assert_int_equal(fcntl(lowest + PMI_PASSED, F_GETFD), -1);
    for (int i = 0; i < PMI_PASSED; i++)
        assert_true(is_other_of(pmi_inbox_take(&inbox), others[i / 2][i % 2]));
    assert_int_equal(pmi_inbox_take(&inbox), -1);
    close(ends[1]);
    assert_int_equal(pmi_line_pass(ends[0], "cmd=spawn", others[0], 2), MPI_ERR_OTHER);
    close(ends[0]);
    for (int i = 0; i < 6; i++)
        close(others[i / 2][i % 2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words),      cmocka_unit_test(test_malformed),
                                       cmocka_unit_test(test_integers),   cmocka_unit_test(test_escapes),
                                       cmocka_unit_test(test_wire),       cmocka_unit_test(test_too_long),
                                       cmocka_unit_test(test_descriptors)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
