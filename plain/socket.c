#include "plain/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    HALF = sizeof(uint32_t),
    PAYLOAD = sizeof(struct udphdr), /* where it begins in what the filter sees */
    TCP_HEADER_WORDS = 12, /* the byte whose upper half is the length of TCP's header, in words of 4 bytes */
    TCP_FLAGS = 13,
    SYN = 2,
    SYN_OR_ACK = 18
};

static bool attach(int fd, struct sock_filter *program, unsigned short length)
{
    struct sock_fprog whole = {length, program};

    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &whole, sizeof whole) == 0;
}

/* As filters load it, in the network's order. */
static uint32_t half_of(uint64_t first, int which)
{
    uint32_t half[2];

    memcpy(half, &first, sizeof half);
    return ntohl(half[which]);
}

bool socket_filter_set(int fd, uint64_t first)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, PAYLOAD), /* drops it where it ends before that */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, half_of(first, 0), 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, PAYLOAD + HALF),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, half_of(first, 1), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX), /* keeps all of it */
        BPF_STMT(BPF_RET | BPF_K, 0),
    };

    return attach(fd, program, sizeof program / sizeof program[0]);
}

bool socket_filter_set_callers(int fd, uint64_t first)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, TCP_FLAGS),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SYN_OR_ACK),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYN, 0, 11), /* all but the first packet passes */
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0),           /* the source's port */
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SOCKET_FILTER_PORTS - 1),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, socket_filter_source(first), 8, 0),
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, TCP_HEADER_WORDS),
        BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 2),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 15 << 2),
        BPF_STMT(BPF_MISC | BPF_TAX, 0), /* the data begin there */
        BPF_STMT(BPF_LD | BPF_W | BPF_IND, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, half_of(first, 0), 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_IND, HALF),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, half_of(first, 1), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };

    return attach(fd, program, sizeof program / sizeof program[0]);
}

unsigned socket_filter_source(uint64_t first)
{
    return half_of(first, 0) % SOCKET_FILTER_PORTS;
}

void socket_filter_clear(int fd)
{
    setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &(int){0}, sizeof(int));
}

bool socket_is_own_user(int socket)
{
    struct ucred other;
    socklen_t length = sizeof other;

    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &length) == 0 && other.uid == getuid();
}

socklen_t socket_name_here(const char *rest, struct sockaddr_un *name)
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

bool socket_send_fd(int socket, const void *data, size_t size, int fd)
{
    struct iovec bytes = {(void *)(uintptr_t)data, size};
    union fd_message control = {0};
    struct msghdr m = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};

    control.header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    return sendmsg(socket, &m, MSG_NOSIGNAL) == (ssize_t)size;
}

bool socket_receive_fd(int socket, void *data, size_t size, int *fd)
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
