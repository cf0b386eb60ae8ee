#include "dynamic/tcp_listener.h"

#include "base/clock.h"
#include "base/fail.h"
#include "base/private.h"
#include "boot/interface.h"
#include "hint/hint.h"

#include <errno.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BACKLOG = 128,
    PROBE_S = 5,                     /* between keepalive probes */
    SHARE = TCP_LISTENER_CALLERS / 4 /* of the slots, for callers of one address */
};

/* How long an unverified caller may be silent, and how long if those of its address have more than a share. */
#define SILENCE_NS       ((uint64_t)10 * 1000 * 1000 * 1000)
#define CROWD_SILENCE_NS ((uint64_t)2 * 1000 * 1000 * 1000)

/* Whether the address is one of this host on other hosts too. */
static bool is_known_elsewhere(const struct ifaddrs *a)
{
    const char *wanted = hint_process.text[HINT_OFI_INTERFACE];

    if (!a->ifa_addr || !(a->ifa_flags & IFF_UP) || a->ifa_flags & IFF_LOOPBACK)
        return false;
    if (wanted && *wanted && strcmp(wanted, a->ifa_name) != 0)
        return false;
    return a->ifa_addr->sa_family == AF_INET ||
           (a->ifa_addr->sa_family == AF_INET6 && !interface_is_link_local(a->ifa_addr));
}

static bool is_doubtful(const struct ifaddrs *a)
{
    return interface_is_link_local(a->ifa_addr) || interface_is_bridge_within(a->ifa_name);
}

static struct in6_addr address_of(const struct sockaddr *a)
{
    struct in6_addr address = {.s6_addr = {[10] = 0xff, [11] = 0xff}};

