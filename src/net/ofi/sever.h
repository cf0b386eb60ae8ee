/* sever: ends the kernel's connections with a peer that is lost, so that libfabric's provider notices as
 * well.
 *
 * The kernel goes on believing in the connections of a network that was cut, and with them the provider in
 * operations that never end; if the peer came back, they would write to memory that is the program's again.
 * libfabric has no call that ends a connection of reliable datagrams. Closing the endpoint does, but tcp of
 * libfabric 1.17 then completes a read whose data are coming in twice: ofi_rxm crashes on that, and the
 * memory of operations is given out twice. A connection that ends by itself is something that providers are
 * used to. Where a provider uses no TCP there is nothing to end.
 */
#ifndef NET_OFI_SEVER_H
#define NET_OFI_SEVER_H

#include <stddef.h>

/* Ends this process's TCP connections to an address, given as libfabric has it. */
void sever(const void *address, size_t length);

#endif
