/* interface: addresses of this host by which other hosts may not find it. */
#ifndef PLAIN_INTERFACE_H
#define PLAIN_INTERFACE_H

#include <stdbool.h>
#include <sys/socket.h>

/* Whether it is a bridge between guests of this host alone (docker0, virbr0). Other hosts may have a bridge with
 * the same address. */
bool interface_is_bridge_within(const char *interface);

/* Whether the host gave itself the address, since nobody gave it one (169.254/16, fe80::/10). Others of the link may reach it;
 * with IPv6 only if they say through which of their interfaces. */
bool interface_is_link_local(const struct sockaddr *address);

#endif
