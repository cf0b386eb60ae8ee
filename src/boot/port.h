/* port: where processes of other jobs can find this one: a listening socket of this process, and its name as
 * text.
 *
 *     inkling-port:HOST:USER:NUMBER    hexadecimal; the socket is a Unix socket of an abstract name
 *
 * Only processes of the same user on the same host get through. What is said on the sockets is up to
 * world/connect.h.
 *
 * Threads: any may call.
 */
#ifndef BOOT_PORT_H
#define BOOT_PORT_H

#include <stddef.h>
#include <stdint.h>

/* A new port. name holds MPI_MAX_PORT_NAME characters. */
int port_open(char *name);
/* MPI_ERR_PORT: it is no port of this process, or closed. */
int port_close(const char *name);

/* Waits for a caller, for so many milliseconds. *fd: the connection, to be closed by the caller; -1: nobody
 * has called. MPI_ERR_PORT as above. */
int port_accept(const char *name, int milliseconds, int *fd);
/* *fd: a connection to whoever has opened the port, be it accepted or not yet; -1: try again later.
 * MPI_ERR_PORT: nobody has. */
int port_connect(const char *name, int *fd);

#endif
