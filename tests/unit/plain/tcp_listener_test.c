#include "plain/tcp_listener.h"

#include "unit.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* What this host pretends to have; NULL: what it has. */
static struct ifaddrs *pretended;

__attribute__((visibility("default"))) int getifaddrs(struct ifaddrs **list)
{
    static int (*real)(struct ifaddrs **);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "getifaddrs");
    *list = pretended;
    return pretended ? 0 : real(list);
}

__attribute__((visibility("default"))) void freeifaddrs(struct ifaddrs *list)
{
    static void (*real)(struct ifaddrs *);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "freeifaddrs");
    if (list != pretended)
        real(list);
}

/* The first address of the port of a host that has these; the count in *count. */
static uint32_t advertise(struct ifaddrs *list, unsigned *count)
{
    struct port_name name = {.addresses = 0};
    int events = epoll_create1(EPOLL_CLOEXEC);
    struct tcp_listener tcp;
    uint32_t first;

    pretended = list;
    assert_int_equal(tcp_listener_open(&tcp, &name, events, 7, NULL), MPI_SUCCESS);
    pretended = NULL;
    tcp_listener_close(&tcp);
    close(events);
    *count = name.addresses;
    memcpy(&first, &name.address[0].s6_addr[12], sizeof first);
    return ntohl(first);
}

/* An address that the host gave itself is told only where there is no other. */
static void addresses_of_the_link_come_last(void **state)
{
    struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0xa9fe0101)},
                       given = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a000001)};
    char link[] = "link0", net[] = "net0";
    struct ifaddrs second = {.ifa_name = net, .ifa_flags = IFF_UP, .ifa_addr = (struct sockaddr *)&given};
    struct ifaddrs first = {
        .ifa_next = &second, .ifa_name = link, .ifa_flags = IFF_UP, .ifa_addr = (struct sockaddr *)&self};
    unsigned count;

    (void)state;
    assert_int_equal(advertise(&first, &count), 0x0a000001);
    assert_int_equal(count, 1);
    first.ifa_next = NULL;
    assert_int_equal(advertise(&first, &count), 0xa9fe0101);
    assert_int_equal(count, 1);
}

/* Such an address of IPv6 says nothing without the interface, whose name is another one elsewhere. */
static void addresses_of_the_link_in_ipv6_are_not_told(void **state)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    struct ifaddrs only = {.ifa_name = "net0", .ifa_flags = IFF_UP, .ifa_addr = (struct sockaddr *)&address};
    unsigned count;

    (void)state;
    assert_int_equal(inet_pton(AF_INET6, "fd00::7", &address.sin6_addr), 1);
    assert_int_equal(advertise(&only, &count), 7);
    assert_int_equal(count, 1);
    assert_int_equal(inet_pton(AF_INET6, "fe80::7", &address.sin6_addr), 1);
    advertise(&only, &count);
    assert_int_equal(count, 0);
}

/* A process whose standard input was closed gets its number for the next descriptor: as good as any. */
static void the_listener_may_be_0(void **state)
{
    struct port_name name = {.addresses = 0};
    int events = epoll_create1(EPOLL_CLOEXEC), kept = fcntl(0, F_DUPFD_CLOEXEC, 3);
    struct tcp_listener tcp;

    (void)state;
    assert_true(events > 0);
    close(0);
    assert_int_equal(tcp_listener_open(&tcp, &name, events, 7, NULL), MPI_SUCCESS);
    if (name.addresses == 0) { /* no network here */
        assert_int_equal(tcp.listener, -1);
    } else {
        assert_int_equal(tcp.listener, 0);
        assert_int_not_equal(name.tcp, 0);
    }
    tcp_listener_close(&tcp);
    assert_int_equal(fcntl(0, F_GETFD), -1); /* closed again */
    assert_int_equal(tcp.listener, -1);
    if (kept >= 0)
        assert_int_equal(dup2(kept, 0), 0);
    close(kept);
    close(events);
}

