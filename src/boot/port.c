#include "boot/port.h"

#include "base/fail.h"
#include "boot/host.h"
#include "boot/own.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum {
    BACKLOG = 128
};

struct port {
    uint64_t number;
    int listener;
    struct port *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the list */
static struct port *ports;

static socklen_t socket_name(uint64_t number, struct sockaddr_un *name)
{
    char rest[40];

    snprintf(rest, sizeof rest, "port-%016" PRIx64, number);
    return own_name(rest, name);
}

static void format(uint64_t number, char *name)
{
    snprintf(name, MPI_MAX_PORT_NAME, "inkling-port:%016" PRIx64 ":%x:%016" PRIx64, host_mine(),
             (unsigned)getuid(), number);
}

/* Exactly as `format` writes it. */
static int parse(const char *name, uint64_t *host, unsigned *user, uint64_t *number)
{
    char again[MPI_MAX_PORT_NAME];

    if (sscanf(name, "inkling-port:%16" SCNx64 ":%8x:%16" SCNx64, host, user, number) == 3) {
        snprintf(again, sizeof again, "inkling-port:%016" PRIx64 ":%x:%016" PRIx64, *host, *user, *number);
        if (strcmp(again, name) == 0)
            return MPI_SUCCESS;
    }
    return fail(MPI_ERR_PORT, "'%.80s' is no name of a port; MPI_Open_port gives them", name);
}

/* With the mutex. */
static struct port **find(const char *name)
{
    uint64_t host, number;
    unsigned user;
    struct port **at;

    if (parse(name, &host, &user, &number))
        return NULL;
    for (at = &ports; *at && (*at)->number != number; at = &(*at)->next)
        ;
    if (*at)
        return at;
    fail(MPI_ERR_PORT, "port '%.80s' was not opened by this process, or has been closed", name);
    return NULL;
}

static int listen_at(uint64_t number, int *listener)
{
    struct sockaddr_un name;
    socklen_t length = socket_name(number, &name);

    *listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*listener >= 0 && bind(*listener, (struct sockaddr *)&name, length) == 0 &&
        listen(*listener, BACKLOG) == 0)
        return MPI_SUCCESS;
    fail(MPI_ERR_OTHER, "cannot open a port: %s", strerror(errno));
    if (*listener >= 0)
        close(*listener);
    return MPI_ERR_OTHER;
}

int port_open(char *name)
{
    struct port *p = calloc(1, sizeof *p);
    int error;

    if (!p)
        return fail(MPI_ERR_NO_MEM, "no memory for a port");
    if (getrandom(&p->number, sizeof p->number, 0) != sizeof p->number)
        error = fail(MPI_ERR_OTHER, "no random number for a port: %s", strerror(errno));
    else
        error = listen_at(p->number, &p->listener);
    if (error) {
        free(p);
        return error;
    }
    format(p->number, name);
    pthread_mutex_lock(&mutex);
    p->next = ports;
    ports = p;
    pthread_mutex_unlock(&mutex);
    return MPI_SUCCESS;
}

int port_close(const char *name)
{
    struct port **at, *p = NULL;

    pthread_mutex_lock(&mutex);
    at = find(name);
    if (at) {
        p = *at;
        *at = p->next;
    }
    pthread_mutex_unlock(&mutex);
    if (!p)
        return fail_class();
    close(p->listener);
    free(p);
    return MPI_SUCCESS;
}

/* A descriptor of its own, since another thread may close the port. */
static int borrow_listener(const char *name, int *listener)
{
    struct port **at;

    pthread_mutex_lock(&mutex);
    at = find(name);
    *listener = at ? fcntl((*at)->listener, F_DUPFD_CLOEXEC, 0) : -1;
    pthread_mutex_unlock(&mutex);
    if (*listener >= 0)
        return MPI_SUCCESS;
    return at ? fail(MPI_ERR_OTHER, "cannot listen at a port: %s", strerror(errno)) : fail_class();
}

int port_accept(const char *name, int milliseconds, int *fd)
{
    struct pollfd caller = {.events = POLLIN};
    int error = borrow_listener(name, &caller.fd);

    if (error)
        return error;
    *fd = poll(&caller, 1, milliseconds) == 1 ? accept4(caller.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)
                                              : -1;
    close(caller.fd);
    if (*fd >= 0 && !own_user(*fd)) {
        close(*fd);
        *fd = -1;
    }
    return MPI_SUCCESS;
}

static int check_reach(const char *name, uint64_t host, unsigned user)
{
    if (host != host_mine())
        return fail(MPI_ERR_UNSUPPORTED_OPERATION,
                    "port '%.80s' is on another host; jobs can meet on one host only", name);
    if (user != getuid())
        return fail(MPI_ERR_PORT, "port '%.80s' is another user's", name);
    return MPI_SUCCESS;
}

static int fail_to_connect(const char *name, int why)
{
    if (why == ECONNREFUSED)
        return fail(MPI_ERR_PORT, "nobody has opened port '%.80s', or it has been closed", name);
    return fail(MPI_ERR_OTHER, "cannot connect to port '%.80s': %s", name, strerror(why));
}

int port_connect(const char *name, int *fd)
{
    uint64_t host, number;
    unsigned user;
    struct sockaddr_un address;
    socklen_t length;
    int error = parse(name, &host, &user, &number), s, why;

    if (!error)
        error = check_reach(name, host, user);
    if (error)
        return error;
    length = socket_name(number, &address);
    s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s < 0)
        return fail_to_connect(name, errno);
    *fd = s;
    why = connect(s, (struct sockaddr *)&address, length) < 0 ? errno : own_user(s) ? 0 : ECONNREFUSED;
    if (!why)
        return MPI_SUCCESS;
    close(s);
    *fd = -1;
    return why == EAGAIN ? MPI_SUCCESS : fail_to_connect(name, why); /* many callers wait already */
}
