/* own: Unix sockets between processes of one user of this host, and handing descriptors over them. */
#ifndef BOOT_OWN_H
#define BOOT_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Abstract names know no permissions: anybody may have connected, or be serving. */
bool own_user(int socket);

/* Abstract names have no file and go with the socket; ours begin with "inkling-" and the user. */
socklen_t own_name(const char *rest, struct sockaddr_un *name);

/* Bytes and a descriptor. False, with errno: not sent; not received, or other than these. */
bool own_send(int socket, const void *data, size_t size, int fd);
bool own_receive(int socket, void *data, size_t size, int *fd);

#endif
