/* handshake: makes the roots of two jobs peers, over a connection of theirs.
 *
 * Each sends its host and a random number, opens the network if they share no memory, and sends its card
 * (net/card.h). Then each makes the other a peer and sends whether that worked. Between hosts all this is sealed
 * (plain/port_seal.h), but on the program's own socket. What comes is untrusted all the same.
 *
 * The caller waits for the other's last word without limit; the called process gives up a silent caller. So
 * they never disagree about whether they are connected, and nobody waits for a process that has ended.
 */
#ifndef DYNAMIC_HANDSHAKE_H
#define DYNAMIC_HANDSHAKE_H

#include "plain/port.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    HANDSHAKE_VERSION = 7 /* counted up whenever what the roots send, or the messages between jobs, change */
};

/* The first word. */
struct hello {
    char magic[8];
    uint32_t version, unused;
    uint64_t host;   /* net_host */
    uint64_t number; /* random */
};

/* The other root, once connected. */
struct partner {
    int process;
    uint64_t context;
    bool has_called;
};

/* The time (plain/clock.h) so many nanoseconds from now; 0: never. */
uint64_t handshake_end_of(uint64_t patience_ns);

/* has_called: 1 or 0; -1: the one with the lower number counts as the caller. An error of one is an error of both. */
int handshake_make(struct port_connection *c, int has_called, uint64_t end, struct partner *partner);

#endif
