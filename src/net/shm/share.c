#include "net/shm/share.h"

#include "base/clock.h"
#include "base/fail.h"
#include "boot/memfd.h"
#include "boot/unix_socket.h"

#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    PATIENCE_MS = 60 * 1000,
    RETRY_NS = 1000 * 1000
};

static int no_fd(const char *what)
{
    fail(MPI_ERR_OTHER, "cannot share memory with the other processes of this host: %s: %s", what,
         strerror(errno));
    return -1;
}

static int serve(int listener, int fd, int others)
{
    for (int served = 0; served < others;) {
        struct pollfd ready = {.fd = listener, .events = POLLIN};
        int socket = poll(&ready, 1, PATIENCE_MS) == 1 ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;

        if (socket < 0)
            return -1;
        if (unix_socket_is_own_user(socket)) {
            if (!unix_socket_send_fd(socket, &(char){0}, 1, fd)) {
                close(socket);
                return -1;
            }
            served++;
        }
        close(socket);
    }
    return 0;
}

static int make_and_serve(const char *job, int others, size_t room)
{
    struct sockaddr_un name;
    socklen_t length = unix_socket_name(job, &name);
    int fd = memfd_open(room);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool served = fd >= 0 && listener >= 0 && bind(listener, (struct sockaddr *)&name, length) == 0 &&
                  listen(listener, others) == 0 && serve(listener, fd, others) == 0;

    if (listener >= 0)
        close(listener);
    if (served || fd < 0)
        return fd; /* or memfd_open's note */
    no_fd("serving");
    close(fd);
    return -1;
}

/* The server may not listen yet. */
static int connect_with_patience(int socket, const struct sockaddr_un *name, socklen_t length)
{
    uint64_t limit = clock_ns() + (uint64_t)PATIENCE_MS * 1000000;
    struct timespec pause = {0, RETRY_NS};

    while (connect(socket, (const struct sockaddr *)name, length) < 0) {
        if ((errno != ECONNREFUSED && errno != ENOENT && errno != EAGAIN) || clock_ns() > limit)
            return -1;
        nanosleep(&pause, NULL);
    }
    return 0;
}

static int share_fetch(const char *job)
{
    struct sockaddr_un name;
    socklen_t length = unix_socket_name(job, &name);
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int fd = -1;
    char byte;

    if (s < 0 || connect_with_patience(s, &name, length) < 0 || !unix_socket_is_own_user(s) ||
        !unix_socket_receive_fd(s, &byte, sizeof byte, &fd))
        no_fd("fetching");
    if (s >= 0)
        close(s);
    return fd;
}

int share_memory(const char *job, int local_rank, int local_size, size_t room)
{
    return local_rank == 0 ? make_and_serve(job, local_size - 1, room) : share_fetch(job);
}
