#include "dynamic/port_proof.h"

#include <mpi.h>
#include <string.h>

static int prove(const struct port_proof *p, const unsigned char *secret, char side,
                 unsigned char proof[KEYED_HASH_SIZE])
{
    unsigned char text[1 + sizeof *p];

    text[0] = (unsigned char)side;
    memcpy(text + 1, p, sizeof *p);
    return keyed_hash(secret, text, sizeof text, proof);
}

static bool holds(const struct port_proof *p, const unsigned char *secret, char side,
                  const unsigned char proof[KEYED_HASH_SIZE])
{
    unsigned char due[KEYED_HASH_SIZE];

    return prove(p, secret, side, due) == MPI_SUCCESS && keyed_secret_is_same(proof, due, sizeof due);
}

int port_proof_call(struct port_proof *p)
{
    return keyed_secret_make(p->caller);
}

int port_proof_answer(struct port_proof *p, const unsigned char *secret,
                      unsigned char answer[PORT_ANSWER_SIZE])
{
    int error = keyed_secret_make(p->listener);

    if (error)
        return error;
    memcpy(answer, p->listener, sizeof p->listener);
    return prove(p, secret, 'L', answer + sizeof p->listener);
}

bool port_proof_check(struct port_proof *p, const unsigned char *secret,
                      const unsigned char answer[PORT_ANSWER_SIZE], unsigned char last[KEYED_HASH_SIZE])
{
    memcpy(p->listener, answer, sizeof p->listener);
    if (!holds(p, secret, 'L', answer + sizeof p->listener))
        return false;
    return prove(p, secret, 'C', last) == MPI_SUCCESS;
}

bool port_proof_check_last(const struct port_proof *p, const unsigned char *secret,
                           const unsigned char last[KEYED_HASH_SIZE])
{
    return holds(p, secret, 'C', last);
}