/* Who cannot be told of callers has no tcp, and says so. */
static void without_events_there_is_no_gate(void **state)
{
    struct port_name name = {.addresses = 0};
    struct tcp_listener tcp;
    int error;

    (void)state;
    error = tcp_listener_open(&tcp, &name, -1, 7, NULL);
    assert_int_equal(error, name.addresses ? MPI_ERR_OTHER : MPI_SUCCESS);
    assert_int_equal(tcp.listener, -1);
}

/* Only the addresses of the interface that was asked for are told. */
static void an_interface_may_be_given(void **state)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a000001)};
    struct ifaddrs only = {.ifa_name = "eth7", .ifa_flags = IFF_UP, .ifa_addr = (struct sockaddr *)&address};
    const char *interface[] = {NULL, "", "eth7", "eth8"};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct port_name name = {.addresses = 0};
        int events = epoll_create1(EPOLL_CLOEXEC);
        struct tcp_listener tcp;

        pretended = &only;
        assert_int_equal(tcp_listener_open(&tcp, &name, events, 7, interface[i]), MPI_SUCCESS);
        pretended = NULL;
        tcp_listener_close(&tcp);
        close(events);
        assert_int_equal(name.addresses, i < 3);
    }
}

static int connect_to(uint16_t port)
{
    struct sockaddr_in there = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&there, sizeof there), 0);
    return fd;
}

static struct port_seal seal; /* of who has proved himself last */

/* The connection of who has proved himself; -1: nobody within a while. */
static int look_for(struct tcp_listener *tcp, const struct port_name *name, int events, int looks)
{
    int fd = -1;

    for (int i = 0; i < looks && (fd = tcp_listener_look(tcp, name, events, 7, &seal)) < 0; i++)
        usleep(1000);
    return fd;
}

/* Sends an honest caller's first word, and hears the answer. */
static void begin_auth(struct tcp_listener *tcp, const struct port_name *name, int events, int fd,
                       struct port_auth *p, unsigned char answer[PORT_ANSWER_SIZE])
{
    unsigned char call[PORT_CALL_SIZE];
    ssize_t got = -1;

    assert_int_equal(port_auth_call(p, name->secret, call), MPI_SUCCESS);
    assert_int_equal(write(fd, call, sizeof call), sizeof call);
    for (int i = 0; i < 5000 && got < 0; i++) {
        assert_int_equal(look_for(tcp, name, events, 1), -1);
        got = recv(fd, answer, PORT_ANSWER_SIZE, MSG_DONTWAIT);
    }
    assert_int_equal(got, PORT_ANSWER_SIZE);
}

/* Then both ends talk. */
static void end_auth(struct tcp_listener *tcp, const struct port_name *name, int events, int fd,
                     struct port_auth *p, const unsigned char answer[PORT_ANSWER_SIZE])
{
    struct port_seal ours;
    unsigned char last[KEYED_HASH_SIZE], sealed[1 + KEYED_HASH_SIZE];
    char said = 'x', heard = 0;
    int found;

    assert_true(port_auth_check(p, name->secret, answer, last));
    assert_int_equal(write(fd, last, sizeof last), sizeof last);
    found = look_for(tcp, name, events, 5000);
    assert_true(found >= 0);
    assert_int_equal(port_seal_begin(&ours, PORT_CALLER, p, name->secret), MPI_SUCCESS);
    assert_int_equal(port_seal_put(&seal, &said, 1, sealed), MPI_SUCCESS);
    assert_int_equal(write(found, sealed, sizeof sealed), sizeof sealed);
    assert_int_equal(read(fd, sealed, sizeof sealed), sizeof sealed);
    assert_int_equal(port_seal_take(&ours, sealed, &heard, 1), MPI_SUCCESS);
    assert_int_equal(heard, 'x');
    close(found);
}

static void prove_and_talk(struct tcp_listener *tcp, const struct port_name *name, int events, int fd)
{
    struct port_auth p;
    unsigned char answer[PORT_ANSWER_SIZE];

    begin_auth(tcp, name, events, fd, &p, answer);
    end_auth(tcp, name, events, fd, &p, answer);
}

