/* socket: Unix sockets between processes of one user on this host, which pass descriptors; and filters of Internet sockets.
 *
 * A filter lets the kernel drop what does not begin with a number, before it takes room or wakes anybody. It works as in tcpdump: the kernel runs a few instructions on each packet (bpf(4), classic). It needs no rights. The number is a word
 * of eight bytes as it lies in memory. False: this system has no such filters (gVisor). Then all arrives.
 */
#ifndef PLAIN_SOCKET_H
#define PLAIN_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

/* A UDP socket's datagrams. */
bool socket_filter_set(int fd, uint64_t first);

/* A listening TCP socket's callers: their first packet, the SYN, must have data (TCP Fast Open) that begin with the number, or come
 * from a port, one of 1,024, whose last bits are the number's: socket_filter_source of it and all that differ by multiples of
 * SOCKET_FILTER_PORTS. Nobody else gets an answer. Connections that are there, and those accepted, are not concerned. */
enum {
    SOCKET_FILTER_PORTS = 1024
};
bool socket_filter_set_callers(int fd, uint64_t first);
unsigned socket_filter_source(uint64_t first);
void socket_filter_clear(int fd);

/* Abstract names have no permissions: any user may have connected, or be listening. */
bool socket_is_own_user(int socket);

/* Abstract names have no file and end with the socket. Inkling's begin with "inkling-" and the user. */
socklen_t socket_name_here(const char *rest, struct sockaddr_un *name);

/* Send and receive bytes with a descriptor. False, with errno: not sent, not received, or not what was
 * expected. */
bool socket_send_fd(int socket, const void *data, size_t size, int fd);
bool socket_receive_fd(int socket, void *data, size_t size, int *fd);

#endif
