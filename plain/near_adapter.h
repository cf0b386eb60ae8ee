/* near_adapter: which of several network adapters is near the cores that this process may run on, as sysfs tells it. */
#ifndef PLAIN_NEAR_ADAPTER_H
#define PLAIN_NEAR_ADAPTER_H

#include <stdbool.h>

/* Adapters are named as in the classes net and infiniband. sysfs: where it is mounted, /sys. */

/* False: all cores near the adapter are forbidden to this process. An adapter of which sysfs tells no cores is near. */
bool near_adapter_is(const char *sysfs, const char *name);
/* Of an interface, Mbit/s; 0: sysfs does not tell. */
long near_adapter_speed(const char *sysfs, const char *name);

#endif
