/* Ports whose callers are this process itself. */
#include "plain/port.h"

#include "unit.h"

#include <dirent.h>
#include <mpi.h>
#include <string.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_calls_is_accepted),
        cmocka_unit_test(closed_ports_are_refused),
        cmocka_unit_test(ports_may_be_open_to_other_hosts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