struct gate {
    struct port_name name;
    struct tcp_listener tcp;
    int events;
};

/* False: there is no network here. */
static bool open_gate(struct gate *g)
{
    g->name = (struct port_name){.addresses = 0};
    g->events = epoll_create1(EPOLL_CLOEXEC);
    assert_int_equal(tcp_listener_open(&g->tcp, &g->name, g->events, 7, NULL), MPI_SUCCESS);
    return g->name.addresses > 0;
}

static void close_gate(struct gate *g)
{
    tcp_listener_close(&g->tcp);
    close(g->events);
}

/* Silent ones disturb nobody: each of many callers is heard, in whatever order they speak. */
static void callers_have_places_of_their_own(void **state)
{
    enum {
        MANY = TCP_LISTENER_CALLERS / 4
    };
    struct gate g;
    int fd[MANY];
    bool is_open = open_gate(&g);

    (void)state;
    for (int i = 0; i < TCP_LISTENER_CALLERS; i++)
        assert_int_equal(g.tcp.caller[i].fd, -1);
    for (int i = 0; i < MANY && is_open; i++) {
        fd[i] = connect_to(g.name.tcp);
        assert_int_equal(look_for(&g.tcp, &g.name, g.events, 3), -1);
    }
    for (int i = MANY - 1; i >= 0 && is_open; i--) {
        prove_and_talk(&g.tcp, &g.name, g.events, fd[i]);
        close(fd[i]);
    }
    close_gate(&g);
}

static bool is_disconnected(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

/* One more caller takes the place of who has been silent for longest, but not of who has sent the tag. */
static void the_silent_make_room(void **state)
{
    struct gate g;
    int fd[TCP_LISTENER_CALLERS], late;
    struct port_auth p;
    unsigned char answer[PORT_ANSWER_SIZE];
    bool is_open = open_gate(&g);

    (void)state;
    for (int i = 0; i < TCP_LISTENER_CALLERS && is_open; i++) {
        fd[i] = connect_to(g.name.tcp);
        assert_int_equal(look_for(&g.tcp, &g.name, g.events, 1), -1);
    }
    if (is_open) {
        begin_auth(&g.tcp, &g.name, g.events, fd[0], &p, answer);
        late = connect_to(g.name.tcp);
        prove_and_talk(&g.tcp, &g.name, g.events, late);
        assert_true(is_disconnected(fd[1]));
        assert_false(is_disconnected(fd[2]));
        end_auth(&g.tcp, &g.name, g.events, fd[0], &p, answer);
        prove_and_talk(&g.tcp, &g.name, g.events, fd[2]);
        close(late);
    }
    for (int i = 0; i < TCP_LISTENER_CALLERS && is_open; i++)
        close(fd[i]);
    close_gate(&g);
}

static int count_events(int events)
{
    struct epoll_event e;

    return epoll_wait(events, &e, 1, 0);
}

/* While there is no descriptor for a caller the listener wakes nobody, and calls again when there is. */
static void a_caller_waits_for_a_descriptor(void **state)
{
    struct rlimit before, none;
    struct gate g;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){0, before.rlim_max};
    if (open_gate(&g)) {
        int fd = connect_to(g.name.tcp);

        assert_int_equal(count_events(g.events), 1);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
        look_for(&g.tcp, &g.name, g.events, 1);
        assert_int_equal(count_events(g.events), 0);
        look_for(&g.tcp, &g.name, g.events, 1);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_int_equal(count_events(g.events), 0);
        prove_and_talk(&g.tcp, &g.name, g.events, fd);
        close(fd);
        fd = connect_to(g.name.tcp);
        assert_int_equal(count_events(g.events), 1);
        close(fd);
    }
    close_gate(&g);
}

