/* port: where processes of other jobs can find this one: sockets of this process that listen, and a name as
 * text (port_name.h).
 *
 * Processes of this host come to a Unix socket of an abstract name, and only those of the same user get
 * through. Those of other hosts come by TCP (tcp_listener.h), if the port is open to them, and only those who know
 * the secret in its name get through. What is said on the connections is up to dynamic/connect.h.
 *
 * Threads: any may call.
 */
#ifndef DYNAMIC_PORT_H
#define DYNAMIC_PORT_H

#include "dynamic/port_name.h"

#include <poll.h>
#include <stdbool.h>

/* A new port, or one for this host alone. name holds MPI_MAX_PORT_NAME characters. */
int port_open(char *name);
int port_open_here(char *name);
/* MPI_ERR_PORT: it is no port of this process, or closed. */
int port_close(const char *name);

/* Waits for a caller, for so many milliseconds. *fd: the connection, to be closed by the caller; -1: nobody
 * has called. MPI_ERR_PORT as above. */
int port_accept(const char *name, int milliseconds, int *fd);

/* A call at a port of any process. */
struct port_call {
    struct port_name name;
    bool is_local;
    struct pollfd attempt[PORT_ADDRESSES]; /* connections that are being made, by TCP */
    int attempts;
    int refused; /* errno of one that could not be made */
};

int port_call_begin(const char *name, struct port_call *call);
/* Waits for so many milliseconds. *fd: a connection to whoever has opened the port, be it accepted or not
 * yet; -1: not so far. MPI_ERR_PORT: nobody has, or there is no attempt to them. */
int port_call_await(struct port_call *call, int milliseconds, int *fd);
void port_call_end(struct port_call *call);

#endif
