#include "plain/port_lines.h"

#include "unit.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static const unsigned char secret[SECRET_SIZE] = "0123456789abcde";

static struct port_connection sender, receiver;
static struct port_lines lines;

static void seal_both(void)
{
    struct port_auth auth = {.caller = "one", .listener = "other"};

    assert_int_equal(keyed_hash_open(), MPI_SUCCESS);
    assert_int_equal(port_seal_begin(&sender.seal, PORT_CALLER, &auth, secret), MPI_SUCCESS);
    assert_int_equal(port_seal_begin(&receiver.seal, PORT_LISTENER, &auth, secret), MPI_SUCCESS);
}

static void open_both(bool is_sealed)
{
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    sender = (struct port_connection){.fd = ends[0]};
    receiver = (struct port_connection){.fd = ends[1]};
    lines = (struct port_lines){0};
    if (is_sealed)
        seal_both();
}

static void close_both(void)
{
    close(sender.fd);
    close(receiver.fd);
}

static void expect_line(const char *due)
{
    char *line;

    assert_int_equal(port_lines_next(&receiver, &lines, &line), MPI_SUCCESS);
    if (due)
        assert_string_equal(line, due);
    else
        assert_null(line);
}

static void expect_error(int due)
{
    char *line;

    assert_int_equal(port_lines_next(&receiver, &lines, &line), due);
    assert_null(line);
}

/* Of lengths that end before, at and after the end of a word, and the longest. */
static void lines_come(bool is_sealed)
{
    static const int lengths[] = {
        0, 1, PORT_WORD_MAX - 2, PORT_WORD_MAX - 1, PORT_WORD_MAX, 700, PMI_LINE_SIZE - 1};
    char text[PMI_LINE_SIZE] = "";

    open_both(is_sealed);
    expect_line(NULL);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        memset(text, 'a' + (int)i, (size_t)lengths[i]);
        text[lengths[i]] = '\0';
        assert_int_equal(port_lines_send(&sender, text, 100), MPI_SUCCESS);
        if (i % 2)
            assert_int_equal(port_lines_send(&sender, "next", 100), MPI_SUCCESS);
        expect_line(text);
        if (i % 2)
            expect_line("next");
        expect_line(NULL);
    }
    assert_false(lines.is_over);
    close(sender.fd);
    expect_line(NULL);
    assert_true(lines.is_over);
    close(receiver.fd);
}

static void plain_lines_come(void **state)
{
    (void)state;
    lines_come(false);
}

static void sealed_lines_come(void **state)
{
    (void)state;
    lines_come(true);
}

static void a_line_that_is_too_long_is_not_sent(void **state)
{
    char text[PMI_LINE_SIZE + 1];

    (void)state;
    open_both(false);
    memset(text, 'a', PMI_LINE_SIZE);
    text[PMI_LINE_SIZE] = '\0';
    assert_int_equal(port_lines_send(&sender, text, 100), MPI_ERR_OTHER);
    expect_line(NULL);
    close_both();
}

/* Sends it as it is. */
static void send_raw(const char *bytes, size_t size)
{
    assert_int_equal(send(sender.fd, bytes, size, MSG_NOSIGNAL), size);
}

static void a_word_comes_in_pieces(void **state)
{
    char word[PORT_WORD_MAX] = "one\ntwo\nthr";

    (void)state;
    open_both(false);
    send_raw(word, 100);
    expect_line(NULL);
    send_raw(word + 100, sizeof word - 100);
    expect_line("one");
    expect_line("two");
    expect_line(NULL);
    memset(word, 0, sizeof word);
    send_raw(word, sizeof word);
    memcpy(word, "ee\n", 3);
    send_raw(word, sizeof word);
    expect_line("three");
    close_both();
}

static void words_without_an_end_are_an_error(void **state)
{
    char word[PORT_WORD_MAX];

    (void)state;
    open_both(false);
    memset(word, 'x', sizeof word);
    for (int i = 0; i <= PMI_LINE_SIZE / PORT_WORD_MAX; i++)
        send_raw(word, sizeof word);
    expect_error(MPI_ERR_OTHER);
    close_both();
}

static void an_end_within_a_word_is_an_error(void **state)
{
    char word[PORT_WORD_MAX] = "one\n";

    (void)state;
    open_both(false);
    send_raw(word, sizeof word - 1);
    close(sender.fd);
    expect_line(NULL);
    expect_error(MPI_ERR_PORT);
    assert_false(lines.is_over);
    close(receiver.fd);
}

static void a_word_that_was_changed_is_an_error(void **state)
{
    char sealed[PORT_SEALED_MAX];

    (void)state;
    open_both(true);
    assert_int_equal(port_lines_send(&sender, "one", 100), MPI_SUCCESS);
    assert_int_equal(recv(receiver.fd, sealed, sizeof sealed, 0), sizeof sealed);
    sealed[1] ^= 1;
    send_raw(sealed, sizeof sealed);
    expect_error(MPI_ERR_PORT);
    close_both();
}

static void who_does_not_read_is_given_up(void **state)
{
    char text[PMI_LINE_SIZE];
    int error = MPI_SUCCESS;

    (void)state;
    open_both(false);
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int i = 0; i < 10000 && !error; i++)
        error = port_lines_send(&sender, text, 20);
    assert_int_equal(error, MPI_ERR_PORT);
    close_both();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lines_come),
        cmocka_unit_test(sealed_lines_come),
        cmocka_unit_test(a_line_that_is_too_long_is_not_sent),
        cmocka_unit_test(a_word_comes_in_pieces),
        cmocka_unit_test(words_without_an_end_are_an_error),
        cmocka_unit_test(an_end_within_a_word_is_an_error),
        cmocka_unit_test(a_word_that_was_changed_is_an_error),
        cmocka_unit_test(who_does_not_read_is_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
