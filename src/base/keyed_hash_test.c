#include "base/keyed_hash.h"

#include "unit.h"

#include <mpi.h>
#include <string.h>

/* HMAC-SHA256 of "what do ya want for nothing?" under 16 bytes 0x0b, worked out with Python's hmac. */
static void it_is_hmac_sha256(void **state)
{
    static const unsigned char due[KEYED_HASH_SIZE] = {
        0x77, 0xbe, 0x70, 0xe0, 0x0d, 0x17, 0xbd, 0x17, 0x8a, 0xab, 0x51, 0xf6, 0xff, 0x96, 0xd5, 0xfa,
        0xa6, 0x2c, 0xd2, 0xc5, 0x1a, 0xfb, 0xa2, 0x1f, 0x2c, 0x5d, 0x54, 0x2f, 0x93, 0x99, 0x9d, 0x06};
    static const char text[] = "what do ya want for nothing?";
    unsigned char secret[SECRET_SIZE], result[KEYED_HASH_SIZE];

    (void)state;
    memset(secret, 0x0b, sizeof secret);
    assert_int_equal(keyed_hash_open(), MPI_SUCCESS);
    keyed_hash(secret, text, strlen(text), result);
    assert_memory_equal(result, due, sizeof due);
    assert_true(keyed_secret_is_same(result, due, sizeof due));
    for (size_t i = 0; i < sizeof due; i++) {
        result[i] ^= 1;
        assert_false(keyed_secret_is_same(result, due, sizeof due));
        result[i] ^= 1;
    }
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
        cmocka_unit_test(it_is_hmac_sha256),
        cmocka_unit_test(secrets_differ),
        cmocka_unit_test(secrets_as_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
