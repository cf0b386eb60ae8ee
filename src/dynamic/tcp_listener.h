/* tcp_listener: the listening TCP socket of a port, for other hosts, and its unverified callers, which have
 * connected but not yet sent the port's secret. A caller that sends something else is disconnected. A silent
 * one blocks nobody, and is disconnected when another needs its slot.
 *
 * Lock: its port's.
 */
#ifndef DYNAMIC_TCP_LISTENER_H
#define DYNAMIC_TCP_LISTENER_H

#include "dynamic/port_name.h"

#include <stdbool.h>

enum {
    TCP_LISTENER_CALLERS = 32
};

struct unverified_caller {
    int fd;            /* -1: a free slot */
    unsigned received; /* bytes of the secret */
    unsigned char secret[PORT_SECRET_SIZE];
};

struct tcp_listener {
    int listener;  /* -1: closed */
    uint32_t next; /* the slot to reuse, that of the oldest caller, if all are taken */
    struct unverified_caller caller[TCP_LISTENER_CALLERS];
};

/* Opens the socket and adds to the name what callers need. Without a network on this host the name gets no
 * addresses and the listener stays closed. events: the epoll on which the port waits; events of the listener
 * and its callers have `event` as their data. */
int tcp_listener_open(struct tcp_listener *tcp, struct port_name *name, int events, uint32_t event);
void tcp_listener_close(struct tcp_listener *tcp);

/* The connection of a caller that has sent the secret, now the caller's to close; -1: none so far. Does not
 * block. */
int tcp_listener_look(struct tcp_listener *tcp, const struct port_name *name, int events, uint32_t event);

/* Set on both ends of a connection between hosts: a cut network is an error within inkling_connect_timeout,
 * though nobody sends anything. */
void tcp_listener_limit_silence(int fd);

#endif
