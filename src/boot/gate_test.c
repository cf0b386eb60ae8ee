#include "boot/gate.h"

#include "unit.h"

#include <fcntl.h>
#include <mpi.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* A process whose standard input was closed gets its number for the next descriptor: as good as any. */
static void the_listener_may_be_0(void **state)
{
    struct port_name name = {.addresses = 0};
    int events = epoll_create1(EPOLL_CLOEXEC), kept = fcntl(0, F_DUPFD_CLOEXEC, 3);
    struct gate gate;

    (void)state;
    assert_true(events > 0);
    close(0);
    assert_int_equal(gate_open(&gate, &name, events, 7), MPI_SUCCESS);
    if (name.addresses == 0) { /* no network here */
        assert_int_equal(gate.listener, -1);
    } else {
        assert_int_equal(gate.listener, 0);
        assert_int_not_equal(name.tcp, 0);
    }
    gate_close(&gate);
    assert_int_equal(fcntl(0, F_GETFD), -1); /* closed again */
    assert_int_equal(gate.listener, -1);
    if (kept >= 0)
        assert_int_equal(dup2(kept, 0), 0);
    close(kept);
    close(events);
}

/* Who cannot be told of callers has no gate, and says so. */
static void without_events_there_is_no_gate(void **state)
{
    struct port_name name = {.addresses = 0};
    struct gate gate;
    int error;

    (void)state;
    error = gate_open(&gate, &name, -1, 7);
    assert_int_equal(error, name.addresses ? MPI_ERR_OTHER : MPI_SUCCESS);
    assert_int_equal(gate.listener, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_listener_may_be_0),
        cmocka_unit_test(without_events_there_is_no_gate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
