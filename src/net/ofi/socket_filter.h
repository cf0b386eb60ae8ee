/* socket_filter: lets the kernel drop a UDP socket's datagrams that do not begin with a number.
 *
 * They take no room in the socket's buffer, and nobody wakes for them. Works as in tcpdump: the kernel runs a few
 * instructions on each datagram (bpf(4), classic).
 */
#ifndef NET_OFI_SOCKET_FILTER_H
#define NET_OFI_SOCKET_FILTER_H

#include <stdbool.h>
#include <stdint.h>

/* False: this system has no such filters (gVisor). Then all arrives. */
bool socket_filter_set(int fd, uint64_t first);

#endif
