#include "dynamic/tcp_listener.h"

#include "base/fail.h"
#include "base/private.h"
#include "hint/hint.h"

#include <errno.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BACKLOG = 128,
    PROBE_S = 5 /* between questions whether the other end is there */
};

/* Addresses that mean this host elsewhere too. */
static bool is_known_elsewhere(const struct ifaddrs *a)
{
    const char *wanted = hint_process.text[HINT_OFI_INTERFACE];

    if (!a->ifa_addr || !(a->ifa_flags & IFF_UP) || a->ifa_flags & IFF_LOOPBACK)
        return false;
    if (wanted && *wanted && strcmp(wanted, a->ifa_name) != 0)
        return false;
    return a->ifa_addr->sa_family == AF_INET ||
           (a->ifa_addr->sa_family == AF_INET6 &&
            !IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)(const void *)a->ifa_addr)->sin6_addr));
}

static struct in6_addr address_of(const struct sockaddr *a)
{
    struct in6_addr address = {.s6_addr = {[10] = 0xff, [11] = 0xff}};

    if (a->sa_family == AF_INET6)
        return ((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
    memcpy(&address.s6_addr[12], &((const struct sockaddr_in *)(const void *)a)->sin_addr, 4);
    return address;
}

static void find_addresses(struct port_name *name)
{
    struct ifaddrs *list = NULL;

    if (getifaddrs(&list) < 0)
        return;
    for (struct ifaddrs *a = list; a && name->addresses < PORT_ADDRESSES; a = a->ifa_next)
        if (is_known_elsewhere(a))
            name->address[name->addresses++] = address_of(a->ifa_addr);
    freeifaddrs(list);
}

/* On all addresses, of both kinds where the system has both. */
static int listen_anywhere(uint16_t *port)
{
    struct sockaddr_in6 any = {.sin6_family = AF_INET6};
    struct sockaddr_in any4 = {.sin_family = AF_INET};
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool has_v6 = fd >= 0 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int){0}, sizeof(int)) == 0 &&
                  bind(fd, (struct sockaddr *)&any, sizeof any) == 0;
    socklen_t size = has_v6 ? sizeof any : sizeof any4;

    if (!has_v6 && fd >= 0)
        close(fd);
    if (!has_v6)
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && (has_v6 || bind(fd, (struct sockaddr *)&any4, size) == 0) && listen(fd, BACKLOG) == 0 &&
        getsockname(fd, has_v6 ? (struct sockaddr *)&any : (struct sockaddr *)&any4, &size) == 0) {
        *port = ntohs(has_v6 ? any.sin6_port : any4.sin_port);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool tcp_listener_watch(int events, int fd, uint32_t event)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = event};

    return epoll_ctl(events, EPOLL_CTL_ADD, fd, &e) == 0;
}

int tcp_listener_open(struct tcp_listener *tcp, struct port_name *name, int events, uint32_t event)
{
    *tcp = (struct tcp_listener){.listener = -1};
    for (int i = 0; i < TCP_LISTENER_CALLERS; i++)
        tcp->caller[i].fd = -1;
    find_addresses(name);
    if (name->addresses == 0)
        return MPI_SUCCESS;
    tcp->listener = listen_anywhere(&name->tcp);
    private_add(tcp->listener);
    if (tcp->listener >= 0 && tcp_listener_watch(events, tcp->listener, event) &&
        getrandom(name->secret, sizeof name->secret, 0) == sizeof name->secret)
        return MPI_SUCCESS;
    fail(MPI_ERR_OTHER, "cannot open a port to other hosts: %s", strerror(errno));
    tcp_listener_close(tcp);
    return MPI_ERR_OTHER;
}

static void drop_caller(struct unverified_caller *s)
{
    close(s->fd);
    s->fd = -1;
}

void tcp_listener_close(struct tcp_listener *tcp)
{
    for (int i = 0; i < TCP_LISTENER_CALLERS && tcp->listener >= 0; i++)
        if (tcp->caller[i].fd >= 0)
            drop_caller(&tcp->caller[i]);
    if (tcp->listener >= 0)
        private_close(tcp->listener);
    tcp->listener = -1;
}

void tcp_listener_limit_silence(int fd)
{
    int64_t seconds = hint_process.value[HINT_CONNECT_TIMEOUT] / 1000000000;
    int probes = seconds > PROBE_S ? (int)(seconds / PROBE_S) : 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &(int){1}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &(int){PROBE_S}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &(int){PROBE_S}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

/* A free place, or that of him who has been silent for longest. */
static struct unverified_caller *find_caller_slot(struct tcp_listener *tcp)
{
    struct unverified_caller *s;

    for (int i = 0; i < TCP_LISTENER_CALLERS; i++)
        if (tcp->caller[i].fd < 0)
            return &tcp->caller[i];
    s = &tcp->caller[tcp->next++ % TCP_LISTENER_CALLERS];
    drop_caller(s);
    return s;
}

static void take_callers(struct tcp_listener *tcp, int events, uint32_t event)
{
    int fd;

    while ((fd = accept4(tcp->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        if (tcp_listener_watch(events, fd, event))
            *find_caller_slot(tcp) = (struct unverified_caller){.fd = fd};
        else
            close(fd);
    }
}

/* Takes as long for a wrong one wherever it is wrong. */
static bool is_secret(const unsigned char *received, const unsigned char *secret)
{
    unsigned differs = 0;

    for (int i = 0; i < PORT_SECRET_SIZE; i++)
        differs |= (unsigned)(received[i] ^ secret[i]);
    return differs == 0;
}

/* Whether he has received all of the secret; one who has received something else, or gone, is none any more. */
static bool tcp_listener_hear(struct unverified_caller *s, const struct port_name *name)
{
    ssize_t got = recv(s->fd, s->secret + s->received, PORT_SECRET_SIZE - s->received, MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    s->received += got > 0 ? (unsigned)got : 0;
    if (got > 0 && s->received < PORT_SECRET_SIZE)
        return false;
    if (got > 0 && is_secret(s->secret, name->secret))
        return true;
    drop_caller(s);
    return false;
}

int tcp_listener_look(struct tcp_listener *tcp, const struct port_name *name, int events, uint32_t event)
{
    if (tcp->listener < 0)
        return -1;
    take_callers(tcp, events, event);
    for (int i = 0; i < TCP_LISTENER_CALLERS; i++) {
        struct unverified_caller *s = &tcp->caller[i];
        int fd = s->fd;

        if (fd < 0 || !tcp_listener_hear(s, name))
            continue;
        epoll_ctl(events, EPOLL_CTL_DEL, fd, NULL);
        s->fd = -1;
        tcp_listener_limit_silence(fd);
        return fd;
    }
    return -1;
}