/* Connects with these data in the first packet; whether that is answered within a while. */
static bool is_answered_at(uint16_t port, const unsigned char call[PORT_CALL_SIZE])
{
    struct sockaddr_in there = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct pollfd connected = {.events = POLLOUT};

    connected.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (setsockopt(connected.fd, IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE, &(int){1}, sizeof(int)) < 0 ||
        sendto(connected.fd, call, PORT_CALL_SIZE, MSG_FASTOPEN, (struct sockaddr *)&there, sizeof there) <
            0) {
        print_message("this system's first packets have no data: %s\n", strerror(errno));
        close(connected.fd);
        return true;
    }
    poll(&connected, 1, 200);
    close(connected.fd);
    return connected.revents == POLLOUT;
}

/* After many strangers only callers whose first packet has the tag are answered, and after some seconds again everybody. */
static void the_kernel_keeps_a_crowd_out(void **state)
{
    unsigned char call[PORT_CALL_SIZE];
    struct port_auth p;
    struct gate g;
    bool is_open = open_gate(&g);

    (void)state;
    for (int i = 0; i < TCP_LISTENER_CALLERS && is_open; i++) {
        close(connect_to(g.name.tcp));
        look_for(&g.tcp, &g.name, g.events, 1);
        if (g.tcp.filter_until)
            break;
    }
    if (is_open && g.tcp.filter_until) { /* which not every system has */
        assert_int_equal(port_auth_call(&p, g.name.secret, call), MPI_SUCCESS);
        assert_true(is_answered_at(g.name.tcp, call));
        call[0] ^= 1;
        assert_false(is_answered_at(g.name.tcp, call));
        look_for(&g.tcp, &g.name, g.events, 3000);
        assert_int_equal(g.tcp.filter_until, 0);
        close(connect_to(g.name.tcp));
    }
    close_gate(&g);
}

/* What is no proof is not taken for one: the secret itself, or what the listener has sent. */
static void who_does_not_know_the_secret_is_dropped(void **state)
{
    struct gate g;
    bool is_open = open_gate(&g);

    (void)state;
    for (int kind = 0; kind < 3 && is_open; kind++) {
        unsigned char words[2 * SECRET_SIZE + KEYED_HASH_SIZE], byte;
        uint64_t tag;
        int fd = connect_to(g.name.tcp);

        memset(words, kind, sizeof words);
        if (kind == 1)
            memcpy(words, g.name.secret, SECRET_SIZE);
        if (kind == 2) {
            assert_int_equal(port_auth_tag(g.name.secret, &tag), MPI_SUCCESS);
            memcpy(words, &tag, sizeof tag);
        }
        assert_int_equal(write(fd, words, PORT_CALL_SIZE), PORT_CALL_SIZE);
        assert_int_equal(look_for(&g.tcp, &g.name, g.events, 20), -1);
        if (kind == 2) /* its own proof, sent back */
            assert_int_equal(recv(fd, words, PORT_ANSWER_SIZE, 0), PORT_ANSWER_SIZE);
        assert_int_equal(write(fd, words + PORT_NONCE_SIZE, KEYED_HASH_SIZE), KEYED_HASH_SIZE);
        assert_int_equal(look_for(&g.tcp, &g.name, g.events, 20), -1);
        for (ssize_t got = 1; got > 0;) /* it is closed, once what was on its way is read */
            got = recv(fd, &byte, 1, 0);
        close(fd);
    }
    close_gate(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_of_the_link_come_last),
        cmocka_unit_test(addresses_of_the_link_in_ipv6_are_not_told),
        cmocka_unit_test(an_interface_may_be_given),
        cmocka_unit_test(the_listener_may_be_0),
        cmocka_unit_test(without_events_there_is_no_gate),
        cmocka_unit_test(callers_have_places_of_their_own),
        cmocka_unit_test(the_silent_make_room),
        cmocka_unit_test(a_caller_waits_for_a_descriptor),
        cmocka_unit_test(the_kernel_keeps_a_crowd_out),
        cmocka_unit_test(who_does_not_know_the_secret_is_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
