/* tcp_listener: the side of a port that other hosts see: a TCP socket that listens, and its unverified callers,
 * which have connected and not yet sent the port's secret. A caller that sends something else is disconnected. A
 * silent one keeps nobody waiting, and is disconnected when others need its slot.
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
    uint32_t next; /* the slot of the caller that came first, if all are taken */
    struct unverified_caller caller[TCP_LISTENER_CALLERS];
};

/* Opens it and adds to the name what callers need: no addresses where this host has no network, and the
 * listener is closed then. events: an epoll that wakes whoever waits at the port; its word for all that happens here
 * is `event`. */
int tcp_listener_open(struct tcp_listener *tcp, struct port_name *name, int events, uint32_t event);
void tcp_listener_close(struct tcp_listener *tcp);

/* A caller that has sent the secret; the connection is the asker's. -1: none so far. Does not block. */
int tcp_listener_look(struct tcp_listener *tcp, const struct port_name *name, int events, uint32_t event);

/* What both ends of a connection between hosts want of it: a cut network is an error within
 * inkling_connect_timeout, though nobody sends anything. */
void tcp_listener_limit_silence(int fd);

#endif
