#include "plain/unix_socket.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool unix_socket_is_own_user(int socket)
{
    struct ucred other;
    socklen_t length = sizeof other;

    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &length) == 0 && other.uid == getuid();
}

socklen_t unix_socket_name(const char *rest, struct sockaddr_un *name)
{
    int length;

    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    length =
        snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "inkling-%u-%s", (unsigned)getuid(), rest);
    if (length > (int)sizeof name->sun_path - 2)
        length = (int)sizeof name->sun_path - 2;
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

union fd_message {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
};

bool unix_socket_send_fd(int socket, const void *data, size_t size, int fd)
{
    struct iovec bytes = {(void *)(uintptr_t)data, size};
    union fd_message control = {0};
    struct msghdr m = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};

    control.header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    return sendmsg(socket, &m, MSG_NOSIGNAL) == (ssize_t)size;
}

bool unix_socket_receive_fd(int socket, void *data, size_t size, int *fd)
{
    struct iovec bytes = {data, size};
    union fd_message control = {0};
    struct msghdr m = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);

    *fd = -1;
    if (got >= 0 && m.msg_controllen >= CMSG_LEN(sizeof *fd) && control.header.cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(&control.header), sizeof *fd);
    if (got == (ssize_t)size && *fd >= 0)
        return true;
    if (got >= 0)
        errno = EPROTO;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return false;
}
