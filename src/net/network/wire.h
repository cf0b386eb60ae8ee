/* wire: the header of every message between hosts, and the text form of an address.
 *
 * All hosts have the same byte order. Packets are untrusted all the same: another job, another version of the
 * library, a port scanner or an attacker may have sent them. Nothing of a packet counts before its proof holds
 * (proof.h).
 */
#ifndef NET_NETWORK_WIRE_H
#define NET_NETWORK_WIRE_H

#include "net/card.h"
#include "net/transport.h"
#include "plain/keyed_hash.h"

enum {
    WIRE_VERSION =
        7, /* counted up whenever struct wire, struct message, heartbeats or answers over UCX (ucx/reads.c) change, or packets grow */
    WIRE_ADDRESS_MAX = 400,
    WIRE_TEXT_SIZE = 1024, /* of an address as text, with the NUL */
    WIRE_NAME_SIZE = 64
};

enum wire_kind {
    WIRE_MESSAGE = 1,
    WIRE_BYE,    /* carries nothing; when it has left, all packets before it have left */
    WIRE_CONTROL /* the network's own */
};

struct wire {
    uint8_t version;
    uint8_t kind;
    uint16_t unused;
    uint32_t rank; /* this and job: the sender's, as on its card (net/card.h) */
    uint64_t job;
    uint64_t proof; /* proof.h */
    struct message message;
};

_Static_assert(sizeof(struct wire) == 48, "48 bytes on the wire");

/* Reads the header of a packet. NULL, or why the packet is not valid. */
const char *wire_read(const void *packet, size_t length, struct wire *head);

/* The address of a process, as published through the launcher. */
struct wire_address {
    char provider[WIRE_NAME_SIZE];
    int port; /* of heartbeat.h; 0: none */
    size_t length;
    unsigned char bytes[WIRE_ADDRESS_MAX]; /* begin with a socket address where there are heartbeats */
    uint64_t auth;                  /* of another job: identifies the key of its network (ofi/fabric.h) */
    unsigned char key[SECRET_SIZE]; /* proof.h; never shown to anybody else */
};

/* Text without spaces, semicolons and '='. */
int wire_address_format(const struct wire_address *address, char *text, size_t size);
/* An error's note says what is wrong with the text of this process. */
int wire_address_parse(const char *text, int process, struct wire_address *address);
/* From and to a card. The card of another job's process is untrusted. */
int wire_address_of_card(const struct card *card, struct wire_address *address);
int wire_address_to_card(const struct wire_address *address, struct card_address *on_card);

#endif
