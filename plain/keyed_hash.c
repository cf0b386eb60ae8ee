#include "plain/keyed_hash.h"

#include "plain/fail.h"
#include "plain/library.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int loaded; /* the error of loading it */
static struct {
    const void *(*sha256)(void);
    unsigned char *(*hmac)(const void *digest, const void *key, int key_size, const unsigned char *text,
                           size_t size, unsigned char *result, unsigned *result_size);
} crypto;

static void load_crypto(void)
{
    static const char *const libraries[] = {"libcrypto.so.3", "libcrypto.so.1.1", NULL};
    static const struct library_function functions[] = {
        {&crypto.sha256, "EVP_sha256"}, {&crypto.hmac, "HMAC"}, {NULL, NULL}};
    static const unsigned char nothing[SECRET_SIZE];
    unsigned char hash[KEYED_HASH_SIZE];

    loaded = library_load(libraries, functions);
    if (!loaded) /* libcrypto registers its end with atexit() now, before its users register theirs */
        loaded = keyed_hash(nothing, "", 0, hash);
}

int keyed_hash_open(void)
{
    pthread_once(&once, load_crypto);
    if (loaded && crypto.hmac)
        return fail(MPI_ERR_OTHER,
                    "processes of several hosts prove who they are with HMAC-SHA256, which OpenSSL's "
                    "libcrypto refuses (see openssl.cnf, or OPENSSL_CONF)");
    return loaded
               ? fail(MPI_ERR_OTHER, "processes of several hosts prove who they are with OpenSSL's "
                                     "libcrypto.so.3, which cannot be loaded (Debian: apt install libssl3)")
               : MPI_SUCCESS;
}

int keyed_hash(const void *secret, const void *text, size_t size, unsigned char result[KEYED_HASH_SIZE])
{
    if (crypto.hmac(crypto.sha256(), secret, SECRET_SIZE, text, size, result, NULL))
        return MPI_SUCCESS;
    return fail(MPI_ERR_NO_MEM, "OpenSSL's libcrypto has no memory for an HMAC-SHA256");
}

/* Some containers refuse getrandom. */
static bool read_urandom(void *bytes, size_t size)
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    bool is_read = fd >= 0 && read(fd, bytes, size) == (ssize_t)size;

    if (fd >= 0)
        close(fd);
    return is_read;
}

static int make_random(void *bytes, size_t size)
{
    if (getrandom(bytes, size, 0) == (ssize_t)size || read_urandom(bytes, size))
        return MPI_SUCCESS;
    return fail(MPI_ERR_OTHER, "getrandom and /dev/urandom give no random numbers: %s", strerror(errno));
}

int keyed_secret_make(void *secret)
{
    return make_random(secret, SECRET_SIZE);
}

int keyed_number_make(uint64_t *number)
{
    return make_random(number, sizeof *number);
}

void keyed_secret_format(const unsigned char *secret, char text[SECRET_DIGITS + 1])
{
    for (int i = 0; i < SECRET_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", secret[i]);
}

bool keyed_secret_parse(const char *text, unsigned char *secret)
{
    if (strspn(text, "0123456789abcdef") < SECRET_DIGITS)
        return false;
    for (int i = 0; i < SECRET_SIZE; i++)
        sscanf(text + 2 * i, "%2hhx", &secret[i]);
    return true;
}

bool keyed_secret_is_same(const unsigned char *a, const unsigned char *b, size_t size)
{
    unsigned differs = 0;

    for (size_t i = 0; i < size; i++)
        differs |= (unsigned)(a[i] ^ b[i]);
    return differs == 0;
}