    if (a->sa_family == AF_INET6)
        return ((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
    memcpy(&address.s6_addr[12], &((const struct sockaddr_in *)(const void *)a)->sin_addr, 4);
    return address;
}

static void add_addresses(struct port_name *name, const struct ifaddrs *list, bool doubtful)
{
    for (const struct ifaddrs *a = list; a && name->addresses < PORT_ADDRESSES; a = a->ifa_next)
        if (is_known_elsewhere(a) && is_doubtful(a) == doubtful)
            name->address[name->addresses++] = address_of(a->ifa_addr);
}

/* A host whose only addresses are on bridges of its own may be what others call a switch; two hosts may have nothing but a cable
 * between them. */
static void find_addresses(struct port_name *name)
{
    struct ifaddrs *list = NULL;

    if (getifaddrs(&list) < 0)
        return;
    add_addresses(name, list, false);
    if (name->addresses == 0)
        add_addresses(name, list, true);
    freeifaddrs(list);
}

/* Listens on all addresses, of IPv6 and IPv4 where the system has both. */
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
    *tcp = (struct tcp_listener){.listener = -1, .is_accepting = true};
    for (int i = 0; i < TCP_LISTENER_CALLERS; i++)
        tcp->caller[i].fd = -1;
    if (keyed_hash_open()) /* as without a network */
        return MPI_SUCCESS;
    find_addresses(name);
    if (name->addresses == 0)
        return MPI_SUCCESS;
    tcp->listener = listen_anywhere(&name->tcp);
    private_add(tcp->listener);
    if (tcp->listener >= 0 && tcp_listener_watch(events, tcp->listener, event) &&
        keyed_secret_make(name->secret) == MPI_SUCCESS)
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
    int64_t seconds = hint_value(&hint_process, HINT_CONNECT_TIMEOUT) / 1000000000;
    int probes = seconds > PROBE_S ? (int)(seconds / PROBE_S) : 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &(int){1}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &(int){PROBE_S}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &(int){PROBE_S}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

static struct unverified_caller *find_caller_slot(struct tcp_listener *tcp)
{
    for (int i = 0; i < TCP_LISTENER_CALLERS; i++)
        if (tcp->caller[i].fd < 0)
            return &tcp->caller[i];
    return NULL;
}

/* Epoll tells of new callers only while there is a slot for one. */
static void set_accepting(struct tcp_listener *tcp, bool accepts, int events, uint32_t event)
{
    struct epoll_event e = {.events = accepts ? EPOLLIN : 0, .data.u32 = event};

    if (tcp->is_accepting != accepts && epoll_ctl(events, EPOLL_CTL_MOD, tcp->listener, &e) == 0)
        tcp->is_accepting = accepts;
}

/* Callers that find no slot, or no descriptor, wait in the kernel's queue. */
static void take_callers(struct tcp_listener *tcp, int events, uint32_t event)
{
    struct unverified_caller *s;
    bool has_room = true;

    while (has_room && (s = find_caller_slot(tcp))) {
        struct sockaddr_storage from;
        socklen_t size = sizeof from;
        int fd = accept4(tcp->listener, (struct sockaddr *)&from, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (fd < 0 && errno == EAGAIN)
            break;
        has_room = fd >= 0 || (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM);
        if (fd >= 0 && tcp_listener_watch(events, fd, event))
            *s = (struct unverified_caller){
                .fd = fd, .since = clock_ns(), .address = address_of((struct sockaddr *)&from)};
        else if (fd >= 0)
            close(fd);
    }
    set_accepting(tcp, has_room && find_caller_slot(tcp), events, event);
}

/* Reads until `size` bytes are there. False: they are not; if they never will be, the caller is dropped. */
static bool receive_all(struct unverified_caller *s, unsigned char *bytes, unsigned size)
{
    ssize_t got = recv(s->fd, bytes + s->received, size - s->received, MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got <= 0) {
        drop_caller(s);
        return false;
    }
    s->received += (unsigned)got;
    return s->received == size;
}

static void answer_caller(struct unverified_caller *s, const struct port_name *name)
{
    unsigned char answer[PORT_ANSWER_SIZE];

    if (port_proof_answer(&s->proof, name->secret, answer) ||
        send(s->fd, answer, sizeof answer, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof answer) {
        drop_caller(s);
        return;
    }
    s->is_answered = true;
    s->received = 0;
    s->since = clock_ns();
}

/* Whether the caller has proved itself by now. One that never will, or has ended, is dropped. */
static bool tcp_listener_receive(struct unverified_caller *s, const struct port_name *name)
{
    if (!s->is_answered && receive_all(s, s->proof.caller, sizeof s->proof.caller))
        answer_caller(s, name);
    if (s->fd < 0 || !s->is_answered || !receive_all(s, s->last, sizeof s->last))
        return false;
    if (port_proof_check_last(&s->proof, name->secret, s->last) &&
        !port_seal_begin(&s->seal, PORT_LISTENER, &s->proof, name->secret))
        return true;
    drop_caller(s);
    return false;
}

static int count_of_address(const struct tcp_listener *tcp, const struct in6_addr *address)
{
    int count = 0;

    for (int i = 0; i < TCP_LISTENER_CALLERS; i++)
        count += tcp->caller[i].fd >= 0 && IN6_ARE_ADDR_EQUAL(&tcp->caller[i].address, address);
    return count;
}

/* After all have been heard. */
static void drop_silent(struct tcp_listener *tcp)
{
    uint64_t now = clock_ns();

    for (int i = 0; i < TCP_LISTENER_CALLERS; i++) {
        struct unverified_caller *s = &tcp->caller[i];
        bool crowds;

        if (s->fd < 0 || now - s->since < CROWD_SILENCE_NS)
            continue;
        crowds = count_of_address(tcp, &s->address) > SHARE;
        if (crowds || now - s->since >= SILENCE_NS)
            drop_caller(s);
    }
}

/* The connection of the first caller that has proved itself; -1: none. */
static int receive_from_callers(struct tcp_listener *tcp, const struct port_name *name, int events,
                                struct port_seal *seal)
{
    for (int i = 0; i < TCP_LISTENER_CALLERS; i++) {
        struct unverified_caller *s = &tcp->caller[i];
        int fd = s->fd;

        if (fd < 0 || !tcp_listener_receive(s, name))
            continue;
        epoll_ctl(events, EPOLL_CTL_DEL, fd, NULL);
        s->fd = -1;
        *seal = s->seal;
        tcp_listener_limit_silence(fd);
        return fd;
    }
    return -1;
}

int tcp_listener_look(struct tcp_listener *tcp, const struct port_name *name, int events, uint32_t event,
                      struct port_seal *seal)
{
    int fd;

    if (tcp->listener < 0)
        return -1;
    fd = receive_from_callers(tcp, name, events, seal);
    if (fd < 0)
        drop_silent(tcp);
    take_callers(tcp, events, event);
    return fd;
}
