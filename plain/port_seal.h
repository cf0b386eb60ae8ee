/* port_seal: how the two ends of a connection between hosts prove to each other that they know a port's
 * secret, without sending it.
 *
 *     caller -> listener    the port's tag, and a nonce
 *     listener -> caller    a nonce of its own, and the listener's proof
 *     caller -> listener    the caller's proof
 *
 * A proof, as in net/network/proof.h, shows that its sender knows a secret: here the keyed hash (plain/keyed_hash.h) of both
 * nonces and the side. Neither end believes, or says, anything else before that of the other holds. The tag is a hash of the secret, the same in all calls: it proves nothing about who
 * repeats it, but keeps out who knows nothing, before a listener has anything to do. What follows is sealed with a key of this connection alone.
 *
 * The seal hides what is sent after the proof, and shows changes of it.
 * A stranger at one of the port's addresses may pass the proof on between caller and listener, and whatever comes after
 * it. So each word that follows is encrypted, and its MAC is sent behind it. Both are keyed hashes under a key that the
 * secret and both nonces give. They cover the side and the count of its words, so a word cannot be left out, repeated,
 * sent back or put in the place of another.
 *
 * A connection within a host, or of the program's own, is not sealed: its seal is zero, and words go as they are.
 */
#ifndef PLAIN_PORT_SEAL_H
#define PLAIN_PORT_SEAL_H

#include "plain/keyed_hash.h"

#include <stdint.h>

enum {
    PORT_NONCE_SIZE = SECRET_SIZE,
    PORT_CALL_SIZE = sizeof(uint64_t) + PORT_NONCE_SIZE,
    PORT_ANSWER_SIZE = PORT_NONCE_SIZE + KEYED_HASH_SIZE
};

enum port_side {
    PORT_CALLER = 'C',
    PORT_LISTENER = 'L'
};

/* What both have sent so far. */
struct port_auth {
    unsigned char caller[PORT_NONCE_SIZE];
    unsigned char listener[PORT_NONCE_SIZE];
};

/* The tag; its bytes are what callers send. */
int port_auth_tag(const unsigned char *secret, uint64_t *tag);
/* The caller's first word. An error: there are no random numbers. */
int port_auth_call(struct port_auth *p, const unsigned char *secret, unsigned char call[PORT_CALL_SIZE]);
/* Whether a call has the tag; then p->caller is its nonce. */
bool port_auth_take_call(struct port_auth *p, uint64_t tag, const unsigned char call[PORT_CALL_SIZE]);
/* The listener's answer to what is in p->caller. */
int port_auth_answer(struct port_auth *p, const unsigned char *secret,
                     unsigned char answer[PORT_ANSWER_SIZE]);
/* Whether the answer holds; `last` is then the caller's proof. */
bool port_auth_check(struct port_auth *p, const unsigned char *secret,
                     const unsigned char answer[PORT_ANSWER_SIZE], unsigned char last[KEYED_HASH_SIZE]);
/* Whether the caller's proof holds. */
bool port_auth_check_last(const struct port_auth *p, const unsigned char *secret,
                          const unsigned char last[KEYED_HASH_SIZE]);

enum {
    PORT_WORD_MAX = 512,
    PORT_SEALED_MAX = PORT_WORD_MAX + KEYED_HASH_SIZE
};

struct port_seal {
    enum port_side side; /* this one; 0: not sealed */
    unsigned char key[SECRET_SIZE];
    uint64_t sent, received; /* words */
};

/* After a proof that holds. An error: libcrypto has no memory. */
int port_seal_begin(struct port_seal *s, enum port_side side, const struct port_auth *p,
                    const unsigned char *secret);

/* Bytes that a word of so many takes on the connection. */
size_t port_seal_size(const struct port_seal *s, size_t size);

/* The next word of this side, of at most PORT_WORD_MAX bytes. */
int port_seal_put(struct port_seal *s, const void *word, size_t size, unsigned char *sealed);
/* The next word of the other side. MPI_ERR_PORT: it is not what that side has sent. */
int port_seal_take(struct port_seal *s, const unsigned char *sealed, void *word, size_t size);

#endif
