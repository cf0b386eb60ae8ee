/* fabric_port: what this host has that is made for messages between hosts, as sysfs tells it. */
#ifndef PLAIN_FABRIC_PORT_H
#define PLAIN_FABRIC_PORT_H

#include <stdbool.h>

struct fabric_port {
    char name[64];
    const char *kind;    /* InfiniBand, RoCE, Omni-Path, EFA or Slingshot */
    const char *network; /* the one whose library drives it best: a name of inkling_network */
};

/* The first such device with a port in use, in the order of their names. sysfs: where it is mounted, /sys. False: there is none. */
bool fabric_port_find(const char *sysfs, struct fabric_port *device);

#endif
