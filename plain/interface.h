/* interface: addresses of this host by which other hosts may not find it. */
#ifndef PLAIN_INTERFACE_H
#define PLAIN_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/* Whether it is a bridge between guests of this host alone (docker0, virbr0). Other hosts may have a bridge with
 * the same address. */
bool interface_is_bridge_within(const char *interface);

/* Whether the host gave itself the address, since nobody gave it one (169.254/16, fe80::/10). Others of the link may reach it;
 * with IPv6 only if they say through which of their interfaces. */
bool interface_is_link_local(const struct sockaddr *address);

/* An address by which other hosts find this one, on this interface (NULL, "": any); one that is doubtful, or loopback's, only
 * if there is no other. Nothing is written if there is none at all. */
void interface_find_address(const char *interface, void *address, size_t size);

#endif
