/* sever: ends the kernel's connections with a peer that is lost, so that libfabric's provider notices as
 * well.
 *
 * The kernel keeps the connections of a network that was cut, and with them the provider keeps operations that never
 * end; if the peer came back, they would write to memory that is the program's again.
 * libfabric has no call that ends a connection of reliable datagrams. Closing the endpoint does, but tcp of
 * libfabric 1.17 then completes a read whose data are coming in twice: ofi_rxm crashes on that, and the
 * memory of operations is given out twice. Providers handle a connection that ends by itself. Where a
 * provider uses no TCP there is nothing to end.
 */
#ifndef NET_NETWORK_SEVER_H
#define NET_NETWORK_SEVER_H

#include <stddef.h>

/* Addresses are given as libfabric has them. The caller keeps the provider from closing descriptors meanwhile. */

/* Ends this process's TCP connections to an address. */
void sever(const void *address, size_t length);

/* Ends the connections that others have made to this address of this process and that have carried no byte for so many
 * milliseconds. Returns how many. Looks at the descriptors below `most`; needs none itself, since there may be none left. */
int sever_silent(const void *address, size_t length, unsigned ms, int most);

#endif
