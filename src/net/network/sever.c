#include "net/network/sever.h"

#include <dirent.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    ESTABLISHED = 1 /* the kernel's TCP_ESTABLISHED */
};

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static bool is_same(const union address *a, const union address *b)
{
    if (a->any.sa_family != b->any.sa_family)
        return false;
    if (a->any.sa_family == AF_INET)
        return a->v4.sin_port == b->v4.sin_port && a->v4.sin_addr.s_addr == b->v4.sin_addr.s_addr;
    return a->any.sa_family == AF_INET6 && a->v6.sin6_port == b->v6.sin6_port &&
           memcmp(&a->v6.sin6_addr, &b->v6.sin6_addr, sizeof a->v6.sin6_addr) == 0;
}

static bool is_connected_to(int fd, const union address *address)
{
    union address there = {0};
    socklen_t size = sizeof there;
    int type = 0;
    socklen_t type_size = sizeof type;

    return getpeername(fd, &there.any, &size) == 0 && size <= sizeof there && is_same(&there, address) &&
           getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size) == 0 && type == SOCK_STREAM;
}

void sever(const void *address, size_t length)
{
    union address there = {0};
    DIR *descriptors = length <= sizeof there ? opendir("/proc/self/fd") : NULL;
    const struct dirent *entry;

    if (!descriptors)
        return;
    memcpy(&there, address, length);
    while ((entry = readdir(descriptors)))
        if (is_connected_to(atoi(entry->d_name), &there))
            shutdown(atoi(entry->d_name), SHUT_RDWR);
    closedir(descriptors);
}

/* Kernels before 4.1 do not count bytes: there no connection is silent. */
static bool is_silent_at(int fd, const union address *address, unsigned ms)
{
    union address here = {0};
    struct tcp_info info = {0};
    socklen_t size = sizeof here, info_size = sizeof info;

    return getsockname(fd, &here.any, &size) == 0 && size <= sizeof here && is_same(&here, address) &&
           getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &info_size) == 0 &&
           info_size >= offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received &&
           info.tcpi_state == ESTABLISHED && info.tcpi_bytes_received == 0 && info.tcpi_last_data_recv >= ms;
}

int sever_silent(const void *address, size_t length, unsigned ms, int most)
{
    union address here = {0};
    int count = 0;

    if (length > sizeof here)
        return 0;
    memcpy(&here, address, length);
    for (int fd = 0; fd < most; fd++)
        if (is_silent_at(fd, &here, ms))
            count += shutdown(fd, SHUT_RDWR) == 0;
    return count;
}
