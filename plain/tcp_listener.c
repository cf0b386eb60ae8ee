#include "plain/tcp_listener.h"

#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/interface.h"
#include "plain/private.h"
#include "plain/socket.h"

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
    BACKLOG = 1024,                  /* what a stranger may put there takes milliseconds to look through */
    PROBE_S = 5,                     /* between keepalive probes */
    CROWD = TCP_LISTENER_CALLERS / 2 /* so many strangers in a second */
};

#define SECOND_NS  ((uint64_t)1000 * 1000 * 1000)
#define SILENCE_NS (10 * SECOND_NS) /* how long an unverified caller may be silent */
#define FILTER_NS  (2 * SECOND_NS)  /* how long the filter stays */

/* Whether the address is one of this host on other hosts too. */
static bool is_known_elsewhere(const struct ifaddrs *a, const char *wanted)
{
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

static void add_addresses(struct port_name *name, const struct ifaddrs *list, const char *interface,
                          bool doubtful)
{
    for (const struct ifaddrs *a = list; a && name->addresses < PORT_ADDRESSES; a = a->ifa_next)
        if (is_known_elsewhere(a, interface) && is_doubtful(a) == doubtful)
            name->address[name->addresses++] = address_of(a->ifa_addr);
}

/* A host whose only addresses are on bridges of its own may be what others call a switch; two hosts may have nothing but a cable
 * between them. */
static void find_addresses(struct port_name *name, const char *interface)
{
    struct ifaddrs *list = NULL;

    if (getifaddrs(&list) < 0)
        return;
    add_addresses(name, list, interface, false);
    if (name->addresses == 0)
        add_addresses(name, list, interface, true);
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

int tcp_listener_open(struct tcp_listener *tcp, struct port_name *name, int events, uint32_t event,
                      const char *interface)
{
    int error;

    *tcp = (struct tcp_listener){.listener = -1, .is_accepting = true};
    for (int i = 0; i < TCP_LISTENER_CALLERS; i++)
        tcp->caller[i].fd = -1;
    if (keyed_hash_open()) /* as without a network */
        return MPI_SUCCESS;
    find_addresses(name, interface);
    if (name->addresses == 0)
        return MPI_SUCCESS;
    tcp->listener = listen_anywhere(&name->tcp);
    private_add(tcp->listener);
    error = tcp->listener >= 0 && tcp_listener_watch(events, tcp->listener, event)
                ? keyed_secret_make(name->secret)
                : fail(MPI_ERR_OTHER, "cannot open a port to other hosts: %s", strerror(errno));
    if (error)
        tcp_listener_close(tcp);
    return error;
}

static void drop_caller(struct tcp_listener *tcp, struct unverified_caller *s)
{
    tcp->strangers += !s->is_answered;
    close(s->fd);
    s->fd = -1;
}

void tcp_listener_close(struct tcp_listener *tcp)
{
    for (int i = 0; i < TCP_LISTENER_CALLERS && tcp->listener >= 0; i++)
        if (tcp->caller[i].fd >= 0)
            drop_caller(tcp, &tcp->caller[i]);
    if (tcp->listener >= 0)
        private_close(tcp->listener);
    tcp->listener = -1;
}

void tcp_listener_limit_silence(int fd, uint64_t timeout_ns)
{
    uint64_t seconds = timeout_ns / SECOND_NS;
    int probes = seconds > PROBE_S ? (int)(seconds / PROBE_S) : 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &(int){1}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &(int){PROBE_S}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &(int){PROBE_S}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

/* Reads until `size` bytes are there. False: they are not; if they never will be, the caller is dropped. */
static bool receive_all(struct tcp_listener *tcp, struct unverified_caller *s, unsigned char *bytes,
                        unsigned size)
{
    ssize_t got = recv(s->fd, bytes + s->received, size - s->received, MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got <= 0) {
        drop_caller(tcp, s);
        return false;
    }
    s->received += (unsigned)got;
    return s->received == size;
}

static void answer_caller(struct tcp_listener *tcp, struct unverified_caller *s, const struct port_name *name)
{
    unsigned char answer[PORT_ANSWER_SIZE];

    if (!port_auth_take_call(&s->auth, tcp->tag, s->call) ||
        port_auth_answer(&s->auth, name->secret, answer) ||
        send(s->fd, answer, sizeof answer, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof answer) {
        drop_caller(tcp, s);
        return;
    }
    s->is_answered = true;
    s->received = 0;
    s->since = clock_ns();
}

/* Whether the caller has proved itself by now. One that never will, or has ended, is dropped. */
static bool tcp_listener_receive(struct tcp_listener *tcp, struct unverified_caller *s,
                                 const struct port_name *name)
{
    if (!s->is_answered && receive_all(tcp, s, s->call, sizeof s->call))
        answer_caller(tcp, s, name);
    if (s->fd < 0 || !s->is_answered || !receive_all(tcp, s, s->last, sizeof s->last))
        return false;
    if (port_auth_check_last(&s->auth, name->secret, s->last) &&
        !port_seal_begin(&s->seal, PORT_LISTENER, &s->auth, name->secret))
        return true;
    drop_caller(tcp, s);
    return false;
}

/* After all have been heard. */
static void drop_silent(struct tcp_listener *tcp)
{
    uint64_t now = clock_ns();

    for (int i = 0; i < TCP_LISTENER_CALLERS; i++)
        if (tcp->caller[i].fd >= 0 && now - tcp->caller[i].since >= SILENCE_NS)
            drop_caller(tcp, &tcp->caller[i]);
}

/* The connection of the first caller that has proved itself; -1: none. */
static int receive_from_callers(struct tcp_listener *tcp, const struct port_name *name, int events,
                                struct port_seal *seal)
{
    for (int i = 0; i < TCP_LISTENER_CALLERS; i++) {
        struct unverified_caller *s = &tcp->caller[i];
        int fd = s->fd;

        if (fd < 0 || !tcp_listener_receive(tcp, s, name))
            continue;
        epoll_ctl(events, EPOLL_CTL_DEL, fd, NULL);
        s->fd = -1;
        *seal = s->seal;
        return fd;
    }
    return -1;
}

/* A free slot, or that of the caller that has been silent for longest, since before this time; NULL: there is none. */
static struct unverified_caller *tcp_listener_find_slot(struct tcp_listener *tcp, uint64_t before)
{
    struct unverified_caller *oldest = NULL;

    for (int i = 0; i < TCP_LISTENER_CALLERS; i++) {
        struct unverified_caller *s = &tcp->caller[i];

        if (s->fd < 0)
            return s;
        if (!s->is_answered && s->since < before) {
            before = s->since;
            oldest = s;
        }
    }
    return oldest;
}

/* Epoll tells of new callers only while there is a slot for one. */
static void set_accepting(struct tcp_listener *tcp, bool accepts, int events, uint32_t event)
{
    struct epoll_event e = {.events = accepts ? EPOLLIN : 0, .data.u32 = event};

    if (tcp->is_accepting != accepts && epoll_ctl(events, EPOLL_CTL_MOD, tcp->listener, &e) == 0)
        tcp->is_accepting = accepts;
}

/* Accepts the next caller, in the slot of another one or a free one. Returns 0, or an errno. */
static int take_caller(struct tcp_listener *tcp, struct unverified_caller *s, int events, uint32_t event)
{
    int fd = accept4(tcp->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0)
        return errno;
    if (s->fd >= 0)
        drop_caller(tcp, s);
    if (tcp_listener_watch(events, fd, event))
        *s = (struct unverified_caller){.fd = fd, .since = clock_ns()};
    else
        close(fd);
    return 0;
}

/* Takes as many as there are slots whose callers, if any, have been heard. The others wait in the kernel's queue. */
static void take_callers(struct tcp_listener *tcp, int events, uint32_t event)
{
    uint64_t begin = clock_ns();
    struct unverified_caller *s;
    int code = 0;

    for (int i = 0; i < TCP_LISTENER_CALLERS && code != EAGAIN && (s = tcp_listener_find_slot(tcp, begin));
         i++) {
        code = take_caller(tcp, s, events, event);
        if (code && code != EAGAIN && s->fd >= 0) /* for want of its descriptor, perhaps */
            drop_caller(tcp, s);
    }
    set_accepting(tcp, (code == 0 || code == EAGAIN) && tcp_listener_find_slot(tcp, UINT64_MAX), events,
                  event);
}

/* While strangers come, and some time after they have gone or been kept away, the kernel answers nobody without the tag. */
static void filter_callers(struct tcp_listener *tcp)
{
    uint64_t now = clock_ns();

    if (tcp->strangers >= CROWD && (tcp->filter_until || socket_filter_set_callers(tcp->listener, tcp->tag)))
        tcp->filter_until = now + FILTER_NS;
    if (tcp->filter_until && now >= tcp->filter_until) {
        socket_filter_clear(tcp->listener);
        tcp->filter_until = 0;
    }
    if (tcp->strangers >= CROWD || now - tcp->counted_since >= SECOND_NS) {
        tcp->strangers = 0;
        tcp->counted_since = now;
    }
}

int tcp_listener_look(struct tcp_listener *tcp, const struct port_name *name, int events, uint32_t event,
                      struct port_seal *seal)
{
    int fd;

    if (tcp->listener < 0)
        return -1;
    fd = receive_from_callers(tcp, name, events, seal);
    if (fd >= 0)
        return fd; /* others may not have been heard */
    drop_silent(tcp);
    if (!tcp->has_tag) /* without memory for it callers wait */
        tcp->has_tag = port_auth_tag(name->secret, &tcp->tag) == MPI_SUCCESS;
    if (tcp->has_tag)
        take_callers(tcp, events, event);
    filter_callers(tcp);
    return -1;
}
