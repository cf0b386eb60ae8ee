#include "net/ofi/sever.h"

#include <dirent.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

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
