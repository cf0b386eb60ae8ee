/* Ports whose callers are this process itself. */
#include "plain/port.h"

#include "unit.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static int descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* Calls and accepts: what one end says the other hears. */
static void call(const char *name)
{
    struct port_call c;
    struct port_connection ours, theirs;
    char heard[4] = "";

    assert_int_equal(port_call_begin(name, &c), MPI_SUCCESS);
    assert_int_equal(port_call_await(&c, 1000, &ours), MPI_SUCCESS);
    assert_true(ours.fd >= 0);
    port_call_end(&c);
    assert_int_equal(port_accept(name, 1000, &theirs), MPI_SUCCESS);
    assert_true(theirs.fd >= 0);
    assert_true(!ours.seal.side && !theirs.seal.side); /* within a host */
    assert_int_equal(write(ours.fd, "hey", 4), 4);
    for (int i = 0; i < 1000 && read(theirs.fd, heard, 4) != 4; i++)
        usleep(1000);
    assert_string_equal(heard, "hey");
    close(ours.fd);
    close(theirs.fd);
}

static void who_calls_is_accepted(void **state)
{
    char name[MPI_MAX_PORT_NAME];
    int before = descriptors();
    struct port_connection c = {.fd = 5};

    (void)state;
    assert_int_equal(port_open_here(name), MPI_SUCCESS);
    assert_int_equal(port_accept(name, 0, &c), MPI_SUCCESS);
    assert_int_equal(c.fd, -1); /* nobody has called */
    call(name);
    call(name);
    assert_int_equal(port_accept(name, 0, &c), MPI_SUCCESS);
    assert_int_equal(c.fd, -1);
    assert_int_equal(port_close(name), MPI_SUCCESS);
    assert_int_equal(descriptors(), before);
}

static void closed_ports_are_refused(void **state)
{
    char first[MPI_MAX_PORT_NAME], second[MPI_MAX_PORT_NAME];
    struct port_call c;
    struct port_connection met = {.fd = 5};
    int error;

    (void)state;
    assert_int_equal(port_open_here(first), MPI_SUCCESS);
    assert_int_equal(port_open_here(second), MPI_SUCCESS);
    assert_string_not_equal(first, second);
    assert_int_equal(port_close(first), MPI_SUCCESS);
    assert_int_equal(port_close(first), MPI_ERR_PORT);
    assert_int_equal(port_accept(first, 0, &met), MPI_ERR_PORT);
    assert_int_equal(port_close("no port at all"), MPI_ERR_PORT);
    error = port_call_begin(first, &c);
    if (!error) {
        error = port_call_await(&c, 1000, &met);
        port_call_end(&c);
    }
    assert_int_equal(error, MPI_ERR_PORT);
    call(second); /* which is open */
    assert_int_equal(port_close(second), MPI_SUCCESS);
}

static void ports_may_be_open_to_other_hosts(void **state)
{
    char name[MPI_MAX_PORT_NAME];
    int before = descriptors();

    (void)state;
    assert_int_equal(port_open(name, NULL), MPI_SUCCESS);
    call(name);
    assert_int_equal(port_close(name), MPI_SUCCESS);
    assert_int_equal(descriptors(), before);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
    alarms += number == SIGALRM;
}

/* The name of a port of another host, at a socket of this one that never answers. */
static int silent_port(char *name)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct port_name port = {.host = 1, .number = 2, .addresses = 1};
    socklen_t size = sizeof here;
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(s, (struct sockaddr *)&here, size), 0);
    assert_int_equal(listen(s, 8), 0);
    assert_int_equal(getsockname(s, (struct sockaddr *)&here, &size), 0);
    assert_int_equal(inet_pton(AF_INET6, "::ffff:127.0.0.1", &port.address[0]), 1);
    port.tcp = ntohs(here.sin_port);
    port_name_format(&port, name);
    return s;
}

/* The program's own signals interrupt the call; it goes on. */
static void signals_end_no_call(void **state)
{
    char name[MPI_MAX_PORT_NAME];
    struct sigaction action = {.sa_handler = on_alarm};
    const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    struct port_connection met;
    struct port_call c;
    int s = silent_port(name), error = MPI_SUCCESS;

    (void)state;
    assert_int_equal(port_call_begin(name, &c), MPI_SUCCESS);
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    for (int i = 0; i < 1000 && alarms < 10 && !error; i++)
        error = port_call_await(&c, 10, &met);
    setitimer(ITIMER_REAL, &never, NULL);
    assert_int_equal(error, MPI_SUCCESS);
    assert_true(alarms > 0);
    assert_int_equal(met.fd, -1);
    port_call_end(&c);
    close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_calls_is_accepted),
        cmocka_unit_test(closed_ports_are_refused),
        cmocka_unit_test(ports_may_be_open_to_other_hosts),
        cmocka_unit_test(signals_end_no_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
