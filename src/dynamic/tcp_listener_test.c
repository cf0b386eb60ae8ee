#include "dynamic/tcp_listener.h"

#include "unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <mpi.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* A process whose standard input was closed gets its number for the next descriptor: as good as any. */
static void the_listener_may_be_0(void **state)
{
    struct port_name name = {.addresses = 0};
    int events = epoll_create1(EPOLL_CLOEXEC), kept = fcntl(0, F_DUPFD_CLOEXEC, 3);
    struct tcp_listener tcp;

    (void)state;
    assert_true(events > 0);
    close(0);
    assert_int_equal(tcp_listener_open(&tcp, &name, events, 7), MPI_SUCCESS);
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
    error = tcp_listener_open(&tcp, &name, -1, 7);
    assert_int_equal(error, name.addresses ? MPI_ERR_OTHER : MPI_SUCCESS);
    assert_int_equal(tcp.listener, -1);
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

/* The connection of who has told the secret; -1: nobody within a while. */
static int look_for(struct tcp_listener *tcp, const struct port_name *name, int events, int looks)
{
    int fd = -1;

    for (int i = 0; i < looks && (fd = tcp_listener_look(tcp, name, events, 7)) < 0; i++)
        usleep(1000);
    return fd;
}

/* Each of as many callers as there are places for is heard, in whatever order they speak; one more takes
 * the place of the first. */
static void callers_have_places_of_their_own(void **state)
{
    struct port_name name = {.addresses = 0};
    int events = epoll_create1(EPOLL_CLOEXEC), fd[TCP_LISTENER_CALLERS + 1], found;
    struct tcp_listener tcp;
    char byte;

    (void)state;
    assert_int_equal(tcp_listener_open(&tcp, &name, events, 7), MPI_SUCCESS);
    for (int i = 0; i < TCP_LISTENER_CALLERS; i++)
        assert_int_equal(tcp.caller[i].fd, -1);
    for (int i = 0; i <= TCP_LISTENER_CALLERS && name.addresses; i++) {
        fd[i] = connect_to(name.tcp);
        assert_int_equal(look_for(&tcp, &name, events, 3), -1);
    }
    if (name.addresses)
        assert_int_equal(recv(fd[0], &byte, 1, 0), 0);
    for (int i = TCP_LISTENER_CALLERS; i > 0 && name.addresses; i--) {
        assert_int_equal(write(fd[i], name.secret, sizeof name.secret), sizeof name.secret);
        found = look_for(&tcp, &name, events, 5000);
        assert_true(found >= 0);
        assert_int_equal(write(found, "x", 1), 1);
        assert_int_equal(read(fd[i], &byte, 1), 1);
        close(found);
    }
    for (int i = 0; i <= TCP_LISTENER_CALLERS && name.addresses; i++)
        close(fd[i]);
    tcp_listener_close(&tcp);
    close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_listener_may_be_0),
        cmocka_unit_test(without_events_there_is_no_gate),
        cmocka_unit_test(callers_have_places_of_their_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
