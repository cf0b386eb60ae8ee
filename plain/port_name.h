/* port_name: the name of a port as text, which is all that a caller knows of it.
 *
 *     inkling-port:HOST:USER:NUMBER[:SECRET:TCP:ADDRESS,...]    hexadecimal, but TCP and the addresses
 */
#ifndef PLAIN_PORT_NAME_H
#define PLAIN_PORT_NAME_H

#include "plain/keyed_hash.h"

#include <netinet/in.h>
#include <stdint.h>

enum {
    PORT_ADDRESSES = 8,
    PORT_SECRET_SIZE = SECRET_SIZE,
    PORT_SHOWN = 55 /* characters of a name that error messages show: those before the secret */
};

/* Addresses are IPv6; IPv4 addresses are mapped to it. */
struct port_name {
    uint64_t host; /* host_mine of the port's process */
    unsigned user;
    uint64_t number; /* random; any process on the host may see it */
    /* The rest is for other hosts. */
    int addresses; /* 0: other hosts cannot connect */
    struct in6_addr address[PORT_ADDRESSES];
    uint16_t tcp;
    unsigned char secret[PORT_SECRET_SIZE]; /* both ends prove that they know it (port_auth.h) */
};

/* text holds MPI_MAX_PORT_NAME characters. */
void port_name_format(const struct port_name *name, char *text);
/* Exactly what port_name_format writes, else MPI_ERR_PORT. */
int port_name_parse(const char *text, struct port_name *name);

#endif
