/* port_name: the name of a port as text, which is all that a caller knows of it.
 *
 *     inkling-port:HOST:USER:NUMBER[:SECRET:TCP:ADDRESS,...]    hexadecimal, but TCP and the addresses
 */
#ifndef DYNAMIC_PORT_NAME_H
#define DYNAMIC_PORT_NAME_H

#include <netinet/in.h>
#include <stdint.h>

enum {
    PORT_ADDRESSES = 8,
    PORT_SECRET_SIZE = 16,
    PORT_SHOWN = 55 /* characters of a name that messages show: before the secret */
};

/* Of a host: IPv4 as IPv6 maps it. */
struct port_name {
    uint64_t host; /* host_mine there */
    unsigned user;
    uint64_t number; /* random; anybody on the host may see it */
    /* The next are what other hosts need. */
    int addresses; /* 0: they cannot call */
    struct in6_addr address[PORT_ADDRESSES];
    uint16_t tcp;
    unsigned char secret[PORT_SECRET_SIZE]; /* who tells it first may speak */
};

/* text holds MPI_MAX_PORT_NAME characters. */
void port_name_format(const struct port_name *name, char *text);
/* Exactly what port_name_format writes, else MPI_ERR_PORT. */
int port_name_parse(const char *text, struct port_name *name);

#endif
