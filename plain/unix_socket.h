/* unix_socket: Unix sockets between processes of one user on this host, and passing descriptors over them. */
#ifndef PLAIN_UNIX_SOCKET_H
#define PLAIN_UNIX_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Abstract names have no permissions: any user may have connected, or be listening. */
bool unix_socket_is_own_user(int socket);

/* Abstract names have no file and end with the socket. Inkling's begin with "inkling-" and the user. */
socklen_t unix_socket_name(const char *rest, struct sockaddr_un *name);

/* Send and receive bytes with a descriptor. False, with errno: not sent, not received, or not what was
 * expected. */
bool unix_socket_send_fd(int socket, const void *data, size_t size, int fd);
bool unix_socket_receive_fd(int socket, void *data, size_t size, int *fd);

#endif
