/* port_seal: hides what is sent on a port's TCP connection after the proof (port_auth.h), and shows changes of it.
 *
 * A stranger at one of the port's addresses may pass the proof on between caller and listener, and whatever comes after
 * it. So each word that follows is encrypted, and its MAC is sent behind it. Both are keyed hashes under a key that the
 * secret and both nonces give. They cover the side and the count of its words, so a word cannot be left out, repeated,
 * sent back or put in the place of another.
 *
 * A connection within a host, or of the program's own, is not sealed: its seal is zero, and words go as they are.
 */
#ifndef PLAIN_PORT_SEAL_H
#define PLAIN_PORT_SEAL_H

#include "plain/port_auth.h"

#include <stdint.h>

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
