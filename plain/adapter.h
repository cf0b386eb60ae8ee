/* adapter: the network adapters of this host, as sysfs tells it: whether one is made for messages between hosts, and which are near the
 * cores that this process may run on. sysfs: where it is mounted, /sys. */
#ifndef PLAIN_ADAPTER_H
#define PLAIN_ADAPTER_H

#include <stdbool.h>

struct fabric_port {
    char name[64];
    const char *kind;    /* InfiniBand, RoCE, Omni-Path, EFA or Slingshot */
    const char *network; /* the one whose library drives it best: a name of inkling_network */
};

/* The first such device with a port in use, in the order of their names. False: there is none. */
bool adapter_find_fabric(const char *sysfs, struct fabric_port *device);

/* From here on adapters are named as in the classes net and infiniband. */

/* False: all cores near the adapter are forbidden to this process. An adapter of which sysfs tells no cores is near. */
bool adapter_is_near(const char *sysfs, const char *name);
/* Of an interface, Mbit/s; 0: sysfs does not tell. */
long adapter_speed(const char *sysfs, const char *name);

#endif
