/* port: where processes of other jobs connect to this one: listening sockets, and a name as text.
 *
 * Processes of this host connect to a Unix socket with an abstract name; only those of the same user are
 * accepted. Processes of other hosts connect by TCP (tcp_listener.h), if the port is open to them; both ends
 * prove that they know the secret in its name (port_seal.h). dynamic/connect.c defines what is sent on the connections, and
 * port_seal.h how between hosts.
 *
 * Threads: any may call.
 */
#ifndef PLAIN_PORT_H
#define PLAIN_PORT_H

#include "plain/keyed_hash.h"
#include "plain/port_seal.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* port_name: the name of a port as text, which is all that a caller knows of it.
 *
 *     inkling-port:HOST:USER:NUMBER[:SECRET:TCP:ADDRESS,...]    hexadecimal, but TCP and the addresses
 */
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
    unsigned char secret[PORT_SECRET_SIZE]; /* both ends prove that they know it (port_seal.h) */
};

/* text holds MPI_MAX_PORT_NAME characters. */
void port_name_format(const struct port_name *name, char *text);
/* Exactly what port_name_format writes, else MPI_ERR_PORT. */
int port_name_parse(const char *text, struct port_name *name);

/* Opens a new port; port_open_here: for this host only. name holds MPI_MAX_PORT_NAME characters. interface: the only one of this
 * host by which others may come; NULL or "": all. */
int port_open(char *name, const char *interface);
int port_open_here(char *name);
/* MPI_ERR_PORT: not a port of this process, or closed already. */
int port_close(const char *name);

struct port_connection {
    int fd;
    struct port_seal seal;
};

/* From now on a cut network is an error within this time, though nobody sends anything. */
void port_limit_silence(const struct port_connection *connection, uint64_t timeout_ns);

/* Waits for a caller, for so many milliseconds. fd: the connection, now the caller's to close; -1: nobody
 * has called. MPI_ERR_PORT as above. */
int port_accept(const char *name, int milliseconds, struct port_connection *connection);

/* A descriptor that is readable when somebody may have called, for an event loop; the caller closes it. A duplicate, since
 * another thread may close the port. */
int port_dup_events(const char *name, int *events);

enum {
    PORT_TRIES = 4, /* at once, by address */
    PORT_ATTEMPTS = PORT_ADDRESSES * PORT_TRIES
};

/* A TCP connection on which the caller has sent its first word (POLLIN), or will (POLLOUT). */
struct port_attempt {
    int way;         /* to which of the addresses */
    unsigned number; /* of those to this address */
    unsigned sent;   /* bytes of the first word, with the SYN */
    unsigned char call[PORT_CALL_SIZE];
    struct port_auth auth;
    unsigned received; /* bytes of the answer */
    unsigned char answer[PORT_ANSWER_SIZE];
    struct port_seal seal; /* once the answer holds */
};

/* An address of the port. Strangers may crowd there, so a caller tries again after a while, until the kernel at the other end has its
 * first word, and when it was disconnected. */
struct port_way {
    uint64_t next;          /* when to try again */
    unsigned tries, resets; /* so far */
    bool is_closed;         /* who opened the port is not there */
};

/* A call to a port of any process. */
struct port_call {
    struct port_name name;
    bool is_local;
    struct port_way way[PORT_ADDRESSES];
    struct pollfd attempt[PORT_ATTEMPTS];    /* TCP connections in progress */
    struct port_attempt auth[PORT_ATTEMPTS]; /* of each */
    int attempts;
    bool is_waiting; /* somebody took the connection, and has not proved yet that he opened the port */
    int refused;     /* errno of a failed one; EPROTO: who is there does not know the secret */
};

int port_call_begin(const char *name, struct port_call *call);
/* Waits for so many milliseconds. fd: a connection to the process that has opened the port, accepted or not;
 * -1: none so far. MPI_ERR_PORT: nobody has opened it, or every attempt failed. */
int port_call_await(struct port_call *call, int milliseconds, struct port_connection *connection);
void port_call_end(struct port_call *call);

#endif
