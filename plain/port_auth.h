/* port_auth: how the two ends of a connection between hosts prove to each other that they know a port's
 * secret, without sending it.
 *
 *     caller -> listener    the port's tag, and a nonce
 *     listener -> caller    a nonce of its own, and the listener's proof
 *     caller -> listener    the caller's proof
 *
 * A proof, as in net/network/proof.h, shows that its sender knows a secret: here the keyed hash (plain/keyed_hash.h) of both
 * nonces and the side. Neither end believes, or says,
 * anything else before that of the other holds. The tag is a hash of the secret, the same in all calls: it proves nothing about who
 * repeats it, but keeps out who knows nothing, before a listener has anything to do. What follows is sealed (port_seal.h) with a key of this connection alone.
 */
#ifndef DYNAMIC_PORT_AUTH_H
#define DYNAMIC_PORT_AUTH_H

#include "plain/keyed_hash.h"

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
/* The key of this connection, which the nonces do not show. */
int port_auth_key(const struct port_auth *p, const unsigned char *secret, unsigned char key[SECRET_SIZE]);

#endif
