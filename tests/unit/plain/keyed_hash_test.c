#include "plain/keyed_hash.h"

#include "plain/fail.h"
#include "unit.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* HMAC-SHA256 of "what do ya want for nothing?" under 16 bytes 0x0b, worked out with Python's hmac. */
static const unsigned char due[KEYED_HASH_SIZE] = {
    0x77, 0xbe, 0x70, 0xe0, 0x0d, 0x17, 0xbd, 0x17, 0x8a, 0xab, 0x51, 0xf6, 0xff, 0x96, 0xd5, 0xfa,
    0xa6, 0x2c, 0xd2, 0xc5, 0x1a, 0xfb, 0xa2, 0x1f, 0x2c, 0x5d, 0x54, 0x2f, 0x93, 0x99, 0x9d, 0x06};

static int hash_it(unsigned char result[KEYED_HASH_SIZE])
{
    static const char text[] = "what do ya want for nothing?";
    unsigned char secret[SECRET_SIZE];

    memset(secret, 0x0b, sizeof secret);
    return keyed_hash(secret, text, strlen(text), result);
}

static void it_is_hmac_sha256(void **state)
{
    unsigned char result[KEYED_HASH_SIZE];

    (void)state;
    assert_int_equal(keyed_hash_open(), MPI_SUCCESS);
    assert_int_equal(hash_it(result), MPI_SUCCESS);
    assert_memory_equal(result, due, sizeof due);
    assert_true(keyed_secret_is_same(result, due, sizeof due));
    for (size_t i = 0; i < sizeof due; i++) {
        result[i] ^= 1;
        assert_false(keyed_secret_is_same(result, due, sizeof due));
        result[i] ^= 1;
    }
}

/* Whether libcrypto says that it makes no hash, or makes the right one. */
static bool is_honest(void)
{
    unsigned char result[KEYED_HASH_SIZE] = {0};

    if (keyed_hash_open())
        return fail_class() == MPI_ERR_OTHER && strstr(fail_note(), "OPENSSL_CONF");
    return hash_it(result) == MPI_SUCCESS && memcmp(result, due, sizeof due) == 0;
}

/* Such a setup leaves libcrypto 3 without algorithms; libcrypto 1.1 ignores it. */
static void no_hash_is_an_error(void **state)
{
    static const char setup[] = "openssl_conf = a\n[a]\nproviders = b\n[b]\nnull = c\n[c]\nactivate = 1\n";
    char file[] = "/tmp/keyed_hash_XXXXXX";
    int fd = mkstemp(file), status;
    pid_t child;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, setup, strlen(setup)), strlen(setup));
    close(fd);
    child = fork();
    if (child == 0) {
        setenv("OPENSSL_CONF", file, 1);
        _exit(is_honest() ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    unlink(file);
    assert_int_equal(status, 0);
}

static void numbers_differ(void **state)
{
    uint64_t one, other;

    (void)state;
    assert_int_equal(keyed_number_make(&one), MPI_SUCCESS);
    assert_int_equal(keyed_number_make(&other), MPI_SUCCESS);
    assert_true(one != other);
}

static void secrets_differ(void **state)
{
    unsigned char one[SECRET_SIZE] = {0}, other[SECRET_SIZE] = {0};

    (void)state;
    assert_int_equal(keyed_secret_make(one), MPI_SUCCESS);
    assert_int_equal(keyed_secret_make(other), MPI_SUCCESS);
    assert_false(keyed_secret_is_same(one, other, SECRET_SIZE));
}

static void secrets_as_text(void **state)
{
    unsigned char secret[SECRET_SIZE], again[SECRET_SIZE];
    char text[SECRET_DIGITS + 1];

    (void)state;
    assert_int_equal(keyed_secret_make(secret), MPI_SUCCESS);
    secret[0] = 0x0a;
    keyed_secret_format(secret, text);
    assert_int_equal(strlen(text), SECRET_DIGITS);
    assert_memory_equal(text, "0a", 2);
    assert_true(keyed_secret_parse(text, again));
    assert_memory_equal(secret, again, SECRET_SIZE);
    text[SECRET_DIGITS - 1] = 'g';
    assert_false(keyed_secret_parse(text, again));
    text[SECRET_DIGITS - 1] = 0;
    assert_false(keyed_secret_parse(text, again));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_hash_is_an_error), /* before this process loads libcrypto */
        cmocka_unit_test(it_is_hmac_sha256),   cmocka_unit_test(numbers_differ),
        cmocka_unit_test(secrets_differ),      cmocka_unit_test(secrets_as_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
