/* gate: the side of a port that other hosts see: a TCP socket that listens, and strangers, who have connected
 * and not told the port's secret yet. A stranger who tells something else is turned away; one who is silent
 * keeps nobody waiting, and leaves when others need the place.
 *
 * Lock: its port's.
 */
#ifndef BOOT_GATE_H
#define BOOT_GATE_H

#include "boot/port_name.h"

#include <stdbool.h>

enum {
    GATE_STRANGERS = 32
};

struct stranger {
    int fd; /* -1: a free place */
    unsigned told;
    unsigned char secret[PORT_SECRET_SIZE];
};

struct gate {
    int listener;  /* -1: closed */
    uint32_t next; /* the place of the stranger who came first, if all are taken */
    struct stranger stranger[GATE_STRANGERS];
};

/* Opens it and adds to the name what callers need: no addresses where this host has no network, and the gate
 * is closed then. events: an epoll that wakes whoever waits at the port; its word for all that happens here
 * is `event`. */
int gate_open(struct gate *gate, struct port_name *name, int events, uint32_t event);
void gate_close(struct gate *gate);

/* A caller who has told the secret; the connection is the asker's. -1: none so far. Does not block. */
int gate_look(struct gate *gate, const struct port_name *name, int events, uint32_t event);

/* What both ends of a connection between hosts want of it: a cut network is an error within
 * inkling_connect_timeout, though nobody sends anything. */
void gate_limit_silence(int fd);

#endif
