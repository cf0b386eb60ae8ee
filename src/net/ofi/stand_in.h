/* stand_in: small libraries in the place of those that libfabric is linked with for devices that this host does not have.
 *
 * Debian's libfabric is linked with libpsm2 and libpsm_infinipath. Each of them measures a clock for 0.1 s when it is loaded, whether there is
 * a device or not. The loader takes a library that is loaded already for each of the same soname, so one whose procedures all
 * fail (stand_in/absent.h) is loaded before libfabric. A libfabric that is linked with more than that has cannot be loaded so; the caller
 * then unloads them and tries again.
 */
#ifndef NET_OFI_STAND_IN_H
#define NET_OFI_STAND_IN_H

#include <stdbool.h>

/* Loads those whose devices are not in this folder, /dev. Whether there are any. */
bool stand_in_load(const char *devices);
void stand_in_unload(void);

#endif
