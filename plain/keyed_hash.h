/* keyed_hash: HMAC-SHA256, with which processes prove to each other over a network that they know a secret.
 *
 * It is libcrypto's, which is loaded where a process talks to other hosts. Only two of its functions are
 * called, whose types have not changed since OpenSSL 1.0, so its headers are not needed.
 *
 * Threads: any may call.
 */
#ifndef PLAIN_KEYED_HASH_H
#define PLAIN_KEYED_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KEYED_HASH_SIZE = 32,
    SECRET_SIZE = 16, /* bytes of a secret that nobody can guess */
    SECRET_DIGITS = 2 * SECRET_SIZE
};

/* MPI_ERR_OTHER with a note: libcrypto cannot be loaded, or is set up so that it has no HMAC-SHA256. */
int keyed_hash_open(void);

/* After keyed_hash_open. secret: SECRET_SIZE bytes. MPI_ERR_OTHER: libcrypto has no memory; there is no result. */
int keyed_hash(const void *secret, const void *text, size_t size, unsigned char result[KEYED_HASH_SIZE])
    __attribute__((warn_unused_result));

/* SECRET_SIZE random bytes. An error's note says why there are none. */
int keyed_secret_make(void *secret);
/* A random number, likewise. */
int keyed_number_make(uint64_t *number);
/* As SECRET_DIGITS hexadecimal digits and NUL. */
void keyed_secret_format(const unsigned char *secret, char text[SECRET_DIGITS + 1]);
/* Reads the first SECRET_DIGITS characters of the text. False: they are no secret. */
bool keyed_secret_parse(const char *text, unsigned char *secret);

/* Whether the bytes are equal; takes the same time wherever they differ. */
bool keyed_secret_is_same(const unsigned char *a, const unsigned char *b, size_t size);

#endif
