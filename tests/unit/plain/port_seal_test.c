#include "plain/port_seal.h"

#include "unit.h"

#include <mpi.h>
#include <string.h>

enum {
    SIZE = 77,
    SEALED = SIZE + KEYED_HASH_SIZE
};

static const unsigned char secret[SECRET_SIZE] = "0123456789abcde";

/* Both ends of a connection whose proof holds. */
static void open_ends(struct port_seal *caller, struct port_seal *listener)
{
    struct port_auth c, l;
    unsigned char call[PORT_CALL_SIZE], answer[PORT_ANSWER_SIZE], last[KEYED_HASH_SIZE];
    uint64_t tag;

    assert_int_equal(keyed_hash_open(), MPI_SUCCESS);
    assert_int_equal(port_auth_call(&c, secret, call), MPI_SUCCESS);
    assert_int_equal(port_auth_tag(secret, &tag), MPI_SUCCESS);
    assert_false(port_auth_take_call(&l, tag + 1, call));
    assert_true(port_auth_take_call(&l, tag, call));
    assert_memory_equal(l.caller, c.caller, sizeof l.caller);
    assert_int_equal(port_auth_answer(&l, secret, answer), MPI_SUCCESS);
    assert_true(port_auth_check(&c, secret, answer, last));
    assert_true(port_auth_check_last(&l, secret, last));
    assert_int_equal(port_seal_begin(caller, PORT_CALLER, &c, secret), MPI_SUCCESS);
    assert_int_equal(port_seal_begin(listener, PORT_LISTENER, &l, secret), MPI_SUCCESS);
}

static void make_word(unsigned char word[SIZE], int seed)
{
    for (int i = 0; i < SIZE; i++)
        word[i] = (unsigned char)(seed + i);
}

static void send_word(struct port_seal *from, struct port_seal *to, int seed)
{
    unsigned char word[SIZE], sealed[SEALED], heard[SIZE];

    make_word(word, seed);
    assert_int_equal(port_seal_size(from, SIZE), SEALED);
    assert_int_equal(port_seal_put(from, word, SIZE, sealed), MPI_SUCCESS);
    for (int i = 0; i + 4 <= SIZE; i++)
        assert_memory_not_equal(sealed + i, word + i, 4);
    assert_int_equal(port_seal_take(to, sealed, heard, SIZE), MPI_SUCCESS);
    assert_memory_equal(heard, word, SIZE);
}

static void words_arrive(void **state)
{
    struct port_seal caller, listener;

    (void)state;
    open_ends(&caller, &listener);
    for (int i = 0; i < 3; i++) {
        send_word(&caller, &listener, i);
        send_word(&listener, &caller, 100 + i);
        send_word(&listener, &caller, 100 + i);
    }
}

/* Equal words look different: in turn, from the other side, and on another connection. */
static void no_word_shows_another(void **state)
{
    struct port_seal end[4];
    unsigned char word[SIZE], sealed[5][SEALED];

    (void)state;
    make_word(word, 1);
    open_ends(&end[0], &end[1]);
    open_ends(&end[2], &end[3]);
    for (int i = 0; i < 5; i++)
        assert_int_equal(port_seal_put(&end[i % 4], word, SIZE, sealed[i]), MPI_SUCCESS);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++)
            for (int at = 0; at + 4 <= SEALED; at++)
                assert_memory_not_equal(sealed[i] + at, sealed[j] + at, 4);
}

static void a_change_is_an_error(void **state)
{
    struct port_seal caller, listener, before;
    unsigned char word[SIZE], sealed[SEALED], heard[SIZE];

    (void)state;
    open_ends(&caller, &listener);
    make_word(word, 1);
    assert_int_equal(port_seal_put(&caller, word, SIZE, sealed), MPI_SUCCESS);
    before = listener;
    for (int i = 0; i < SEALED; i++) {
        sealed[i] ^= 1;
        listener = before;
        assert_int_equal(port_seal_take(&listener, sealed, heard, SIZE), MPI_ERR_PORT);
        sealed[i] ^= 1;
    }
    listener = before;
    assert_int_equal(port_seal_take(&listener, sealed, heard, SIZE), MPI_SUCCESS);
}

/* A word that is sent again, sent back, left out, or of another connection. */
static void a_word_has_one_place(void **state)
{
    struct port_seal caller, listener, other[2];
    unsigned char word[SIZE], sealed[3][SEALED], heard[SIZE];

    (void)state;
    open_ends(&caller, &listener);
    open_ends(&other[0], &other[1]);
    make_word(word, 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(port_seal_put(&caller, word, SIZE, sealed[i]), MPI_SUCCESS);
    assert_int_equal(port_seal_take(&other[1], sealed[0], heard, SIZE), MPI_ERR_PORT);
    assert_int_equal(port_seal_take(&caller, sealed[0], heard, SIZE), MPI_ERR_PORT);
    assert_int_equal(port_seal_take(&listener, sealed[0], heard, SIZE), MPI_SUCCESS);
    assert_int_equal(port_seal_take(&listener, sealed[0], heard, SIZE), MPI_ERR_PORT);
    listener.received = 1;
    assert_int_equal(port_seal_take(&listener, sealed[2], heard, SIZE), MPI_ERR_PORT);
}

/* Within a host, and on the program's own socket. */
static void without_a_seal_words_go_as_they_are(void **state)
{
    struct port_seal none = {0};
    unsigned char word[SIZE], sealed[SIZE], heard[SIZE];

    (void)state;
    make_word(word, 1);
    assert_int_equal(port_seal_size(&none, SIZE), SIZE);
    assert_int_equal(port_seal_put(&none, word, SIZE, sealed), MPI_SUCCESS);
    assert_memory_equal(sealed, word, SIZE);
    assert_int_equal(port_seal_take(&none, sealed, heard, SIZE), MPI_SUCCESS);
    assert_memory_equal(heard, word, SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_arrive),
        cmocka_unit_test(no_word_shows_another),
        cmocka_unit_test(a_change_is_an_error),
        cmocka_unit_test(a_word_has_one_place),
        cmocka_unit_test(without_a_seal_words_go_as_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
