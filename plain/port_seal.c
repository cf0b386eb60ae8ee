#include "plain/port_seal.h"

#include "plain/fail.h"

#include <mpi.h>
#include <string.h>

enum {
    CONNECTION_KEY = 'K', /* what is hashed, beside proofs of each enum port_side */
    TAG = 'T'
};

static int prove(const struct port_auth *p, const unsigned char *secret, int what,
                 unsigned char proof[KEYED_HASH_SIZE])
{
    unsigned char text[1 + sizeof *p];

    text[0] = (unsigned char)what;
    memcpy(text + 1, p, sizeof *p);
    return keyed_hash(secret, text, sizeof text, proof);
}

static bool holds(const struct port_auth *p, const unsigned char *secret, int what,
                  const unsigned char proof[KEYED_HASH_SIZE])
{
    unsigned char due[KEYED_HASH_SIZE];

    return prove(p, secret, what, due) == MPI_SUCCESS && keyed_secret_is_same(proof, due, sizeof due);
}

int port_auth_tag(const unsigned char *secret, uint64_t *tag)
{
    static const struct port_auth nobody;
    unsigned char hash[KEYED_HASH_SIZE];
    int error = prove(&nobody, secret, TAG, hash);

    memcpy(tag, hash, error ? 0 : sizeof *tag);
    return error;
}

int port_auth_call(struct port_auth *p, const unsigned char *secret, unsigned char call[PORT_CALL_SIZE])
{
    uint64_t tag;
    int error = port_auth_tag(secret, &tag);

    if (!error)
        error = keyed_secret_make(p->caller);
    if (error)
        return error;
    memcpy(call, &tag, sizeof tag);
    memcpy(call + sizeof tag, p->caller, sizeof p->caller);
    return MPI_SUCCESS;
}

bool port_auth_take_call(struct port_auth *p, uint64_t tag, const unsigned char call[PORT_CALL_SIZE])
{
    memcpy(p->caller, call + sizeof tag, sizeof p->caller);
    return keyed_secret_is_same((const unsigned char *)&tag, call, sizeof tag);
}

int port_auth_answer(struct port_auth *p, const unsigned char *secret, unsigned char answer[PORT_ANSWER_SIZE])
{
    int error = keyed_secret_make(p->listener);

    if (error)
        return error;
    memcpy(answer, p->listener, sizeof p->listener);
    return prove(p, secret, PORT_LISTENER, answer + sizeof p->listener);
}

bool port_auth_check(struct port_auth *p, const unsigned char *secret,
                     const unsigned char answer[PORT_ANSWER_SIZE], unsigned char last[KEYED_HASH_SIZE])
{
    memcpy(p->listener, answer, sizeof p->listener);
    if (!holds(p, secret, PORT_LISTENER, answer + sizeof p->listener))
        return false;
    return prove(p, secret, PORT_CALLER, last) == MPI_SUCCESS;
}

bool port_auth_check_last(const struct port_auth *p, const unsigned char *secret,
                          const unsigned char last[KEYED_HASH_SIZE])
{
    return holds(p, secret, PORT_CALLER, last);
}

/* The key of this connection, which the nonces do not show. */
static int port_auth_key(const struct port_auth *p, const unsigned char *secret,
                         unsigned char key[SECRET_SIZE])
{
    unsigned char hash[KEYED_HASH_SIZE];
    int error = prove(p, secret, CONNECTION_KEY, hash);

    memcpy(key, hash, error ? 0 : SECRET_SIZE);
    return error;
}

enum {
    USE_MASK = 1,
    USE_MAC
};

/* What a keyed hash covers beside the word. The hashes of two words, or for two uses, never cover the same. */
struct port_seal_place {
    uint64_t use, side, count, at;
};

int port_seal_begin(struct port_seal *s, enum port_side side, const struct port_auth *p,
                    const unsigned char *secret)
{
    *s = (struct port_seal){.side = side};
    return port_auth_key(p, secret, s->key);
}

size_t port_seal_size(const struct port_seal *s, size_t size)
{
    return s->side ? size + KEYED_HASH_SIZE : size;
}

/* Encrypts, and decrypts what it has encrypted. */
static int mask(const struct port_seal *s, enum port_side side, uint64_t count, unsigned char *bytes,
                size_t size)
{
    for (size_t at = 0; at < size; at += KEYED_HASH_SIZE) {
        struct port_seal_place place = {USE_MASK, side, count, at};
        unsigned char stream[KEYED_HASH_SIZE];
        int error = keyed_hash(s->key, &place, sizeof place, stream);

        if (error)
            return error;
        for (size_t i = 0; i < sizeof stream && at + i < size; i++)
            bytes[at + i] ^= stream[i];
    }
    return MPI_SUCCESS;
}

static int mac_of(const struct port_seal *s, enum port_side side, uint64_t count, const unsigned char *bytes,
                  size_t size, unsigned char mac[KEYED_HASH_SIZE])
{
    struct {
        struct port_seal_place place;
        unsigned char bytes[PORT_WORD_MAX];
    } text = {.place = {USE_MAC, side, count, size}};

    memcpy(text.bytes, bytes, size);
    return keyed_hash(s->key, &text, sizeof text.place + size, mac);
}

int port_seal_put(struct port_seal *s, const void *word, size_t size, unsigned char *sealed)
{
    uint64_t count = s->sent++;
    int error;

    memcpy(sealed, word, size);
    if (!s->side)
        return MPI_SUCCESS;
    error = mask(s, s->side, count, sealed, size);
    return error ? error : mac_of(s, s->side, count, sealed, size, sealed + size);
}

int port_seal_take(struct port_seal *s, const unsigned char *sealed, void *word, size_t size)
{
    enum port_side side = s->side == PORT_CALLER ? PORT_LISTENER : PORT_CALLER;
    uint64_t count = s->received++;
    unsigned char mac[KEYED_HASH_SIZE];
    int error = s->side ? mac_of(s, side, count, sealed, size, mac) : MPI_SUCCESS;

    if (error)
        return error;
    if (s->side && !keyed_secret_is_same(mac, sealed + size, sizeof mac))
        return fail(MPI_ERR_PORT,
                    "what the other job sent was changed on its way: a stranger at one of the port's "
                    "addresses passes the connection on, or that job has another version of this library");
    memcpy(word, sealed, size);
    return s->side ? mask(s, side, count, word, size) : MPI_SUCCESS;
}
