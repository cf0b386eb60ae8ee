#include "plain/port.h"

#include "unit.h"

#include <mpi.h>
#include <string.h>

/* A name is read back as it was written, and so is every beginning of it that can be read. */
static void check(const char *text)
{
    char again[MPI_MAX_PORT_NAME], part[MPI_MAX_PORT_NAME];
    struct port_name name;

    assert_int_equal(port_name_parse(text, &name), MPI_SUCCESS);
    port_name_format(&name, again);
    assert_string_equal(again, text);
    for (size_t length = 0; length < strlen(text); length++) {
        memcpy(part, text, length);
        part[length] = 0;
        if (port_name_parse(part, &name) == MPI_SUCCESS) { /* as a shorter name */
            port_name_format(&name, again);
            assert_string_equal(again, part);
        }
    }
}

static void name_directory_comes_back(void **state)
{
    (void)state;
    check("inkling-port:0123456789abcdef:3e8:fedcba9876543210");
    check("inkling-port:0123456789abcdef:0:fedcba9876543210:00112233445566778899aabbccddeeff:4711:10.77.0.1");
    check("inkling-port:0123456789abcdef:0:fedcba9876543210:00112233445566778899aabbccddeeff:65535:10.77.0.1,"
          "2001:db8::1,192.168.0.255");
}

static void nonsense_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "inkling-port:0:0:0",
        "inkling-port:0123456789ABCDEF:0:fedcba9876543210",
        "inkling-port:0123456789abcdef:0:fedcba9876543210:",
        "inkling-port:0123456789abcdef:0:fedcba9876543210:00112233445566778899aabbccddeef",
        "inkling-port:0123456789abcdef:0:fedcba9876543210:00112233445566778899aabbccddeeff",
        "inkling-port:0123456789abcdef:0:fedcba9876543210:00112233445566778899aabbccddeeff:4711:",
        "inkling-port:0123456789abcdef:0:fedcba9876543210:00112233445566778899aabbccddeeff:65536:10.0.0.1",
        "inkling-port:0123456789abcdef:0:fedcba9876543210:00112233445566778899aabbccddeeff:1:10.0.0.1,",
        "inkling-port:0123456789abcdef:0:fedcba9876543210:00112233445566778899aabbccddeeff:1:10.0.0.1,host",
        ("inkling-port:0123456789abcdef:0:fedcba9876543210:00112233445566778899aabbccddeeff:1:"
         "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5,10.0.0.6,10.0.0.7,10.0.0.8,10.0.0.9")};
    struct port_name name;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(port_name_parse(texts[i], &name), MPI_ERR_PORT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name_directory_comes_back),
        cmocka_unit_test(nonsense_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
