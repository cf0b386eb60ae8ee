#include "plain/port_auth.h"

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

int port_auth_key(const struct port_auth *p, const unsigned char *secret, unsigned char key[SECRET_SIZE])
{
    unsigned char hash[KEYED_HASH_SIZE];
    int error = prove(p, secret, CONNECTION_KEY, hash);

    memcpy(key, hash, error ? 0 : SECRET_SIZE);
    return error;
}
